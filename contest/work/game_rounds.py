"""Making the data of a round that is played by a game: its world, its seats, the organisers' targets."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping

from contest.files import vault
from contest.files.storage import published
from contest.jobs.queue import STORING, Claim
from contest.models import GamePackage, Round, Sealed, Seat
from contest.models.round import BuildState
from contest.models.sealed import SEED
from contest.play.boxes import EMPTY, joined, public_box, sealed_box
from contest.play.table import Table, parts_of
from contest.services import game_rounds, seats
from contest.work.game_entries import publish
from datasets.problems import BadFiles
from games.contract.boxes import MemoryOut, contents
from games.contract.broken import BrokenGame
from games.contract.declaration import File
from games.contract.files import check_files
from games.contract.guard import require_facts, require_made, require_targets
from games.contract.values import Box, Target


def build(claim: Claim) -> None:
    """Make what is not made yet: the files of the round, of seats without files, and of own targets."""
    related = ("contest", "dataset", "game")
    round_ = Round.objects.select_related(*related).get(jobs=claim.job)
    assert round_.game is not None
    if round_.game.state == GamePackage.State.WAITING:
        # It is built once the game has been tried.
        with claim.finish():
            return
    if round_.game.state == GamePackage.State.BROKEN and round_.build_state != BuildState.READY:
        raise BrokenGame(game_rounds.BREAKS_LAWS(game=str(round_.game)), "build", round_.game.log)
    table = Table(round_)
    if round_.build_state != BuildState.READY:
        claim.report(10, game_rounds.BUILDING())
        _build_world(table)
        table = Table(round_)
        _build_targets(table)
    claim.report(60, STORING())
    seats.make_seats(table)
    seats.place_teams(table)
    for seat in Seat.objects.filter(round=round_, sealed=None).order_by("number"):
        _allot(table, seat)
    game_rounds.finish_build(claim, round_)


def _sources(table: Table) -> Box:
    rows = Sealed.objects.filter(round=table.round, scope=Sealed.Scope.ROUND).exclude(name=SEED)
    declared = table.declared.files_of("round", "organiser")
    brought = [row for row in rows if _is_brought(declared, row.name)]
    # Of a build that did not end, what everybody may read is public already.
    public = {name: sha for name, sha in table.round.dataset.files.items() if _is_brought(declared, name)}
    return joined(sealed_box(brought), public_box(public))


def _is_brought(declared: Iterable[File], name: str) -> bool:
    return any(file.pattern.fullmatch(name) for file in declared)


def _build_world(table: Table) -> None:
    sources, declared = _sources(table), table.declared
    brought = declared.files_of("round", "organiser")
    keys = set[str]().union(*(file.targets_in(sources.names()) for file in brought))
    checked = check_files(brought, sources, targets=tuple(sorted(keys)))
    if not checked.verdict.ok:
        raise BrokenGame(game_rounds.BAD_SOURCES(problem=str(checked.verdict.problems[0])), "build")
    made = declared.files_of("round", "build")
    out = MemoryOut(made)
    try:
        facts = table.game.build(sources, table.params, table.rng("build"), out)
    except BadFiles as error:
        raise BrokenGame(game_rounds.BAD_SOURCES(problem=str(error.verdict.problems[0])), "build") from error
    require_facts(facts)
    require_made(made, out.files)
    game_rounds.record_world(table.round, _stored(table, contents(sources), out.files, facts))


def _stored(
    table: Table, sources: Mapping[str, bytes], made: Mapping[str, bytes], facts: Mapping[str, object]
) -> game_rounds.Built:
    """Files go to the public store or to the vault; what organisers brought is in the vault already."""
    files = {**sources, **made}
    public, _ = parts_of(table.declared, "round", files)
    return game_rounds.Built(
        public={name: published.put(io.BytesIO(files[name])).sha256 for name in sorted(public)},
        secret={name: vault.keep_secret(made[name]) for name in sorted(set(made) - public)},
        facts=facts,
    )


def _build_targets(table: Table) -> None:
    targets = list(table.game.targets(table.world()))
    require_targets(targets)
    brought = []
    for key, labels in targets:
        target = Target(key, "", 0, labels, None, EMPTY, EMPTY, EMPTY)
        seen, secret = publish(table, target)
        brought.append(game_rounds.Brought(key, labels, seen, secret))
    if brought:
        game_rounds.record_targets(table.round, brought)


def _allot(table: Table, seat: Seat) -> None:
    made = table.declared.files_of("seat", "allot")
    if not made:
        return
    out = MemoryOut(made)
    table.game.allot(table.world(), seat.number, table.rng("allot", seat.number), out)
    require_made(made, out.files)
    files = {name: vault.keep_secret(content) for name, content in out.files.items()}
    game_rounds.record_seat(seat, files)
