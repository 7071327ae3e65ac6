"""Everything in rounds of games that somebody must not read, replaced by marks that are found again.

Who may read what is written here once more, from the declarations of the games and from docs/games.md, not
with the code that decides it.
"""

from __future__ import annotations

import hashlib
import io
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.utils import timezone

from contest.files import vault
from contest.files.storage import published
from contest.jobs.queue import GAME_FAILED
from contest.models import (
    Attack,
    AttackRun,
    Commitment,
    Dataset,
    Entry,
    GamePackage,
    Job,
    Phase,
    Round,
    Sealed,
    StoredBoard,
    Trial,
)
from contest.models.sealed import SEED
from contest.play.packages import declaration_of
from games.contract.declaration import File
from tests.security.game_world import GameWorld

MOMENTS = ("open", "publish", "reveal", "never")
ORGANISER = "organiser"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Secret:
    """``may`` says whether a role may read it in the phase that the world is in."""

    what: str
    marks: tuple[bytes, ...]
    may: Callable[[str], bool]


def text_mark() -> str:
    return f"poison-{next(_numbers)}-poison"


def hash_mark() -> str:
    return hashlib.sha256(text_mark().encode()).hexdigest()


def poison(world: GameWorld) -> list[Secret]:
    """Replace every secret of all rounds; pages and downloads still work."""
    found = [secret for round_ in world.rounds.values() for secret in _of_round(world, round_)]
    return [*found, *_of_contest(world)]


def _of_round(world: GameWorld, round_: Round) -> Iterator[Secret]:
    yield from _sealed_files(world, round_)
    yield from _public_files(world, round_)
    yield from _entries(world, round_)
    yield from _attacks(world, round_)
    yield from _boards(world, round_)
    log, seed = text_mark(), 4_000_000_000_000_000 + next(_numbers)
    Round.objects.filter(pk=round_.pk).update(build_log=log, seed=seed)
    yield Secret(f"the build log of {round_}", (log.encode(),), organisers)
    yield Secret(
        f"the seed of {round_}",
        (str(seed).encode(),),
        lambda role: role == ORGANISER or world.phase == "revealed",
    )
    yield from _commitments(round_)


def organisers(role: str) -> bool:
    return role == ORGANISER


def nobody(_role: str) -> bool:
    return False


def owners(world: GameWorld, team: int | None) -> Callable[[str], bool]:
    return lambda role: role == ORGANISER or world.own(role, team)


def moment(world: GameWorld, round_: Round, role: str) -> str | None:
    """How far a round is for somebody: organisers see before it begins what is public then."""
    hides = Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).exists()
    begun = {"before": False, "anonymise": hides}.get(world.phase, True)
    names = {"before": "open", "anonymise": "open", "attack": "publish", "results": "publish"}
    return names.get(world.phase, "reveal") if begun or role == ORGANISER else None


def reached(shown: str, now: str | None) -> bool:
    return now is not None and shown != "never" and MOMENTS.index(shown) <= MOMENTS.index(now)


def _declared(round_: Round, name: str, scope: str) -> File:
    assert round_.game is not None
    file = declaration_of(round_.game).file(name, scope)  # type: ignore[arg-type]
    assert file is not None, name
    return file


def _sealed_files(world: GameWorld, round_: Round) -> Iterator[Secret]:
    for row in Sealed.objects.filter(round=round_).select_related("seat", "entry"):
        mark = text_mark().encode()
        sha256 = vault.keep_secret(mark).sha256
        Sealed.objects.filter(pk=row.pk).update(sha256=sha256)
        yield Secret(f"{row.scope} file {row}", (mark, sha256.encode()), _reader_of(world, round_, row))


def _reader_of(world: GameWorld, round_: Round, row: Sealed) -> Callable[[str], bool]:
    if row.name == SEED:
        return nobody
    shown = _declared(round_, row.name, row.scope).shown
    team = row.seat.team_id if row.seat else row.entry.team_id if row.entry else None

    def may(role: str) -> bool:
        now = moment(world, round_, role)
        is_own = team is not None and world.own(role, team)
        return reached(shown.all, now) or (is_own and reached(shown.team, now))

    return may


def _public_files(world: GameWorld, round_: Round) -> Iterator[Secret]:
    """Files in the public store, which are public from a moment on: of the round, and of entries."""
    files = {}
    for name in round_.dataset.files:
        files[name], secret = _stored(f"{round_} file {name}", _of_all(world, round_, name))
        yield secret
    Dataset.objects.filter(pk=round_.dataset_id).update(files=files)
    for entry in Entry.objects.filter(round=round_).exclude(published={}):
        files = {}
        for name in entry.published:
            files[name], secret = _stored(f"{entry} file {name}", _of_entry(world, round_, entry, name))
            yield secret
        Entry.objects.filter(pk=entry.pk).update(published=files)


def _stored(what: str, may: Callable[[str], bool]) -> tuple[str, Secret]:
    mark = text_mark().encode()
    sha256 = published.put(io.BytesIO(mark)).sha256
    return sha256, Secret(what, (mark, sha256.encode()), may)


def _of_all(world: GameWorld, round_: Round, name: str) -> Callable[[str], bool]:
    shown = _declared(round_, name, "round").shown
    return lambda role: reached(shown.all, moment(world, round_, role))


def _of_entry(world: GameWorld, round_: Round, entry: Entry, name: str) -> Callable[[str], bool]:
    """Attackers read what is published of official entries; a team what is declared of its own ones."""
    shown = _declared(round_, name, "entry").shown

    def may(role: str) -> bool:
        now = moment(world, round_, role)
        is_seen = role == ORGANISER or (
            entry.is_official and world.phase in ("attack", "results", "revealed")
        )
        return (is_seen and reached(shown.all, now)) or (
            world.own(role, entry.team_id) and reached(shown.team, now)
        )

    return may


def _entries(world: GameWorld, round_: Round) -> Iterator[Secret]:
    """What belongs to a team alone: notes, hashes of uploads and programs, logs, what was wrong."""
    for entry in Entry.objects.filter(round=round_):
        texts = {name: text_mark() for name in ("note", "program_log", "mark_reason")}
        # What organisers bring has no upload, and is known by that.
        names = ("upload_sha256",) * bool(entry.upload_sha256) + ("inputs_sha256", "made_sha256")
        hashes = {name: hash_mark() for name in names}
        problem = text_mark()
        told = {"file": problem, "line": 3, "column": "x", "code": "x", "got": problem, "expected": problem}
        Entry.objects.filter(pk=entry.pk).update(**texts, **hashes, problems=[told], problem_total=1)
        marks = [*texts.values(), *hashes.values(), problem]
        yield Secret(f"what is the team's own of {entry}", _bytes(marks), owners(world, entry.team_id))
    for job in Job.objects.filter(entry__round=round_):
        yield _error_of(job)


def _bytes(marks: list[str]) -> tuple[bytes, ...]:
    return tuple(mark.encode() for mark in marks)


def _error_of(job: Job) -> Secret:
    mark = text_mark()
    Job.objects.filter(pk=job.pk).update(error=mark, reason=GAME_FAILED())
    return Secret(f"the traceback of {job.kind} {job.pk}", (mark.encode(),), organisers)


def _attacks(world: GameWorld, round_: Round) -> Iterator[Secret]:
    for attack in Attack.objects.filter(round=round_):
        texts = {"note": text_mark()}
        hashes = {name: hash_mark() for name in ("upload_sha256", "program_sha256")}
        problem = text_mark()
        told = {"file": problem, "line": 3, "column": "x", "code": "x", "got": problem, "expected": problem}
        Attack.objects.filter(pk=attack.pk).update(**texts, **hashes, problems=[told], problem_total=1)
        yield Secret(
            f"what is the team's own of {attack.kind} {attack.pk}",
            _bytes([*texts.values(), *hashes.values(), problem]),
            owners(world, attack.team_id),
        )
        yield from _runs(world, attack)
    for job in Job.objects.filter(attack__round=round_):
        yield _error_of(job)


def _runs(world: GameWorld, attack: Attack) -> Iterator[Secret]:
    for run in AttackRun.objects.filter(attack=attack):
        log, reason, answered, evidence = text_mark(), text_mark(), hash_mark(), hash_mark()
        AttackRun.objects.filter(pk=run.pk).update(
            log=log,
            reason=reason,
            answer_sha256=answered,
            evidence_sha256=evidence,
            found_rows=[900_000 + next(_numbers)],
        )
        yield Secret(
            f"log, reason and answer of run {run.pk}",
            _bytes([log, reason, answered]),
            owners(world, attack.team_id),
        )
        yield Secret(f"the evidence of run {run.pk}", _bytes([evidence]), nobody)


def _boards(world: GameWorld, round_: Round) -> Iterator[Secret]:
    """Every stored view gets a board for organisers, one of which everybody reads the own row, and a mark of
    its own; what attacks found waits for the results."""
    assert round_.game is not None
    after = ("results", "revealed")
    for view, from_when in (("live", None), ("final", after), ("trial", ())):
        every, secret = text_mark(), text_mark()
        rows = {team.pk: text_mark() for team in world.teams.values()}
        own = [_row(key, team) for team, key in rows.items()]
        for name, shown, board in (
            ("all", "all", [_row(every, None)]),
            ("secret", "organisers", [_row(secret, None)]),
            ("own", "own row", own),
        ):
            StoredBoard.objects.update_or_create(
                round=round_,
                view=view,
                name=f"{name}-marked",
                defaults={
                    "position": 90,
                    "game": round_.game,
                    "shown": shown,
                    "columns": ["value"],
                    "rows": board,
                    "made_at": timezone.now(),
                },
            )

        def is_out(when: tuple[str, ...] | None = from_when) -> bool:
            return when is None or world.phase in when

        if view != "live":
            yield Secret(
                f"the {view} board of {round_}",
                _bytes([every]),
                lambda role, out=is_out: role == ORGANISER or out(),
            )
        yield Secret(f"the organisers' {view} board of {round_}", _bytes([secret]), organisers)
        for team, key in rows.items():
            yield Secret(
                f"the own row of team {team} on the {view} board of {round_}",
                _bytes([key]),
                lambda role, team=team, out=is_out: role == ORGANISER or (world.own(role, team) and out()),
            )


def _row(key: str, team: int | None) -> dict[str, object]:
    values = {"value": 1.0}
    return {
        "key": key,
        "place": 1,
        "values": values,
        "chain": [1.0],
        "kind": "team",
        "team": team,
        "entry": None,
    }


def _commitments(round_: Round) -> Iterator[Secret]:
    for row in Commitment.objects.filter(round=round_, revealed_at=None):
        mark = text_mark()
        Commitment.objects.filter(pk=row.pk).update(payload=mark)
        yield Secret(f"what is committed: {row.what} of {round_}", (mark.encode(),), nobody)


def _of_contest(world: GameWorld) -> Iterator[Secret]:
    """Uploaded games and trials of them, jobs, and a contest of somebody else."""
    contest = next(iter(world.rounds.values())).contest
    for package in GamePackage.objects.filter(contest=contest):
        log, finding, zip_hash = text_mark(), text_mark(), package.zip_sha256
        found = [{"law": "examples", "holds": False, "detail": finding}]
        GamePackage.objects.filter(pk=package.pk).update(log=log, findings=found)
        yield Secret(f"log and findings of {package}", _bytes([log, finding, zip_hash]), organisers)
    for trial in Trial.objects.filter(round__contest=contest):
        log, name = text_mark(), text_mark()
        told = {"entries": [], "runs": [], "places": [], "boards": [], "note": name}
        Trial.objects.filter(pk=trial.pk).update(log=log, results=told)
        yield Secret(f"trial {trial.pk}", _bytes([log, name]), organisers)
    for job in Job.objects.filter(round__contest=contest):
        yield _error_of(job)
    if world.hidden is not None:
        marks = [world.hidden.slug, world.hidden.contest.slug, "hidden-game"]
        yield Secret("a contest of somebody else", _bytes(marks), lambda role: role == "stranger")
        for row in Sealed.objects.filter(round=world.hidden):
            mark = text_mark().encode()
            Sealed.objects.filter(pk=row.pk).update(sha256=vault.keep_secret(mark).sha256)
            yield Secret(f"a secret of somebody else's round: {row.name}", (mark,), nobody)
    mails = [person.email for role, person in world.people.items() if role in world.teams]
    yield Secret("addresses of players", _bytes(mails), lambda role: role in (ORGANISER, *world.teams))


def replace_hidden_results(world: GameWorld) -> None:
    """Other results everywhere: of runs, of entries, and on the boards that count them."""
    keys = [round_.pk for round_ in world.rounds.values()]
    for run in AttackRun.objects.filter(attack__round__in=keys):
        numbers = dict.fromkeys(run.numbers, 0.123)
        AttackRun.objects.filter(pk=run.pk).update(
            risk=0.5833, low=0.31, high=0.81, baseline=0.07, numbers=numbers, seconds=9.75
        )
    Entry.objects.filter(round__in=keys).update(
        risk=0.5833, numbers={"right": 0.123}, strongest_attack="re-replaced"
    )
    for board in StoredBoard.objects.filter(round__in=keys).exclude(view="live"):
        rows = [{**row, "place": 77, "values": dict.fromkeys(row["values"], 0.4321)} for row in board.rows]
        StoredBoard.objects.filter(pk=board.pk).update(rows=rows, made_at=timezone.now())
    Round.objects.filter(pk__in=keys).update(full_version=10**6)
