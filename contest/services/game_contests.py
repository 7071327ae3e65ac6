"""Contests and rounds that are played by a game: one door for pages, API and bundles."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.bundle.schema import MOST_ROUNDS
from contest.errors import Refused
from contest.models import Contest, GamePackage, Phase, Round, User
from contest.names.validation import clean_slug
from contest.play.packages import declaration_of
from contest.services.contests import create_contest, taken
from contest.services.game_packages import upload_game
from contest.services.game_rounds import create_game_round
from games.contract.declaration import Declaration

DAY = datetime.timedelta(days=1)
RESULTS_DAYS = 30
"""How long the results phase of a new round lasts; organisers may move every phase."""
Span = tuple[Phase.Kind, datetime.datetime, datetime.datetime]


@dataclass(frozen=True)
class NewGameRound:
    """What organisers decide about a round before it exists. ``baselines`` are house methods with their
    parameters; with ``samples`` the house plays all others, too; ``settings`` are any others of a round."""

    name: str
    slug: str
    starts_at: datetime.datetime
    hide_days: int = 7
    seek_days: int = 7
    params: Mapping[str, Any] = field(default_factory=dict)
    rule: str = ""
    sources: Mapping[str, IO[bytes]] = field(default_factory=dict)
    baselines: Sequence[tuple[str, dict[str, Any]]] = ()
    attacks: Sequence[str] = ()
    samples: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


def create_game_contest(
    user: User, package: GamePackage, new: NewGameRound, *, slug: str, title: str, **fields: Any
) -> Contest:
    """Make a contest with its first round, all of it or nothing."""
    with transaction.atomic():
        contest = create_contest(user, slug=slug, title=title, **fields)
        add_game_round(contest, user, package, new)
    return contest


def create_upload_contest(user: User, game: IO[bytes], **fields: Any) -> Contest:
    """Make a contest that holds an uploaded game and no round yet; only its organisers see it."""
    with transaction.atomic():
        contest = create_contest(user, is_public=False, **fields)
        upload_game(contest, user, game)
    return contest


def add_game_round(contest: Contest, user: User, package: GamePackage, new: NewGameRound) -> Round:
    """Add a round that is played by an installed game or by one that was uploaded to this contest."""
    if package.contest_id not in (None, contest.pk):
        raise Refused("other-contest", _("This game was uploaded to another contest."))
    if contest.rounds.count() >= MOST_ROUNDS:
        raise Refused("too-many-rounds", _("A contest has at most %(n)s rounds.") % {"n": MOST_ROUNDS})
    slug = clean_slug(new.slug)
    last = contest.rounds.aggregate(last=Max("position"))["last"]
    try:
        with transaction.atomic():
            return create_game_round(
                contest,
                user,
                package,
                phases=phases_of(declaration_of(package), new),
                params=new.params,
                rule=new.rule,
                sources=new.sources,
                attacks=new.attacks,
                baselines=[(method, dict(parameters), None) for method, parameters in new.baselines],
                samples=new.samples,
                slug=slug,
                name=new.name,
                position=0 if last is None else last + 1,
                # A process may have cached the board of a removed round that had this address.
                board_version=int(timezone.now().timestamp()),
                **new.settings,
            )
    except IntegrityError:
        raise taken(slug) from None


def phases_of(declared: Declaration, new: NewGameRound) -> list[Span]:
    """The phases that a game needs, one after the other: hiding where teams hide, seeking, results."""
    hide = DAY * new.hide_days if declared.phases == "hide and seek" else datetime.timedelta(0)
    handed_over = new.starts_at + hide
    counted = handed_over + DAY * new.seek_days
    spans: list[Span] = [(Phase.Kind.ANONYMISE, new.starts_at, handed_over)] if hide else []
    spans.append((Phase.Kind.ATTACK, handed_over, counted))
    spans.append((Phase.Kind.RESULTS, counted, counted + DAY * RESULTS_DAYS))
    return spans
