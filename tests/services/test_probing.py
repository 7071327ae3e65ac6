"""Against probing: limits in all and on one target, all targets at once, bands, and the budget in bits."""

from __future__ import annotations

import datetime
import io

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest import access
from contest.board.disclosure import budget_of
from contest.bundle.check import check_bundle
from contest.declarations.round import OPEN, SAFE
from contest.errors import Refused
from contest.files import vault
from contest.models import Attack, AttackRun, Entry, Phase, Round, Signal, Team, User
from contest.models.round import Feedback
from contest.pages.attack import attack_summary
from contest.services import team_attacks
from contest.services.consequences import of_round
from contest.services.signals import request_signals
from tests.attacks.climber import Asked, swap_two
from tests.contest.test_bundle import SMALL
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

DAY = datetime.timedelta(days=1)


@pytest.fixture
def round_() -> Round:
    now = timezone.now()
    phases = [(Phase.Kind.ANONYMISE, now - DAY, now + DAY), (Phase.Kind.ATTACK, now - DAY, now + DAY)]
    return make_round(make_contest(make_user("oni"), slug="demo"), phases=phases)


@pytest.fixture
def kitsune(round_: Round) -> Team:
    return make_team(round_.contest, "Kitsune", make_user("kitsune"))


@pytest.fixture
def targets(round_: Round) -> list[Entry]:
    for number, name in enumerate(("Tanuki", "Neko")):
        make_entry(
            round_, make_team(round_.contest, name, make_user(name)), entry_files("shuffle", number + 2)
        )
    work_off()
    return list(Entry.objects.filter(is_official=True).order_by("pk"))


def setting(round_: Round, **fields: object) -> Round:
    Round.objects.filter(pk=round_.pk).update(**fields)
    round_.refresh_from_db()
    return round_


def guess(rows: np.ndarray) -> io.BytesIO:
    return io.BytesIO("".join(f"{row + 1}\n" for row in rows.tolist()).encode())


def send(round_: Round, team: Team, *entries: Entry) -> Attack:
    member = User.objects.get(memberships__team=team)
    return team_attacks.submit_guesses(
        round_, team, member, {entry.pk: guess(np.arange(entry.n_people or 0)) for entry in entries}
    )


def refused(round_: Round, team: Team, *entries: Entry) -> Refused:
    before = Attack.objects.count()
    with pytest.raises(Refused) as caught:
        send(round_, team, *entries)
    assert Attack.objects.count() == before
    return caught.value


def test_the_attacks_of_a_round_are_limited_in_all(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    setting(round_, attacks_in_total=2)
    for _ in range(2):
        send(round_, kitsune, targets[0])
    refusal = refused(round_, kitsune, targets[0])
    assert (refusal.code, refusal.text) == (
        "attacks-used",
        "All 2 attacks that a team has in this round are used.",
    )


def test_who_merges_keeps_what_was_asked(round_: Round, kitsune: Team, targets: list[Entry]) -> None:
    setting(round_, attacks_in_total=1)
    old = make_team(round_.contest, "Old", make_user("old"))
    send(round_, old, targets[0])
    Team.objects.filter(pk=old.pk).update(merged_into=kitsune, status=Team.Status.REMOVED)
    assert refused(round_, kitsune, targets[0]).code == "attacks-used"


def test_the_attacks_on_one_target_are_limited(round_: Round, kitsune: Team, targets: list[Entry]) -> None:
    setting(round_, attacks_per_target=1)
    first, second = targets
    send(round_, kitsune, first)
    refusal = refused(round_, kitsune, second, first)
    assert (refusal.code, str(first.pk) in refusal.text) == ("target-used", True)
    send(round_, kitsune, second)


def test_one_upload_holds_all_targets_where_the_round_says_so(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    setting(round_, all_targets=True)
    refusal = refused(round_, kitsune, targets[0])
    assert (refusal.code, refusal.text) == (
        "targets-missing",
        f"Guesses are sent for all targets at once. Missing: {targets[1].pk}.",
    )
    assert send(round_, kitsune, *targets).runs.count() == 2


@pytest.mark.parametrize(("bands", "told"), [(2, "0–50 %"), (4, "25–50 %"), (3, "33.3–66.7 %")])
def test_a_share_is_told_in_as_many_bands_as_the_round_has(
    bands: int, told: str, round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    attack = send(round_, kitsune, targets[0])
    work_off()
    AttackRun.objects.filter(attack=attack).update(numbers={"hits": 5}, risk=5 / 12)
    setting(round_, feedback=Feedback.BANDS, feedback_bands=bands)
    found = access.attack_for(User.objects.get(memberships__team=kitsune), "demo", round_.slug, attack.pk)
    (row,) = attack_summary(User.objects.get(memberships__team=kitsune), found)["rows"]
    assert (row.band, row.hits, row.rate) == (told, None, None)


def test_a_dry_run_tells_its_log_and_nothing_that_can_be_climbed(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    """Dry runs cost nothing: exact hits of a house entry in them were an oracle without any limit."""
    dry = Attack.objects.create(
        round=round_, team=kitsune, kind="program", name="program", program_sha256="0" * 64, is_dry_run=True
    )
    AttackRun.objects.create(
        attack=dry, entry=targets[0], state="done", numbers={"hits": 7}, risk=7 / 12, log="says"
    )
    member = User.objects.get(memberships__team=kitsune)
    for feedback in (Feedback.BANDS, Feedback.NONE):
        setting(round_, feedback=feedback)
        found = access.attack_for(member, "demo", round_.slug, dry.pk)
        (row,) = attack_summary(member, found)["rows"]
        assert (row.hits, row.rate, row.band, row.log) == (None, None, None, "says")


def test_the_budget_of_a_round_counts_days_limits_and_house_attacks(round_: Round) -> None:
    """The attack phase touches three calendar days: ten attempts each, and one house attack answers too."""
    assert budget_of(round_).attempts == 30
    assert budget_of(round_).house == 1
    bands = {"feedback": "bands", "feedback_bands": 4, "attacks_in_total": 8}
    assert budget_of(round_, bands).bits == 16.0
    assert budget_of(round_, {**bands, "attacks_per_target": 2}).bits == 4.0
    assert budget_of(round_, {"feedback": "none"}).bits == 0.0
    (said,) = [it for it in of_round(round_, bands) if it.code == "bits-told"]
    assert said.count == 16


def test_pages_and_api_say_how_much_the_round_tells(round_: Round, kitsune: Team) -> None:
    setting(round_, feedback="bands", attacks_in_total=8)
    sentence = "This round reveals to an attacker at most 16 bits about your P, which has 29."
    client = Client()
    client.force_login(User.objects.get(memberships__team=kitsune))
    pages = [reverse("rules", args=["demo", round_.slug]), reverse("upload", args=["demo", round_.slug])]
    pages.append(reverse("team", args=["demo", kitsune.pk]))
    for page in pages:
        assert sentence in client.get(page).content.decode(), page
    oni = Client()
    oni.force_login(User.objects.get(name_key="oni"))
    assert sentence in oni.get(reverse("organise_settings", args=["demo"])).content.decode()
    budget = Client().get(f"/api/v1/contests/demo/rounds/{round_.slug}/").json()["budget"]
    assert (budget["bits"], budget["attempts"], budget["bits_per_answer"]) == (16.0, 8, 2.0)


def test_a_round_that_counts_is_on_the_safe_side_unless_it_says_otherwise() -> None:
    silent = SMALL.replace("  feedback: none\n", "")
    assert silent != SMALL
    counted = check_bundle(silent).bundle
    practice = check_bundle(silent.replace("  name: Final\n", "  name: Final\n  weight: 0\n")).bundle
    assert counted is not None
    assert practice is not None
    for spec, usual in ((counted.rounds[0], SAFE), (practice.rounds[0], OPEN)):
        assert {name: spec.settings[name] for name in usual} == usual


def test_who_climbs_is_shown_to_the_organisers(round_: Round, kitsune: Team, targets: list[Entry]) -> None:
    """A team climbs on one entry and sends the other the same file each time, which is no sign."""
    climbed, other = targets
    setting(round_, attacks_per_day=100)
    member = User.objects.get(memberships__team=kitsune)
    ask = Asked(vault.truth_of(climbed))
    swap_two(ask, np.roll(ask.truth, 1), np.random.default_rng(1), 10)
    same = np.arange(other.n_people or 0)
    for rows in ask.guesses:
        team_attacks.submit_guesses(round_, kitsune, member, {climbed.pk: guess(rows), other.pk: guess(same)})
    work_off()
    request_signals(round_, User.objects.get(name_key="oni"))
    work_off()
    (found,) = Signal.objects.filter(kind=Signal.Kind.CLIMBING)
    assert found.entry == climbed
    assert found.attack is not None
    assert found.attack.team == kitsune
    assert found.detail["guesses"] == 10
