"""The order in which rows are locked. All code follows it, so that nobody waits for each other in a circle.

0. words, where there is no row to lock: who tries something that has a rate limit;
1. the job whose end is written together with its outcome (`jobs.Claim.finish`, `jobs.put_back`);
2. teams, by primary key;
3. a person, then that person's links, log-ins and memberships;
4. the contest;
5. the phases of a round, by primary key; attacks, then their runs, by primary key;
6. the entries of a round, by primary key;
7. the round, whose row every change of a board ends with (`board_versions.bump_board`);
8. what depends on the round: its commitments, its re-score, its house orders.

An action on several rounds goes from 6 to 8 for one after the other. The end of an audit chain is locked
alone, after the commit.

None of these locks holds the key of its row, so that a new row that refers to it need not wait. The key is
locked by changes of an address or a name. PostgreSQL looks at it when others commit, after all their
locks; so it is changed last, when all other locks are held.
"""

from __future__ import annotations

import hashlib

from django.db import connection
from django.db.models import QuerySet

from contest.models import Contest, Entry, Membership, Phase, Round, Team, User


def lock_words(*words: str) -> None:
    """Actions on the same words run one after the other. SQLite lets one writer in at a time anyway."""
    if connection.vendor != "postgresql":
        return
    digests = (hashlib.sha256(word.encode()).digest() for word in words)
    with connection.cursor() as cursor:
        for number in sorted(int.from_bytes(digest[:8], "big", signed=True) for digest in digests):
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def lock_team(team_id: int) -> Team:
    """Actions of one team run one after the other from here, so that a limit cannot be exceeded. Its contest,
    whose settings bound what it may do, is read with it and not locked."""
    teams = Team.objects.select_for_update(of=("self",), no_key=True).select_related("contest")
    return teams.get(pk=team_id)


def lock_teams(contest_id: int) -> None:
    """With all these locks held, what teams did before is visible, and they do nothing more meanwhile."""
    _take(Team.objects.filter(contest=contest_id))


def lock_teams_of(user_id: int) -> None:
    """The teams in which somebody plays."""
    _take(Team.objects.filter(pk__in=Membership.objects.filter(user=user_id).values("team")))


def lock_person(user_id: int) -> User:
    return User.objects.select_for_update(no_key=True).get(pk=user_id)


def lock_contest(contest_id: int) -> Contest:
    """The contest as it is now; its settings stay as they are until the transaction ends."""
    return Contest.objects.select_for_update(no_key=True).get(pk=contest_id)


def lock_phases(round_id: int) -> None:
    """Nobody else moves a phase of the round until the end of the transaction."""
    _take(Phase.objects.filter(round=round_id))


def lock_entries(round_id: int, team_id: int | None = None) -> None:
    """Before more than one entry of a round is changed: all of them, or those of one team."""
    entries = Entry.objects.filter(round=round_id)
    _take(entries if team_id is None else entries.filter(team=team_id))


def lock_play(round_id: int) -> None:
    """The entries of a round and the round: for actions that change both in any order."""
    lock_entries(round_id)
    _take(Round.objects.filter(pk=round_id))


def _take(rows: QuerySet) -> None:
    list(rows.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
