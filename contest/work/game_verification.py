"""Measure, judge and count a round that is played by a game again, and compare; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from contest.errors import Refused
from contest.files import vault
from contest.files.storage import published, submitted
from contest.models import Attack, AttackRun, Entry, Illustration, Round, Score, Sealed, StoredBoard
from contest.play.counting import counted_boards
from contest.play.evidence import evidence_hash
from contest.play.pictures import digest, illustrated_entry
from contest.play.table import Table
from contest.services.attacks import strongest_run
from contest.services.trials import facts_of_run
from contest.work.game_entries import judged_target, measured
from contest.work.recounts import Recount
from contest.work.trials import GIVEN, facts_of_result
from games.loading import NoGame

RELATED = ("attack__team", "attack__round", "entry__team", "entry__round")


def recount_game(found: Recount, round_: Round, on_progress: Callable[[str], None]) -> None:
    """Every entry, every answer, every house attack and every final board."""
    try:
        table = Table(round_)
        table.game  # noqa: B018 (loads the game)
    except (NoGame, Refused) as error:
        found.skip(f"round {round_.slug}, whose game cannot be played here ({error})")
        return
    for entry in Entry.objects.filter(round=round_).select_related("team").order_by("pk"):
        on_progress(f"{round_.slug}: {entry}")
        entry.round = round_
        _recount_entry(found, table, entry)
    runs = AttackRun.objects.filter(entry__round=round_, state=AttackRun.State.DONE)
    ordered = runs.select_related(*RELATED).order_by("attack_id", "pk")
    for attack, group in groupby(ordered, key=lambda run: run.attack):
        on_progress(f"{round_.slug}: {attack}")
        _recount_attack(found, table, attack, list(group))
    _recount_boards(found, table)


def _recount_entry(found: Recount, table: Table, entry: Entry) -> None:
    best = strongest_run(entry)
    if entry.risk is not None:
        found.compare("strongest attack", str(entry), best.risk if best else None, entry.risk)
    scores = Score.objects.filter(entry=entry, game=table.package.identity)
    if entry.is_brought or not entry.measures:
        return
    if not _has_files(entry) or not vault.exists(entry.upload_sha256):
        found.skip("measures of an entry whose files are withheld")
        return
    target = judged_target(table, entry)
    figures, verdict = measured(table, target)
    for name, value in entry.measures.items():
        found.compare("measure", f"{entry}, {name}", figures.get(name), value)
    for score in scores:
        found.compare("score", f"{entry}, {score.measure}", figures.get(score.measure), score.value)
    state = Entry.State.INVALID if verdict.because else Entry.State.VALID
    found.compare("verdict", str(entry), (state, verdict.utility), (entry.state, entry.utility))
    found.compare("parts", str(entry), dict(verdict.parts), entry.parts)
    stored = Illustration.objects.filter(entry=entry).first()
    if stored is not None:
        found.compare(
            "pictures", str(entry), digest(illustrated_entry(table, target).drawn), digest(stored.drawn)
        )


def _recount_attack(found: Recount, table: Table, attack: Attack, runs: list[AttackRun]) -> None:
    """All that one attack was judged to have found; of what is withheld nothing can be judged."""
    own = [run for run in runs if _has_files(run.entry) and _has_answer(attack, run)]
    for _ in range(len(runs) - len(own)):
        found.skip("attack whose files are withheld")
    for run in own:
        run.entry.round = table.round
    if not own:
        return
    if attack.kind == Attack.Kind.HOUSE and not _is_declared(table, attack):
        found.skip("attack of an older version")
        return
    results = GIVEN[Attack.Kind(attack.kind)](table, attack, own)
    for run in own:
        where = f"{run}, {run.challenge}"
        result, pictures = results[run.pk]
        expected, today = facts_of_run(run), facts_of_result(result)
        numbers = (today.pop("numbers"), expected.pop("numbers"))
        for name, value in expected.items():
            found.compare(name, where, today[name], value)
        for name in sorted(set().union(*numbers)):
            found.compare(name, where, numbers[0].get(name), numbers[1].get(name))
        found.compare("evidence", where, evidence_hash(result), run.evidence_sha256)
        stored = Illustration.objects.filter(run=run).first()
        if stored is not None:
            found.compare("pictures", where, digest(pictures.drawn), digest(stored.drawn))


def _is_declared(table: Table, attack: Attack) -> bool:
    return any((one.name, one.version) == (attack.name, attack.version) for one in table.declared.attacks)


def _has_files(entry: Entry) -> bool:
    sealed = Sealed.objects.filter(entry=entry).values_list("sha256", flat=True)
    return all(map(published.exists, entry.published.values())) and all(map(vault.exists, sealed))


def _has_answer(attack: Attack, run: AttackRun) -> bool:
    if attack.kind == Attack.Kind.HOUSE:
        return True
    sent = attack.upload_sha256 if attack.kind == Attack.Kind.GUESS else run.answer_sha256
    return submitted.exists(sent)


def _recount_boards(found: Recount, table: Table) -> None:
    stored = StoredBoard.objects.filter(round=table.round, view=StoredBoard.View.FINAL)
    if not stored.exists():
        return
    kept = AttackRun.objects.filter(entry__round=table.round).exclude(evidence_sha256="")
    if not all(map(vault.exists, kept.values_list("evidence_sha256", flat=True).distinct())):
        found.skip(f"boards of {table.round.slug}, because evidence is withheld")
        return
    today = {board["name"]: board for board in counted_boards(table, everything=True)}
    expected = {board.name: board for board in stored}
    found.compare("names of boards", table.round.slug, sorted(today), sorted(expected))
    for name in sorted(set(today) & set(expected)):
        _recount_board(found, f"{table.round.slug}, {name}", today[name], expected[name])


def _recount_board(found: Recount, where: str, today: dict[str, Any], stored: StoredBoard) -> None:
    found.compare("columns of a board", where, today["columns"], stored.columns)
    rows = {row["key"]: row for row in today["rows"]}
    found.compare("rows of a board", where, list(rows), [row["key"] for row in stored.rows])
    for row in stored.rows:
        now = rows.get(row["key"], {})
        found.compare("place", f"{where}, {row['key']}", now.get("place"), row["place"])
        for name, value in row["values"].items():
            found.compare(name, f"{where}, {row['key']}", now.get("values", {}).get(name), value)
