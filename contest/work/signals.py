"""Looking for signals of cheating among the entries and guesses of a round."""

from __future__ import annotations

from functools import partial
from typing import Any

from contest.files import vault
from contest.jobs.queue import Claim
from contest.models import Attack, AttackRun, Entry, Round, Signal
from contest.services import signals
from contest.services.datasets import load_original, load_released
from contest.services.guess_checks import game_of
from contest.work.attacks import checked_guess
from contest.work.game_signals import look_for_game_signals
from games.formats.attacks import run_attack as make_guess
from games.formats.signals import search


def look_for_signals(claim: Claim) -> None:
    """Compare all official entries and all guesses at them; only the truth separates mistakes from hits."""
    round_ = Round.objects.select_related("contest", "dataset", "game").get(pk=claim.job.payload["round"])
    if round_.game_id is not None:
        look_for_game_signals(claim, round_)
        return
    original = load_original(round_.dataset)
    found: list[Signal] = []
    official = Entry.objects.filter(round=round_, is_official=True).select_related("team", "round__dataset")
    for entry in official.order_by("pk"):
        found += [_signal(round_, it) for it in search.climbers(entry.pk, _histories(entry))]
    entries = {it.pk: it for it in official.filter(team__is_house=False).order_by("pk")}
    for number, entry in enumerate(entries.values()):
        claim.report(80 * number // max(1, len(entries)), entry.team.name)
        truth = vault.truth_of(entry)
        lit = [*search.entries_alone(original, load_released(entry), truth, entry.pk)]
        lit += search.pairs_of_guesses(entry.pk, truth, _guesses_at(entry), partial(_house_guesses, entry))
        found += [_signal(round_, it) for it in lit]
    claim.report(85, "comparing the entries")
    loaders = {key: partial(load_released, entry) for key, entry in entries.items()}
    found += [_signal(round_, it) for it in search.pairs_of_entries(original, loaders)]
    signals.record_signals(claim, round_, found)


def _guesses_at(entry: Entry) -> dict[int, Any]:
    """The newest judged guess of every team at an entry, by attack."""
    return {attack: rows for attack, rows, _ in (history[-1] for history in _histories(entry))}


def _histories(entry: Entry) -> list[list[tuple[int, Any, int]]]:
    """What each team sent at an entry and was judged: attack, rows of the guess and hits, in order."""
    game, target = game_of(entry)
    runs = AttackRun.objects.filter(entry=entry, state=AttackRun.State.DONE, attack__is_dry_run=False)
    runs = runs.exclude(attack__kind=Attack.Kind.HOUSE).exclude(answer_sha256="").order_by("attack__pk")
    histories: dict[int | None, list[tuple[int, Any, int]]] = {}
    for run in runs.select_related("attack"):
        guess, _ = checked_guess(run, game, target)
        if guess is not None:
            history = histories.setdefault(run.attack.team_id, [])
            history.append((run.attack_id, guess.rows, run.hits or 0))
    return list(histories.values())


def _house_guesses(entry: Entry) -> list[Any]:
    names = Attack.objects.filter(round=entry.round, kind=Attack.Kind.HOUSE).values_list("name", flat=True)
    original, released = load_original(entry.round.dataset), load_released(entry)
    return [make_guess(name, original, released, entry.round.seed).rows for name in names]


def _signal(round_: Round, lit: search.Lit) -> Signal:
    first, second = lit.attacks or (None, None)
    return Signal(
        round=round_,
        kind=lit.evidence.kind,
        entry_id=lit.entry,
        other_id=lit.other,
        attack_id=first,
        other_attack_id=second,
        strength=lit.evidence.strength,
        threshold=lit.evidence.threshold,
        detail=lit.evidence.detail,
    )
