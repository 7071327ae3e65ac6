"""Which entry of a team counts: one rule for uploads, pins, marks, re-scores and previews."""

from __future__ import annotations

import io
import random

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board.official import better_before, counts_instead, rule_in_words
from contest.errors import Refused
from contest.files.storage import submitted
from contest.models import AuditEvent, Entry, Round, Team
from contest.services.entries import pin_entry, refresh_official
from contest.services.entry_marks import unvoid_entry, void_entry
from contest.services.handing_in import hand_in
from contest.services.limit_changes import apply_rescore, preview_rescore
from contest.services.settings import change_round
from contest.services.team_status import remove_team, restore_team
from contest.services.tokens import create_token
from contest.work.trials import _as_tried
from scoring.rules import Limit
from tests.factories import (
    as_zip,
    entry_files,
    make_contest,
    make_round,
    make_team,
    make_user,
    small_data,
    work_off,
)

pytestmark = pytest.mark.django_db

JACCARD = "ut-jaccard"


def scored(round_: Round, team: Team, utility: float | None, **fields: object) -> Entry:
    """A valid entry as the scorer leaves it, without its files."""
    number = Entry.objects.filter(round=round_, team=team).count() + 1
    now = timezone.now()
    entry = Entry.objects.create(
        round=round_, team=team, number=number, received_at=now, finished_at=now, state="valid",
        upload_sha256=f"{number:064d}", upload_bytes=1, utility=utility, n_people=4, **fields,
    )  # fmt: skip
    refresh_official(round_, Team.objects.get(pk=team.pk), [entry.slot])
    entry.refresh_from_db()
    return entry


def official(round_: Round, team: Team, slot: str = "") -> int | None:
    found = Entry.objects.filter(round=round_, team=team, slot=slot, is_official=True)
    return found.values_list("number", flat=True).first()


def test_unless_organisers_choose_otherwise_the_latest_entry_counts() -> None:
    """The most useful entry would often be the least safe one: unchanged data."""
    assert make_round().which_counts == "latest"
    assert Round._meta.get_field("which_counts").db_default == "latest"  # type: ignore[union-attr]


@pytest.mark.parametrize(("rule", "counts"), [("best", [1, 1, 3, 4]), ("latest", [1, 2, 3, 4])])
def test_a_worse_later_entry_replaces_a_better_one_only_where_the_latest_counts(
    rule: str, counts: list[int]
) -> None:
    round_ = make_round(which_counts=rule)
    team = make_team(round_.contest)
    found = []
    for utility in (80.0, 70.0, 90.0, 90.0):
        scored(round_, team, utility)
        found.append(official(round_, team))
    assert found == counts


def test_rules_that_count_losses_choose_the_least_loss() -> None:
    round_ = make_round(ranking="2017", which_counts="best")
    team = make_team(round_.contest)
    # By utility the first would count.
    scored(round_, team, 90.0, measures={"e2": 0.4})
    worse = scored(round_, team, 50.0, measures={"e2": 0.1})
    assert official(round_, team) == worse.number
    assert "least loss" in rule_in_words(round_)
    instead = counts_instead(Entry.objects.get(number=1))
    assert instead is not None and instead.because == "loss"


def test_what_attacks_found_never_changes_which_entry_counts() -> None:
    round_ = make_round(feedback="none", which_counts="best")
    team = make_team(round_.contest)
    best, other = scored(round_, team, 80.0), scored(round_, team, 70.0)
    for risk, hits in ((1.0, 4), (0.0, 0)):
        Entry.objects.filter(pk=best.pk).update(risk=risk, numbers={"hits": hits})
        Entry.objects.filter(pk=other.pk).update(risk=1 - risk, numbers={"hits": 4 - hits})
        assert not refresh_official(round_, team)
        assert official(round_, team) == best.number


def test_slots_are_chosen_apart() -> None:
    round_ = make_round(which_counts="best")
    team = make_team(round_.contest)
    for slot, utility in (("a", 1.0), ("b", 9.0), ("a", 0.5), ("b", 10.0)):
        scored(round_, team, utility, slot=slot)
    assert (official(round_, team, "a"), official(round_, team, "b")) == (1, 4)


def test_a_frozen_choice_stays() -> None:
    round_ = make_round(which_counts="best")
    team = make_team(round_.contest)
    first = scored(round_, team, 50.0)
    scored(round_, team, 40.0)
    now = timezone.now()
    Entry.objects.filter(is_official=True).update(frozen_at=now)
    Round.objects.filter(pk=round_.pk).update(frozen_at=now, which_counts="latest")
    late = scored(round_, team, 99.0)
    assert official(round_, team) == first.number
    late.round.refresh_from_db()
    instead = counts_instead(late)
    assert instead is not None and (instead.because, instead.can_pin) == ("frozen", False)


def test_the_entry_says_what_counts_instead_and_why(client: Client) -> None:
    round_ = make_round(which_counts="best")
    neko = make_user()
    team = make_team(round_.contest, captain=neko)
    best, worse = scored(round_, team, 80.0), scored(round_, team, 70.0)
    instead = counts_instead(worse)
    assert instead is not None and (instead.entry.number, instead.because) == (1, "utility")
    said = "Entry #2 is valid; #1 still counts because its utility is higher. Pin #2 to let it count."
    assert instead.text == said and counts_instead(best) is None
    assert said not in client.get(worse.get_absolute_url()).content.decode()
    client.force_login(neko)
    assert said in client.get(worse.get_absolute_url()).content.decode()
    pin_entry(worse, neko)
    best.refresh_from_db()
    pinned = counts_instead(best)
    assert pinned is not None and pinned.because == "pinned"


def test_upload_rules_and_team_say_the_same_sentence(client: Client) -> None:
    round_ = make_round(which_counts="best")
    neko = make_user()
    team = make_team(round_.contest, captain=neko)
    client.force_login(neko)
    address = round_.get_absolute_url()
    for rule in ("best", "latest"):
        Round.objects.filter(pk=round_.pk).update(which_counts=rule)
        round_.refresh_from_db()
        room = reverse("team", args=[round_.contest.slug, team.pk])
        for page in (f"{address}upload/", f"{address}rules/", room):
            assert rule_in_words(round_) in client.get(page).content.decode(), page


def test_an_upload_asks_whether_the_entry_that_counts_is_kept(client: Client) -> None:
    round_ = make_round(contest := make_contest(slug="kept"), data=small_data())
    neko = make_user()
    team = make_team(contest, captain=neko)
    page = f"{round_.get_absolute_url()}upload/"
    client.force_login(neko)
    question = "as the one that counts, whatever becomes of this one"
    assert question not in client.get(page).content.decode()
    first = scored(round_, team, 60.0)
    assert f"Keep entry #{first.number} {question}" in client.get(page).content.decode()
    upload = io.BytesIO(as_zip(entry_files()))
    upload.name = "entry.zip"
    assert client.post(page, {"archive": upload, "keep": "on"}).status_code == 302
    work_off()
    first.refresh_from_db()
    assert (first.is_pinned, official(round_, team)) == (True, first.number)
    assert Entry.objects.get(round=round_, number=2).state == "valid"
    assert AuditEvent.objects.filter(verb="entry.pinned", subject_id=first.pk).count() == 1
    # What is pinned already is kept without a question.
    assert question not in client.get(page).content.decode()


@pytest.mark.parametrize(("keep", "counts"), [("true", 1), ("false", 2)])
def test_the_api_keeps_the_entry_that_counts_where_it_is_told_to(
    client: Client, keep: str, counts: int
) -> None:
    round_ = make_round(contest := make_contest(slug="kept"), data=small_data())
    neko = make_user()
    team = make_team(contest, captain=neko)
    scored(round_, team, 60.0)
    upload = io.BytesIO(as_zip(entry_files()))
    upload.name = "entry.zip"
    headers = {"Authorization": f"Bearer {create_token(neko, 'mine', ['submit'], 7)}"}
    address = reverse("api-entries", args=[contest.slug, round_.slug])
    sent = client.post(address, {"archive": upload, "keep": keep}, headers=headers)
    assert sent.status_code == 201, sent.content
    work_off()
    assert official(round_, team) == counts


def test_a_refused_upload_pins_nothing() -> None:
    round_ = make_round(entries_in_total=1)
    neko = make_user()
    team = make_team(round_.contest, captain=neko)
    first = scored(round_, team, 60.0, costs_attempt=True)
    stored = submitted.put(io.BytesIO(b"a zip"))
    with pytest.raises(Refused, match="attempts of this round are used"):
        hand_in(round_, team, neko, stored, keep=True)
    first.refresh_from_db()
    assert not first.is_pinned


def test_a_better_entry_that_a_later_one_replaced_is_offered_again(client: Client) -> None:
    round_ = make_round(which_counts="latest")
    neko = make_user()
    team = make_team(round_.contest, captain=neko)
    better, later = scored(round_, team, 80.0), scored(round_, team, 70.0)
    assert better_before(later) == better and better_before(better) is None
    said = "Entry #2 counts because it is later; #1 is more useful."
    assert said not in client.get(later.get_absolute_url()).content.decode()
    client.force_login(neko)
    page = client.get(later.get_absolute_url()).content.decode()
    assert said in page and reverse("pin", args=[round_.contest.slug, round_.slug, better.pk]) in page
    pin_entry(later, neko)
    later.refresh_from_db()
    assert better_before(later) is None
    best_counts = make_round(which_counts="best")
    scored(best_counts, other := make_team(best_counts.contest), 80.0)
    assert better_before(scored(best_counts, other, 90.0)) is None


def test_another_rule_lets_another_entry_count_and_says_so_before() -> None:
    from contest.services.consequences import of_round

    round_ = make_round(which_counts="best")
    organiser = round_.contest.organisers.get().user
    team = make_team(round_.contest)
    scored(round_, team, 80.0)
    scored(round_, team, 70.0)
    (said,) = of_round(round_, {"which_counts": "latest"})
    assert (said.code, said.count) == ("other-entries", 1) and team.name in said.text
    change_round(round_, organiser, round_.settings_version, {"which_counts": "latest"}, "as in the past")
    assert official(round_, team) == 2


def oracle(round_: Round, team: Team) -> int | None:
    """The rule, read aloud: of those that may count the pinned one, else the best or the latest."""
    best: Entry | None = None
    for entry in Entry.objects.filter(round=round_, team=team).order_by("number"):
        if entry.state != "valid" or entry.mark or team.status == "removed":
            continue
        if best is not None and best.is_pinned:
            continue
        if (
            best is None
            or entry.is_pinned
            or round_.which_counts == "latest"
            or (entry.utility or 0.0) >= (best.utility or 0.0)
        ):
            best = entry
    return best.number if best else None


@pytest.mark.parametrize("rule", ["best", "latest"])
@pytest.mark.parametrize("seed", range(6))
def test_random_lives_of_a_team_end_as_the_oracle_says(rule: str, seed: int) -> None:
    rng = random.Random(f"{rule} {seed}")
    round_ = make_round(which_counts=rule, limits=[Limit(JACCARD, "<=", 0.5)], attacks=[])
    neko = make_user()
    organiser = round_.contest.organisers.get().user
    team = make_team(round_.contest, captain=neko)
    for _step in range(14):
        _act(rng, round_, team, neko, organiser)
        team.refresh_from_db()
        round_.refresh_from_db()
        assert official(round_, team) == oracle(round_, team)
        entries = list(Entry.objects.filter(round=round_).select_related("team").order_by("pk"))
        tried = [entry.number for entry in _as_tried(round_, entries, []) if entry.is_official]
        assert tried == [number for number in [official(round_, team)] if number is not None]


def _act(rng: random.Random, round_: Round, team: Team, neko: object, organiser: object) -> None:
    entries = list(Entry.objects.filter(round=round_).select_related("team", "round__contest"))
    act = rng.choice(["upload", "upload", "pin", "void", "unvoid", "rescore", "remove"])
    if act == "upload" or not entries:
        value = rng.choice([0.1, 0.2, 0.3, 0.4])
        entry = scored(round_, team, 100 * (1 - value), measures={JACCARD: value})
        entry.scores.create(measure=JACCARD, version=_version(), value=value, detail={})
        return
    entry = rng.choice(entries)
    if act == "pin" and entry.state == "valid" and not entry.mark:
        pin_entry(entry, neko)  # type: ignore[arg-type]
    elif act == "void" and not entry.mark:
        void_entry(entry, organiser, "a reason")  # type: ignore[arg-type]
    elif act == "unvoid" and entry.mark:
        unvoid_entry(entry, organiser, "a reason")  # type: ignore[arg-type]
    elif act == "rescore":
        limit = Limit(JACCARD, "<=", rng.choice([0.15, 0.25, 0.5]))
        rescore = preview_rescore(round_, organiser, [limit], "a reason")  # type: ignore[arg-type]
        apply_rescore(rescore, organiser)  # type: ignore[arg-type]
    elif act == "remove":
        remove_team(team, organiser, "a reason")  # type: ignore[arg-type]
        assert official(round_, team) is None
        restore_team(team, organiser, "a reason")  # type: ignore[arg-type]


def _version() -> str:
    from games.formats.measures import measure

    return measure(JACCARD).version
