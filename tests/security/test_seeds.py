"""A house entry can be made again from its seed, truth and all: no seed of one is within anybody's reach.

An attacker knows the presets, the sources and every page; here they try each seed that is written there on
the house entries of contests that were made in every way there is.
"""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.files import vault
from contest.models import Commitment, Contest, Entry, HouseOrder, Round
from contest.operations.attack_role import READABLE
from contest.services.bundles import export_bundle
from contest.services.commitments import reveal_commitments, verify_commitment
from contest.services.datasets import load_original
from contest.services.house import request_house_entry, seed_of
from contest.services.tokens import create_token
from datasets.seeds import SEED_LIMIT, secret_seed
from games.formats.methods import SAMPLE_SEED
from games.formats.presets import preset_names, preset_text
from games.shop.methods.registry import run_anonymizer
from tests.factories import make_contest, make_round, make_user, work_off

pytestmark = pytest.mark.django_db

WRITTEN = {int(number) for name in preset_names() for number in re.findall(r"seed: (\d+)", preset_text(name))}
WELL_KNOWN = sorted(WRITTEN | {0, 1, 2, 7, 42, 1234, SAMPLE_SEED, 20161011, 20171023, 20181022})
"""Seeds that stand in a preset, in the sources, or on everybody's lips."""
SMALL = {"way": "generate", "customers": 12, "data_seed": 3}


def small(text: str) -> str:
    return re.sub(r"(\bcustomers:) \d+", r"\1 12", text)


def upload(text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("contest.yaml", text.encode())


def page(url: str, given: dict[str, Any]) -> Any:
    client = Client()
    client.force_login(make_user("oni", is_staff=True))
    return client.post(url, given)


def api(path: str, given: dict[str, Any]) -> Any:
    token = create_token(make_user("oni", is_staff=True), "all", ["read", "submit", "organise"], 7)
    return Client().post(f"/api/v1/{path}", given, headers={"authorization": f"Bearer {token}"})


def by_preset_page(name: str, folder: Path) -> None:
    given = {
        "title": "A",
        "slug": "made",
        "summary": "A",
        "time_zone": "UTC",
        "starts_at": "2027-09-01T10:00",
    }
    assert page(reverse("contest_from_preset", args=[name]), {**given, **SMALL}).status_code == 302


def by_preset_api(name: str, folder: Path) -> None:
    assert api("presets/", {**SMALL, "preset": name, "slug": "made"}).status_code == 201


def by_bundle_page(name: str, folder: Path) -> None:
    given = {"bundle": upload(small(preset_text(name))), "slug": "made"}
    assert page(reverse("contest_from_bundle"), given).status_code == 302


def by_bundle_api(name: str, folder: Path) -> None:
    given = {"bundle": upload(small(preset_text(name))), "slug": "made"}
    assert api("bundles/", given).status_code == 201


def by_command(name: str, folder: Path) -> None:
    (folder / "mine.yaml").write_text(small(preset_text(name)))
    make_user("oni")
    words = [str(folder / "mine.yaml"), "--organiser", "oni", "--slug", "made"]
    call_command("contest_create", *words, stdout=io.StringIO())


WAYS = (by_preset_page, by_preset_api, by_bundle_page, by_bundle_api, by_command)


def house_entries(slug: str) -> list[Entry]:
    work_off()
    made = Entry.objects.filter(round__contest__slug=slug, team__is_house=True).exclude(sealed=None)
    return list(made.select_related("round__dataset"))


def rows_recovered(entry: Entry, seeds: list[int]) -> int:
    """How many rows of P somebody knows who makes the entry again with each seed and compares it."""
    original, spec = load_original(entry.round.dataset), entry.round.dataset.spec
    limits = {limit["measure"]: limit["limit"] for limit in entry.round.limits}
    best = 0
    for seed in seeds:
        made = run_anonymizer(entry.method, original, limits, seed, entry.house_order.parameters)
        neutral = spec.neutral(original, made.release)
        truth = vault.truth_of(entry)
        if len(neutral.truth) == len(truth):
            best = max(best, int((neutral.truth == truth).sum()))
    return best


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_seed_that_is_written_anywhere_gives_the_truth_of_a_house_entry(
    way: Callable[[str, Path], None], tmp_path: Path
) -> None:
    way("pwscup2016", tmp_path)
    entries = [entry for entry in house_entries("made") if entry.method in {"identity", "swap"}]
    assert entries
    for entry in entries:
        assert rows_recovered(entry, WELL_KNOWN) < (entry.n_people or 0), entry


def by_house_page(round_: Round) -> None:
    client = Client()
    client.force_login(round_.contest.organisers.get().user)
    url = reverse("house_entry", args=[round_.contest.slug]) + "?method=identity"
    assert client.post(url, {"round": round_.pk, "seed": 1}).status_code == 302


def by_house_api(round_: Round) -> None:
    token = create_token(round_.contest.organisers.get().user, "all", ["read", "submit", "organise"], 7)
    client = Client(headers={"authorization": f"Bearer {token}"})
    order = json.dumps({"round": round_.slug, "method": "identity", "parameters": {}})
    path = f"/api/v1/contests/{round_.contest.slug}/house-entries/"
    assert client.post(path, order, content_type="application/json").status_code == 201


@pytest.mark.parametrize("way", [by_house_page, by_house_api], ids=lambda way: way.__name__)
def test_a_house_entry_that_is_ordered_later_has_a_secret_seed_too(way: Callable[[Round], None]) -> None:
    round_ = make_round(make_contest(make_user("oni"), slug="made"))
    way(round_)
    (entry,) = house_entries("made")
    assert rows_recovered(entry, WELL_KNOWN) < (entry.n_people or 0)


def named_seeds() -> str:
    text = small(preset_text("pwscup2016"))
    return text.replace("{method: identity}", "{method: identity, seed: 1}")


def refused_by_page(folder: Path) -> str:
    answer = page(reverse("contest_from_bundle"), {"bundle": upload(named_seeds()), "slug": "made"})
    assert answer.status_code == 422
    (error,) = answer.context["form"].errors["known_seeds"]
    return str(error)


def refused_by_api(folder: Path) -> str:
    answer = api("bundles/", {"bundle": upload(named_seeds()), "slug": "made"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "seeds-named")
    return str(answer.json()["error"]["message"])


def refused_by_command(folder: Path) -> str:
    (folder / "mine.yaml").write_text(named_seeds())
    make_user("oni")
    with pytest.raises(CommandError) as caught:
        call_command("contest_create", str(folder / "mine.yaml"), "--organiser", "oni", stdout=io.StringIO())
    return str(caught.value)


@pytest.mark.parametrize("way", [refused_by_page, refused_by_api, refused_by_command])
def test_a_bundle_that_names_seeds_is_refused_with_the_same_sentence(
    way: Callable[[Path], str], tmp_path: Path
) -> None:
    assert way(tmp_path) == (
        "The bundle names seeds in practice, final: anybody who has them can compute who is who in the house "
        "entries. Leave them out, and secret ones are drawn; or accept it with known_seeds."
    )
    assert not Contest.objects.exists()


def accepted_by_page(folder: Path) -> None:
    given = {"bundle": upload(named_seeds()), "slug": "made", "known_seeds": "on"}
    assert page(reverse("contest_from_bundle"), given).status_code == 302


def accepted_by_api(folder: Path) -> None:
    given = {"bundle": upload(named_seeds()), "slug": "made", "known_seeds": "true"}
    assert api("bundles/", given).status_code == 201


def accepted_by_command(folder: Path) -> None:
    (folder / "mine.yaml").write_text(named_seeds())
    make_user("oni")
    words = [str(folder / "mine.yaml"), "--organiser", "oni", "--slug", "made", "--known-seeds"]
    call_command("contest_create", *words, stdout=io.StringIO())


@pytest.mark.parametrize("way", [accepted_by_page, accepted_by_api, accepted_by_command])
def test_seeds_that_are_accepted_are_kept_and_the_rules_say_so(
    way: Callable[[Path], None], tmp_path: Path
) -> None:
    way(tmp_path)
    round_ = Round.objects.get(contest__slug="made", slug="practice")
    order = HouseOrder.objects.get(method="identity", round=round_)
    assert (round_.seeds_known, seed_of(order)) == (True, 1)
    Contest.objects.update(is_public=True)
    rules = Client().get(reverse("rules", args=["made", "practice"])).content.decode()
    assert "The seeds of this round are known" in rules
    assert Client().get("/api/v1/contests/made/rounds/practice/").json()["seeds_known"] is True


@pytest.fixture
def ordered() -> HouseOrder:
    round_ = make_round(make_contest(make_user("oni"), slug="made"))
    return request_house_entry(round_, round_.contest.organisers.get().user, "identity")


def test_attack_machines_can_read_no_seed_of_a_house_entry(ordered: HouseOrder) -> None:
    """Their database role has no right to the commitments and orders, and nothing else holds a seed.

    Neither one that was drawn nor one that was named.
    """
    named = request_house_entry(ordered.round, None, "identity", {}, 987_654_321_012_345)
    work_off()
    assert not {Commitment, HouseOrder} & set(READABLE)
    for model in READABLE:
        rows = str(list(model._default_manager.values()))
        for order in (ordered, named):
            assert str(seed_of(order)) not in rows, model.__name__


def test_a_house_seed_is_published_as_a_hash_and_revealed_with_the_results(ordered: HouseOrder) -> None:
    work_off()
    kept = Commitment.objects.get(what=Commitment.What.HOUSE)
    url = reverse("hashes", args=["made", "practice"])
    before = Client().get(url).content.decode()
    assert kept.sha256 in before
    assert str(seed_of(ordered)) not in before
    now = timezone.now()
    reveal_commitments(kept.round, now)
    Round.objects.update(revealed_at=now)
    kept.refresh_from_db()
    after = html.unescape(Client().get(url).content.decode())
    assert kept.payload in after
    assert verify_commitment(kept).ok
    seed = json.loads(kept.payload)["facts"][0]["seed"]
    (entry,) = house_entries("made")
    assert rows_recovered(entry, [seed]) == entry.n_people
    late = request_house_entry(kept.round, None, "identity")
    assert late.commitment is not None
    late.commitment.refresh_from_db()
    assert late.commitment.revealed_at is not None


def test_a_forged_house_seed_is_found_out(ordered: HouseOrder) -> None:
    kept = Commitment.objects.get(what=Commitment.What.HOUSE)
    reveal_commitments(kept.round, timezone.now())
    Commitment.objects.update(payload=kept.payload.replace('"method":"identity"', '"method":"swap"'))
    kept.refresh_from_db()
    assert not verify_commitment(kept).ok


def test_a_bundle_of_the_contest_does_not_carry_secret_seeds(ordered: HouseOrder) -> None:
    (round_,) = export_bundle(Contest.objects.get()).bundle.rounds
    assert [it.method for it in round_.baselines] == ["identity"]
    assert not round_.names_seeds


def test_two_seeds_are_never_alike_and_too_many_to_try() -> None:
    drawn = {secret_seed() for _ in range(1000)}
    assert len(drawn) == 1000
    # Half of all seeds have their highest bit set; that none of a thousand has it happens once in 2**1000.
    assert max(drawn) >= SEED_LIMIT // 2
