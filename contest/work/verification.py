"""Measure and judge a whole contest again and compare every number; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable

from contest.board import queries
from contest.files import vault
from contest.files.storage import published, submitted
from contest.models import Attack, AttackRun, Commitment, Contest, Entry, Round, Score
from contest.services.attacks import strongest_run
from contest.services.commitments import verify_commitment
from contest.work.attacks import judge_again
from contest.work.entries import measure_again
from contest.work.game_verification import recount_game
from contest.work.overall_verification import recount_awards
from contest.work.recounts import Recount
from games.formats.attacks import attack as find_attack
from games.formats.limits import judged
from games.formats.measures import measure as find_measure
from scoring.measure import Measurement
from scoring.rules import Limit

BOUNDS = ("low", "high", "baseline")


def recount(contest: Contest, on_progress: Callable[[str], None] = lambda text: None) -> Recount:
    """Measure every scored entry, judge every attack, rank every board, open every commitment again."""
    found = Recount()
    for round_ in contest.rounds.select_related("dataset", "contest", "game"):
        if round_.game_id is not None:
            recount_game(found, round_, on_progress)
            _open_commitments(found, round_)
            continue
        related = ("round__contest", "round__dataset", "team")
        for entry in Entry.objects.filter(round=round_).select_related(*related).order_by("pk"):
            on_progress(f"{round_.slug}: {entry}")
            _recount_entry(found, entry)
        runs = AttackRun.objects.filter(entry__round=round_, state=AttackRun.State.DONE)
        for run in runs.select_related("attack__team", *(f"entry__{name}" for name in related)).order_by(
            "pk"
        ):
            on_progress(f"{round_.slug}: {run}")
            _recount_run(found, run)
        _recount_risks(found, round_)
        _open_commitments(found, round_)
    recount_awards(found, contest)
    return found


def _open_commitments(found: Recount, round_: Round) -> None:
    for commitment in Commitment.objects.filter(round=round_, revealed_at__isnull=False):
        verified = verify_commitment(commitment)
        found.compare("commitment", str(commitment), verified.differences, ())


def _recount_entry(found: Recount, entry: Entry) -> None:
    scores = {score.measure: score for score in Score.objects.filter(entry=entry).order_by("version")}
    if not scores:
        return
    if not _has_files(entry):
        found.skip("measures of an entry whose files are withheld")
        return
    today = {name: score for name, score in scores.items() if score.version == find_measure(name).version}
    for _ in range(len(scores) - len(today)):
        found.skip("measure of an older version of the scorer")
    measured = measure_again(entry, list(today))
    for name, score in today.items():
        found.compare("measure", f"{entry}, {name}", measured[name].value, score.value)
    limits = [Limit(**limit) for limit in entry.round.limits]
    if {limit.measure for limit in limits} <= set(measured):
        verdict = judged({name: Measurement(result.value) for name, result in measured.items()}, limits)
        state = Entry.State.VALID if verdict.valid else Entry.State.INVALID
        found.compare("verdict", str(entry), (state, verdict.score), (entry.state, entry.utility))


def _recount_run(found: Recount, run: AttackRun) -> None:
    attack = run.attack
    if not _has_files(run.entry) or (run.answer_sha256 and not submitted.exists(run.answer_sha256)):
        found.skip("attack whose files are withheld")
        return
    if attack.kind == Attack.Kind.HOUSE and find_attack(attack.name).version != attack.version:
        found.skip("attack of an older version")
        return
    outcome = judge_again(run)
    found.compare("risk", str(run), outcome.judgement.rate, run.risk)
    for name in BOUNDS:
        found.compare(name, str(run), getattr(outcome.judgement, name), getattr(run, name))
    for name, number in run.numbers.items():
        found.compare(name, str(run), outcome.numbers.get(name), number)


def _recount_risks(found: Recount, round_: Round) -> None:
    """The most hits that the board shows are those of the strongest attack that was judged."""
    for _, entry in queries.places(round_, show_attacks=True):
        best = strongest_run(entry)
        if entry.hits is not None:
            found.compare("most hits", str(entry), best.hits if best else None, entry.hits)


def _has_files(entry: Entry) -> bool:
    truth = vault.truth_name(entry)
    return all(map(published.exists, entry.published.values())) and bool(truth) and vault.exists(truth)
