"""The teams of the demo play: the next move when the last one has been judged, as teams do it.

Nothing is back-dated and nobody looks at a truth: a team makes its entries from the public data, reads its
targets as any attacker does, and waits for the judge. The places are recorded after each move.
"""

from __future__ import annotations

import io
import logging
import tempfile
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from attacks.sandbox import examine
from contest.board import queries
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored, submitted
from contest.models import Attack, Entry, Round, Team, User
from contest.services.attacks import targets_of
from contest.services.datasets import load_original, load_released
from contest.services.entries import submit_entry
from contest.services.standings_history import record_standing
from contest.services.team_attacks import submit_guesses, submit_program
from games.formats.demo import STORY, Guess, Hide, Move, Program, chained, guessed
from games.formats.limits import upper_limits
from scoring.rules import Limit

logger = logging.getLogger(__name__)


def play_on() -> bool:
    """Play the next move, unless the last one is still being judged; False when no move is left.

    The rows say which moves were played, so a play that was stopped continues where it was.
    """
    rounds = Round.objects.filter(slug=STORY.round_slug, contest__slug=STORY.slug)
    round_ = rounds.select_related("contest", "dataset").first()
    teams = _teams(round_) if round_ else {}
    if round_ is None or len(teams) < len(STORY.teams):
        return False
    if queries.unsettled_entries(round_).filter(team__is_house=False).exists():
        return True
    record_standing(round_)
    place = _next_place(round_, teams)
    if place is None:
        return False
    try:
        move = STORY.moves[place]
        play_move(round_, teams[move.team], move, STORY.seed + place)
    except Refused as refused:
        # Somebody has locked a team, closed the round or used up the day: the play ends there.
        logger.warning("the demo's play ends: %s", refused.text)
        return False
    return True


def _teams(round_: Round) -> dict[str, Team]:
    found = {team.name: team for team in round_.contest.teams.filter(is_house=False)}
    return {user: found[name] for user, name in STORY.teams.items() if name in found}


def _next_place(round_: Round, teams: dict[str, Team]) -> int | None:
    """The first move of a team and kind that has fewer rows than moves; programs only where they can run."""
    before: dict[tuple[str, type], int] = {}
    for place, move in enumerate(STORY.moves):
        key = (move.team, type(move))
        before[key] = before.get(key, 0) + 1
        if _played(round_, teams[move.team], move) >= before[key]:
            continue
        if not isinstance(move, Program) or _programs_run():
            return place
    return None


def _programs_run() -> bool:
    return examine(settings.SANDBOX, accept_uncounted=settings.ACCEPT_UNCOUNTED_PROGRAMS).ok


def _played(round_: Round, team: Team, move: Move) -> int:
    if isinstance(move, Hide):
        return Entry.objects.filter(round=round_, team=team).count()
    kind = Attack.Kind.GUESS if isinstance(move, Guess) else Attack.Kind.PROGRAM
    return Attack.objects.filter(round=round_, team=team, kind=kind, is_dry_run=False).count()


def play_move(round_: Round, team: Team, move: Move, seed: int) -> None:
    """Hand in what a team makes in one move."""
    user = team.memberships.select_related("user").order_by("pk")[0].user
    if isinstance(move, Hide):
        submit_entry(round_, team, user, _made(round_, move, seed), note=move.note)
    elif isinstance(move, Guess):
        _guess(round_, team, user, move, seed)
    else:
        with move.path.open("rb") as file:
            submit_program(round_, team, user, submitted.put(file), note=move.note)


def _made(round_: Round, move: Hide, seed: int) -> Stored:
    """The upload of an entry, made from the public data."""
    limits = upper_limits(Limit(**limit) for limit in round_.limits)
    release = chained(load_original(round_.dataset), move.steps, limits, seed)
    spec = round_.dataset.spec
    with tempfile.TemporaryDirectory() as folder:
        spec.write_entry(Path(folder), release)
        parts = {name: io.BytesIO((Path(folder) / name).read_bytes()) for name in spec.upload_names}
    return vault.keep_parts(parts, settings.UPLOAD_MAX_BYTES)


def _guess(round_: Round, team: Team, user: User, move: Guess, seed: int) -> None:
    original = load_original(round_.dataset)
    guesses: dict[int, BinaryIO] = {
        target.pk: io.BytesIO(guessed(move.attack, original, load_released(target), seed))
        for target in targets_of(round_, team)
    }
    submit_guesses(round_, team, user, guesses, note=move.note)
