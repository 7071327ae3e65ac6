"""A season that is over, with given numbers instead of a play: for tests of what is told about one."""

from __future__ import annotations

from django.utils import timezone

from contest.models import Contest, Entry, Round, Standing, Team, User
from contest.records import audit
from contest.services.awards import confirm_award
from games.formats.demo import SEASON
from tests.factories import make_contest, make_round, make_team
from tests.overall_rounds import found_by, house_team, reveal, scored

TOTALS = {"practice": (62.5, 40.25), "final": (71.5, 68.25)}
"""The utility of Neko and of Usagi, of whom a quarter is found."""


def season_contest(organiser: User, seed_shift: int = 0) -> Contest:
    """Both rounds of the declared season with judged entries, and nothing revealed yet."""
    contest = make_contest(organiser, slug=SEASON.slug, title=SEASON.title)
    house = house_team(contest, "House · identity")
    neko, usagi = make_team(contest, "Neko"), make_team(contest, "Usagi")
    for position, declared in enumerate(SEASON.rounds):
        round_ = make_round(
            contest,
            slug=declared.slug,
            name=declared.name,
            position=position,
            weight=declared.weight,
            ranking=SEASON.ranking,
            attacks=["re-itemset"],
            seed=declared.seed + seed_shift,
            seeds_known=True,
        )
        plain = scored(round_, house, 100.0, 100)
        Entry.objects.filter(pk=plain.pk).update(method=SEASON.unchanged)
        best, _other = (
            scored(round_, team, utility, 25)
            for team, utility in zip((neko, usagi), TOTALS[declared.slug], strict=True)
        )
        measured = {limit["measure"]: 0.1 for limit in round_.limits}
        Entry.objects.filter(round=round_).update(measures=measured)
        run = found_by(usagi, best, 0.25)
        run.numbers |= {"expected_hits": 25.0}
        run.save()
        _keep_record(round_, {neko: 2, usagi: 1}, {neko: 1, usagi: 2})
    return contest


def told_season(organiser: User) -> Contest:
    """The same with everything revealed, and an award for the best seeker."""
    contest = season_contest(organiser)
    reveal(contest)
    confirm_award(contest, organiser, "seeker", Team.objects.get(contest=contest, name="Usagi"))
    audit.extend_chain(contest.pk)
    return contest


def _keep_record(round_: Round, *ranks: dict[Team, int]) -> None:
    for places in ranks:
        listed = [{"team": team.pk, "rank": rank, "total": 1.0} for team, rank in places.items()]
        Standing.objects.create(round=round_, at=timezone.now(), board_version=1, places=listed)
