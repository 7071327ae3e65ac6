"""Signals of cheating: a worker looks, organisers see what it found, nobody else does."""

from __future__ import annotations

import datetime
import io

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.files import vault
from contest.models import Entry, Phase, Round, Signal, Team, User
from contest.services.signals import request_signals
from contest.services.team_attacks import submit_guesses
from games.shop.data.generate import generate
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db

DATA = generate(40, seed=3)


@pytest.fixture
def oni() -> User:
    return make_user("oni")


@pytest.fixture
def round_(oni: User) -> Round:
    now, day = timezone.now(), datetime.timedelta(days=1)
    phases = [(kind, now - day, now + day) for kind in (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)]
    return make_round(make_contest(oni, slug="demo"), data=DATA, phases=phases)


def teams(round_: Round, *names: str) -> list[Team]:
    return [make_team(round_.contest, name) for name in names]


def test_honest_teams_light_nothing(client: Client, round_: Round, oni: User) -> None:
    for number, team in enumerate(teams(round_, "Tanuki", "Kitsune")):
        make_entry(round_, team, entry_files("swap", number + 1, DATA))
    work_off()
    request_signals(round_, oni)
    work_off()
    assert not Signal.objects.exists()
    client.force_login(oni)
    page = client.get(reverse("organise_signals", args=["demo"])).content.decode()
    assert "Nothing out of the ordinary." in page


def test_a_copied_entry_and_copied_mistakes_are_shown_to_organisers_alone(
    client: Client, round_: Round, oni: User
) -> None:
    tanuki, kitsune, neko = teams(round_, "Tanuki", "Kitsune", "Neko")
    files = entry_files("round", 1, DATA)
    for team in (tanuki, kitsune):
        make_entry(round_, team, files)
    make_entry(round_, neko, entry_files("swap", 5, DATA))
    work_off()
    target = Entry.objects.get(team=neko)
    # Everybody is taken for the next one in the truth: wrong everywhere, and the same in both files.
    truth = vault.truth_of(target)
    guess = "".join(f"{row + 1}\n" for row in [*truth[1:], truth[0]]).encode()
    for team in (tanuki, kitsune):
        member = User.objects.get(memberships__team=team)
        submit_guesses(round_, team, member, {target.pk: io.BytesIO(guess)})
    work_off()
    client.force_login(oni)
    assert client.post(reverse("organise_look", args=["demo", round_.slug])).status_code == 302
    work_off()
    found = {signal.kind: signal for signal in Signal.objects.all()}
    copied = found["near-duplicate"]
    assert copied.other is not None
    assert {copied.entry.team, copied.other.team} == {tanuki, kitsune}
    assert found["shared-mistakes"].strength == 1.0
    page = client.get(reverse("organise_signals", args=["demo"])).content.decode()
    assert "two teams make the same wrong guesses" in page
    client.force_login(User.objects.get(memberships__team=neko))
    assert client.get(reverse("organise_signals", args=["demo"])).status_code == 404
    assert client.post(reverse("organise_look", args=["demo", round_.slug])).status_code == 404
