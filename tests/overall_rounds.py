"""Contests of several rounds whose boards hold given numbers, for tests of what comes of all of them."""

from __future__ import annotations

import datetime
from typing import Any

from django.utils import timezone

from contest.models import Attack, AttackRun, Contest, Entry, Phase, Round, StoredBoard, Team, User
from contest.play.packages import installed_package
from contest.services.awards import confirm_award, give_award
from contest.services.board_versions import bump_board
from contest.services.tallies import store_boards
from tests.factories import make_contest, make_round, make_team, make_user
from tests.game_rounds import TOYS, make_game_round, sources_of

DAY = datetime.timedelta(days=1)


def phases(results: datetime.timedelta) -> list[tuple[Phase.Kind, datetime.datetime, datetime.datetime]]:
    """Hiding is over or open; the results phase begins that much after now."""
    now = timezone.now()
    return [
        (Phase.Kind.ANONYMISE, now - 9 * DAY, now + results),
        (Phase.Kind.RESULTS, now + results, now + 30 * DAY),
    ]


def scored(round_: Round, team: Team, utility: float, hits: int = 0) -> Entry:
    """An official entry of a hundred people with these numbers, as scoring and attacks leave it."""
    now = timezone.now()
    entry = Entry.objects.create(
        round=round_, team=team, number=1, state="valid", is_official=True, utility=utility, n_people=100,
        numbers={"hits": hits}, risk=hits / 100, upload_sha256="0" * 64, upload_bytes=1,
        received_at=now, finished_at=now,
    )  # fmt: skip
    bump_board(round_.pk)
    return entry


def house_team(contest: Contest, name: str) -> Team:
    return Team.objects.create(contest=contest, name=name, name_key=name.lower(), is_house=True)


def pair(organiser: User | None = None, **final: Any) -> tuple[Contest, Round, Round]:
    """A contest whose preliminary shows everything, and whose final is as wanted."""
    contest = make_contest(organiser or make_user("oni"), slug="both")
    first = make_round(contest, slug="first", name="First", weight=1, position=1, ranking="2024", attacks=[])
    fields = {"weight": 9, "position": 2, "ranking": "2024", "attacks": []} | final
    return contest, first, make_round(contest, slug="final", name="Final", **fields)


def board_of(
    rows: list[tuple[Team, float | None]], shown: str = "all", column: str = "total"
) -> dict[str, Any]:
    return {
        "position": 0,
        "name": "main",
        "columns": [column],
        "shown": shown,
        "rows": [
            {
                "key": team.name,
                "place": None if value is None else place,
                "values": {column: value},
                "chain": None if value is None else [float(place)],
                "kind": "house" if team.is_house else "team",
                "team": team.pk,
                "entry": None,
            }
            for place, (team, value) in enumerate(rows, start=1)
        ],
    }


def stored(round_: Round, *boards: dict[str, Any]) -> None:
    assert round_.game is not None
    store_boards(round_, round_.game, {StoredBoard.View.FINAL: boards, StoredBoard.View.LIVE: boards})
    bump_board(round_.pk)


def game_round(contest: Contest, **fields: Any) -> Round:
    return make_game_round(
        contest, installed_package("locket"), sources_of(TOYS["locket"]), is_worked_off=False, **fields
    )


def found_by(team: Team, entry: Entry, share: float) -> AttackRun:
    """A judged guess of a team that found this share of the people of an entry."""
    attack, _ = Attack.objects.get_or_create(
        round=entry.round, team=team, kind=Attack.Kind.GUESS, name="guess", version=1
    )
    return AttackRun.objects.create(
        attack=attack, entry=entry, state="done", risk=share, numbers={"hits": round(100 * share)}
    )


def reveal(contest: Contest) -> None:
    """Let the results of all rounds be out, as the clock leaves them."""
    past = timezone.now() - DAY
    Phase.objects.filter(round__contest=contest, kind=Phase.Kind.RESULTS).update(starts_at=past)
    Round.objects.filter(contest=contest).update(revealed_at=past)


def decided(organiser: User, member: User) -> Contest:
    """A contest whose results are out, with two computed awards and one of the organisers' own."""
    contest, first, final = pair(organiser)
    foxes, others = make_team(contest, "Foxes 狐組", member), make_team(contest, "Tanuki")
    make_team(contest, "Late")
    for round_ in (first, final):
        target = scored(round_, others, 72.5, 10)
        scored(round_, foxes, 60.25, 30)
        found_by(foxes, target, 0.45)
    reveal(contest)
    confirm_award(contest, organiser, "hider", others)
    confirm_award(contest, organiser, "seeker", foxes)
    titles = {"title_en": "Finest idea", "title_ja": "アイデア賞"}
    give_award(contest, organiser, foxes, **titles, text="For a new way to hide.", reason="The jury agreed.")
    return contest
