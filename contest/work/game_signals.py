"""Looking for signals of cheating in a round of any game: what needs no knowledge of its tables."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from attacks.signals import same_lines
from attacks.signals.climbing import climbing
from attacks.signals.evidence import Evidence
from attacks.signals.same_cells import CELLS, Places, same_cells
from attacks.signals.same_lines import Changed, Keys, Line
from contest.jobs.queue import Claim
from contest.models import Attack, AttackRun, Entry, Round, Signal
from contest.models.round import Feedback
from contest.play.answer_cells import Cells, cells_of, stored_answer
from contest.play.boxes import EMPTY, MemoryBox, public_box
from contest.play.evidence import evidence_of
from contest.play.house import seek_with
from contest.play.table import Table
from contest.services import signals
from datasets.tables import Integers
from games.contract.broken import BrokenGame
from games.contract.defaults import rows_of
from games.contract.values import Box

MOST_ANSWERS = 40
"""Of a team about one target: the newest ones, which are compared with each other."""
EASY = 0.9
"""Where both answers reveal so much, all good answers are nearly the same."""

Sent = tuple[AttackRun, Integers]


def look_for_game_signals(claim: Claim, round_: Round) -> None:
    """Compare the official entries of all teams, then all judged answers about each target."""
    table = Table(round_)
    found = list(copied_entries(table))
    official = Entry.objects.filter(round=round_, is_official=True).select_related("team").order_by("pk")
    entries = list(official)
    for number, entry in enumerate(entries):
        claim.report(20 + 75 * number // max(1, len(entries)), entry.key)
        entry.round = round_
        for challenge in table.declared.challenges:
            found += answers_about(table, entry, challenge.name)
    signals.record_signals(claim, round_, found)


def copied_entries(table: Table) -> Iterator[Signal]:
    """Pairs of teams whose published uploads have the same lines, beyond what everybody was handed."""
    official = Entry.objects.filter(round=table.round, is_official=True).select_related("team")
    by_slot: dict[str, list[Entry]] = {}
    house: list[Entry] = []
    for entry in official.order_by("pk"):
        if entry.team.is_house:
            house.append(entry)
        elif not entry.is_brought:
            by_slot.setdefault(entry.slot, []).append(entry)
    known = _known_lines(table, house)
    for entries in by_slot.values():
        lines = {entry.pk: partial(_uploaded_lines, table, entry) for entry in entries}
        # What a team was handed itself is no change of its own.
        given = {entry.pk: np.union1d(known, _seat_lines(table, entry)) for entry in entries}
        changes = {key: same_lines.changed(lines[key](), given[key]) for key in lines}
        for first, second in itertools.combinations(entries, 2):
            mine, theirs = changes[first.pk], changes[second.pk]
            if same_lines.same_lines(mine, theirs).is_lit:
                mixed = _mixed(lines[second.pk](), theirs, given[second.pk])
                evidence = same_lines.same_lines(mine, theirs, mixed)
                if evidence.is_lit:
                    yield _signal(table.round, evidence, first, other=second)


def _mixed(lines: Iterator[Line], change: Changed, given: Keys) -> Changed:
    """The changed lines of an entry with their columns shuffled."""
    wanted = set(change.keys.tolist())
    own = [line for line in lines if same_lines.key_of(line) in wanted]
    return same_lines.changed(same_lines.shuffled(own, np.random.default_rng(0)), given)


def _known_lines(table: Table, house: Sequence[Entry]) -> Keys:
    """The lines of the public data and of house entries, by place too: files that keep the order have it."""
    world = table.world(secret=False)
    keys = [_box_keys(table, world.public, "round")]
    keys += [same_lines.keys_of(_uploaded_lines(table, entry)) for entry in house]
    return np.unique(np.concatenate(keys))


def _seat_lines(table: Table, entry: Entry) -> Keys:
    seat = table.seat(table.seat_of(entry), "team", "publish")
    return _box_keys(table, seat.files if seat else EMPTY, "seat")


def _box_keys(table: Table, box: Box, scope: str) -> Keys:
    keys = [np.array([], dtype=np.uint64)]
    for name in box.names():
        with box.open(name) as stream:
            content = rows_of(stream.read(), table.declared.file(name, scope))  # type: ignore[arg-type]
        keys += [same_lines.keys_of(same_lines.lines_of(content, is_kept=kept)) for kept in (False, True)]
    return np.unique(np.concatenate(keys))


def _uploaded_lines(table: Table, entry: Entry) -> Iterator[Line]:
    """The rows of the files that a team uploaded and everybody sees; what the game adds is not its doing."""
    box = public_box(entry.published)
    for file in table.declared.files_of("entry", "upload"):
        for name in file.names(slot=entry.slot):
            if name in box.names():
                with box.open(name) as stream:
                    content = rows_of(stream.read(), file)
                yield from same_lines.lines_of(content, is_kept=file.order == "kept")


def answers_about(table: Table, entry: Entry, challenge: str) -> Iterator[Signal]:
    """Pairs of teams with the same answer, and teams that climb, about one target in one challenge."""
    places, newest = Places(), list[Sent]()
    for history in _histories(entry, challenge):
        sent = [
            (run, places.vector(cells))
            for run in history
            if (cells := cells_of(table.declared, stored_answer(table, run), entry.key, challenge))
        ]
        if not sent:
            continue
        newest.append(sent[-1])
        if table.round.feedback != Feedback.NONE:
            evidence = _climbing([(run, places.padded(codes)) for run, codes in sent], challenge)
            if evidence.is_lit:
                yield _signal(table.round, evidence, entry, attacks=(sent[0][0].attack, sent[-1][0].attack))
    house: Callable[[], list[Cells]] = partial(_house_cells, table, entry, challenge)
    yield from _pairs(table.round, entry, challenge, newest, places, house)


def _histories(entry: Entry, challenge: str) -> Iterator[list[AttackRun]]:
    """What each team sent about an entry and was judged, in order, up to the newest ones."""
    runs = AttackRun.objects.filter(entry=entry, challenge=challenge, state=AttackRun.State.DONE)
    runs = runs.filter(attack__is_dry_run=False, risk__isnull=False).exclude(attack__kind=Attack.Kind.HOUSE)
    ordered = runs.select_related("attack__team").defer("log", "found_rows")
    for _team, group in itertools.groupby(
        ordered.order_by("attack__team", "attack"), lambda it: it.attack.team_id
    ):
        yield list(group)[-MOST_ANSWERS:]


def _climbing(sent: Sequence[Sent], challenge: str) -> Evidence:
    """Small steps of one team while what it was told rose; the risk stands for the people found."""
    risks = [run.risk or 0.0 for run, _ in sent]
    n_cells = len(sent[-1][1])
    evidence = climbing([codes for _, codes in sent], [round(risk * n_cells) for risk in risks])
    gained = max(risks) - risks[0]
    detail = {name: value for name, value in evidence.detail.items() if name != "people_gained"}
    detail = {"challenge": challenge, **detail, "risk_gained": round(gained, 4)}
    return dataclasses.replace(evidence, strength=evidence.strength if gained > 0 else 0.0, detail=detail)


def _pairs(
    round_: Round, entry: Entry, challenge: str, newest: Sequence[Sent], places: Places,
    house: Callable[[], list[Cells]],
) -> Iterator[Signal]:  # fmt: skip
    """The house answers only where it could explain an agreement."""
    known: list[Integers] | None = None
    for (one, mine), (other, theirs) in itertools.combinations(newest, 2):
        found = _found(one), _found(other)
        both = None if found[0] is None or found[1] is None else (found[0], found[1])
        compare = partial(_agreement, places, mine, theirs, both)
        if not compare(()).is_lit:
            continue
        if known is None:
            known = [places.vector(cells) for cells in house()]
        evidence = compare(known)
        easy = evidence.kind == CELLS and min(one.risk or 0.0, other.risk or 0.0) >= EASY
        if evidence.is_lit and not easy:
            said = dataclasses.replace(evidence, detail={"challenge": challenge, **evidence.detail})
            yield _signal(round_, said, entry, attacks=(one.attack, other.attack))


def _agreement(
    places: Places, mine: Integers, theirs: Integers, found: tuple[set[int], set[int]] | None,
    known: Sequence[Integers],
) -> Evidence:  # fmt: skip
    first, second, *others = (places.padded(codes) for codes in (mine, theirs, *known))
    return same_cells(first, second, places.columns, others, found)


def _found(run: AttackRun) -> set[int] | None:
    """The people whom an answer found, where its game says so."""
    evidence: Mapping[str, object] = evidence_of(run.evidence_sha256)
    if "found" not in evidence:
        return None
    people = np.asarray(evidence["found"])
    return set(people.tolist()) if people.ndim == 1 and people.dtype.kind in "iu" else None


def _house_cells(table: Table, entry: Entry, challenge: str) -> list[Cells]:
    """What the house attacks of the round answer; an attack that fails explains nothing."""
    names = Attack.objects.filter(round=table.round, kind=Attack.Kind.HOUSE).values_list("name", flat=True)
    told = []
    for name in sorted(set(names)):
        rng = table.public_rng("attack", name, entry.key)
        try:
            files = seek_with(table, table.spare_seat(), [entry], name, rng)
        except BrokenGame:
            continue
        told.append(cells_of(table.declared, MemoryBox(files), entry.key, challenge))
    return told


def _signal(
    round_: Round, evidence: Evidence, entry: Entry, other: Entry | None = None,
    attacks: tuple[Attack, Attack] | None = None,
) -> Signal:  # fmt: skip
    first, second = attacks or (None, None)
    return Signal(
        round=round_,
        kind=evidence.kind,
        entry=entry,
        other=other,
        attack=first,
        other_attack=second,
        strength=evidence.strength,
        threshold=evidence.threshold,
        detail=evidence.detail,
    )
