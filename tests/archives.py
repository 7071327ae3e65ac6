"""A contest played from start to end, and its archive."""

from __future__ import annotations

import datetime
import io
import zipfile
from typing import Any

from django.utils import timezone

from contest.archive.importing import archive_contest, set_archive_consent
from contest.files import vault
from contest.models import Contest, Entry, Phase, User
from contest.services.contests import announce
from contest.services.house import request_house_entry
from contest.services.phase_clock import run_clock
from contest.services.team_attacks import submit_guesses
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

DAY = datetime.timedelta(days=1)


def play(slug: str = "played", **settings: Any) -> Contest:
    """A contest from start to end: three teams and the house, a guess file, one team that says no.

    ``settings`` are those of its round.
    """
    organiser = make_user()
    contest = make_contest(organiser, slug, description="Hide *well*.", time_zone="Asia/Tokyo")
    now = timezone.now()
    phases = [
        (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
        (Phase.Kind.ATTACK, now - DAY, now + DAY),
        (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY),
    ]
    round_ = make_round(contest, phases=phases, attacks=["re-itemset", "re-totals"], seed=9, **settings)
    teams = [make_team(contest, name) for name in ("Tanuki", "Kitsune", "Neko =1+1")]
    for number, team in enumerate(teams):
        make_entry(round_, team, entry_files(seed=number + 1), note=f"secret note of {team.name}")
    make_entry(round_, teams[0], {**entry_files(), "P.csv": b"1\n1\n"})
    request_house_entry(round_, organiser, "shuffle", {}, 30)
    work_off()
    target = Entry.objects.get(round=round_, team=teams[1], is_official=True)
    member = User.objects.get(memberships__team=teams[0])
    # This team finds everybody: its guess and the truth are the same file in two stores.
    guess = "".join(f"{row + 1}\n" for row in vault.truth_of(target)).encode()
    submit_guesses(round_, teams[0], member, {target.pk: io.BytesIO(guess)})
    announce(contest, organiser, "Over", "It *is* over.")
    work_off()
    run_clock(now + 1.5 * DAY)
    set_archive_consent(teams[2], User.objects.get(memberships__team=teams[2]), False)
    return contest


def archived(contest: Contest) -> bytes:
    target = io.BytesIO()
    archive_contest(contest, target)
    return target.getvalue()


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
