"""Teams are placed by a hash of their names and a salt: committed before, shown after, checked by anybody."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import Commitment, Phase, Round, Seat, Team
from contest.models.round import BuildState
from contest.play.packages import declaration_of, installed_package
from contest.services.commitments import verify_commitment
from contest.services.phase_clock import run_clock
from games.contract.seating import placed
from tests.factories import make_contest, make_team, work_off
from tests.game_rounds import DAY, make_game_round

pytestmark = [pytest.mark.django_db, pytest.mark.once]


def salted_round(salt: bytes | None = None) -> Round:
    """A round of the game whose seats are placed by a hash; hiding is open, nobody has registered."""
    package, now = installed_package("pwscup2026"), timezone.now()
    phases = [
        (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
        (Phase.Kind.ATTACK, now + DAY, now + 2 * DAY),
        (Phase.Kind.RESULTS, now + 2 * DAY, now + 3 * DAY),
    ]
    round_ = make_game_round(
        make_contest(),
        package,
        {} if salt is None else {"brought-salt.txt": salt},
        phases=phases,
        feedback="none",
        params=declaration_of(package).rehearsal,
    )
    assert round_.build_state == BuildState.READY, (round_.build_reason, round_.build_log)
    return round_


def salt_page(round_: Round) -> str:
    return reverse("game_download", args=[round_.contest.slug, round_.slug, "salt.txt"])


def test_all_published_teams_get_their_cohorts(shared_data: Path) -> None:
    """Real: the salt, its hash, and 22 teams in the order in which they registered."""
    file = shared_data / "pwscup2026" / "golden_assignment.json"
    real = json.loads(file.read_text(encoding="utf-8"))
    round_ = salted_round(real["salt"].encode())
    assert ["commitment", real["commitment"]] in round_.dataset.facts, "public before anybody registers"
    for row in sorted(real["teams"], key=lambda row: row["registration_order"]):
        team = make_team(round_.contest)
        # The site would fold a character of one of these names, and find another one too long.
        Team.objects.filter(pk=team.pk).update(name=row["name"])
        # Teams that register while the round is open are placed as they come.
        work_off()
    seats = Seat.objects.filter(round=round_, team__isnull=False).values_list("team__name", "number")
    assert dict(seats) == {row["name"]: row["cohort"] for row in real["teams"]}


def test_the_salt_is_committed_before_and_shown_when_entries_are_handed_over(client: Client) -> None:
    round_ = salted_round()
    (hashed,) = Commitment.objects.filter(
        round=round_, what=Commitment.What.FILES, payload__contains="salt.txt"
    )
    facts = {row["name"]: row["sha256"] for row in json.loads(hashed.payload)["facts"]}
    assert not Seat.objects.filter(round=round_, team__isnull=False).exists(), "nobody is placed yet"
    teams = [make_team(round_.contest, name) for name in ("Tanuki", "Kitsune", "Neko")]
    work_off()
    client.force_login(teams[0].memberships.get().user)
    assert client.get(salt_page(round_)).status_code == 404
    run_clock(timezone.now() + 1.5 * DAY)
    client.logout()
    answer = client.get(salt_page(round_))
    assert answer.status_code == 200, "to everybody"
    salt = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    digest = hashlib.sha256(salt.encode()).hexdigest()
    assert digest == facts["salt.txt"]
    assert ["commitment", digest] in round_.dataset.facts
    seats = [Seat.objects.get(round=round_, team=team).number for team in teams]
    assert seats == placed([team.name for team in teams], salt, 30)
    run_clock(timezone.now() + 2.5 * DAY)
    work_off()
    run_clock(timezone.now() + 2.5 * DAY)
    hashed.refresh_from_db()
    assert hashed.revealed_at is not None
    assert verify_commitment(hashed).ok
