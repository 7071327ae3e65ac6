"""Making what teams asked the house for. Nothing is written before all of it is made."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.utils import translation

from anonymizers.anonymizer import ParameterError
from anonymizers.release import CannotProtect
from contest.errors import Refused
from contest.jobs.queue import READING_TABLES, Claim
from contest.models import Entry, Seat, TeamOrder
from contest.play.house import hide_with, seek_with
from contest.play.table import Table, moment_of
from contest.play.uploads import answer_files, entry_files
from contest.services import attacks, team_orders
from contest.services.datasets import load_original, load_released
from contest.work.bounds import TookTooLong, bounded
from games.apart import SECONDS
from games.formats.attacks import run_attack
from games.formats.guess_files import guess_file
from games.formats.limits import upper_limits
from games.formats.methods import run_anonymizer
from games.rehearsal import generator
from scoring.rules import Limit

MORE_BYTES = 4 << 30
"""Memory that such work may take, beside what the worker has."""
RELATED = ("team", "requested_by", "round__contest", "round__dataset", "round__game")


def make_order(claim: Claim) -> None:
    order = TeamOrder.objects.select_related(*RELATED).get(job=claim.job)
    if order.is_final:
        with claim.finish():
            return
    claim.report(5, READING_TABLES())
    try:
        with bounded(SECONDS, MORE_BYTES):
            files = _made(claim, order)
    except CannotProtect as error:
        team_orders.refuse_order(claim, order, team_orders.CANNOT_PROTECT(why=str(error)))
    except ParameterError as error:
        team_orders.refuse_order(claim, order, error.message)
    except TookTooLong:
        team_orders.refuse_order(claim, order, team_orders.TOO_LONG(seconds=SECONDS))
    except MemoryError:
        team_orders.refuse_order(claim, order, team_orders.TOO_LARGE())
    else:
        _record(claim, order, files)


def _record(claim: Claim, order: TeamOrder, files: dict[str, bytes]) -> None:
    if not files:
        team_orders.refuse_order(claim, order, team_orders.NO_FILE())
        return
    try:
        with translation.override(order.language):
            team_orders.record_files(claim, order, files)
    except Refused as refusal:
        team_orders.refuse_order(claim, order, refusal.text)


def _made(claim: Claim, order: TeamOrder) -> dict[str, bytes]:
    is_game = order.round.game_id is not None
    if order.what == TeamOrder.What.ENTRY:
        return _hidden_by_game(claim, order) if is_game else _hidden(claim, order)
    # Of the targets that were named, those that are still targets.
    wanted = set(order.targets)
    targets = [entry for entry in attacks.targets_of(order.round, order.team) if entry.pk in wanted]
    for entry in targets:
        entry.round = order.round
    return _sought_by_game(claim, order, targets) if is_game else _sought(claim, order, targets)


def _hidden(claim: Claim, order: TeamOrder) -> dict[str, bytes]:
    dataset = order.round.dataset
    limits = upper_limits(Limit(**limit) for limit in order.round.limits)
    original = load_original(dataset)
    claim.report(20, order.method)
    made = run_anonymizer(order.method, original, limits, order.seed, order.parameters)
    with tempfile.TemporaryDirectory() as folder:
        dataset.spec.write_entry(Path(folder), made.release)
        return {name: (Path(folder) / name).read_bytes() for name in dataset.spec.upload_names}


def _hidden_by_game(claim: Claim, order: TeamOrder) -> dict[str, bytes]:
    table = Table(order.round)
    claim.report(20, order.method)
    rng = generator(str(order.seed), "anonymize", order.method)
    made = hide_with(table, _seat(order), order.method, order.parameters, rng)
    names = entry_files(table.declared, order.slot)
    return {name: content for name, content in made.items() if name in names}


def _sought(claim: Claim, order: TeamOrder, targets: list[Entry]) -> dict[str, bytes]:
    """A guess per target, as a file of a team says it: without what only the judge of house attacks reads."""
    spec, original = order.round.dataset.format, load_original(order.round.dataset)
    files = {}
    for place, entry in enumerate(targets):
        claim.report(10 + 80 * place // len(targets), order.method)
        released = load_released(entry)
        guess = run_attack(order.method, original, released, order.seed)
        files[f"{entry.pk}.csv"] = guess_file(spec, guess, original, released)
    return files


def _sought_by_game(claim: Claim, order: TeamOrder, targets: list[Entry]) -> dict[str, bytes]:
    table = Table(order.round)
    claim.report(20, order.method)
    rng = generator(str(order.seed), "attack", order.method)
    # The team reads what is made, so it is made from what the team may read now.
    moment = moment_of(order.round) or "open"
    made = seek_with(table, _seat(order), targets, order.method, rng, moment)
    names = answer_files(table.declared, [entry.key for entry in targets])
    return {name: content for name, content in made.items() if name in names}


def _seat(order: TeamOrder) -> Seat | None:
    return Seat.objects.filter(round=order.round, team=order.team).select_related("team").first()
