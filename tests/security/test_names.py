"""Names that look like other names, like nothing, or like the house.

The cases of look-alikes are those of UTS 39 (Unicode Security Mechanisms) and of its table of confusables.
"""

from __future__ import annotations

import datetime
import io
import json
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext

from contest.bundle.check import check_bundle
from contest.errors import Refused
from contest.forms.settings import RoundSettingsForm
from contest.models import Contest, Round, Team, User
from contest.names.lookalikes import look_of
from contest.names.policy import HOUSE_WORDS, PERSON, TEAM, TITLE
from contest.names.validation import clean_name
from contest.services import accounts, teams
from contest.services.tokens import create_token
from games.formats.presets import preset_text
from tests.factories import PASSWORD, make_contest, make_round, make_team, make_user

BAD = {
    "nothing": ("", "empty-name"),
    "spaces": (" \u3000\u2003 ", "empty-name"),
    "only signs": ("· – ·", "empty-name"),
    "a Hangul filler": ("\u3164", "invisible-character"),
    "a half-width Hangul filler": ("Fox\uffa0", "invisible-character"),
    "a Khmer vowel that nobody sees": ("\u17b4", "invisible-character"),
    "a blank of Braille": ("\u2800\u2800", "strange-character"),
    "a zero-width space": ("Tan\u200buki", "invisible-character"),
    "a zero-width joiner": ("Tan\u200duki", "invisible-character"),
    "a soft hyphen": ("Tan\u00aduki", "invisible-character"),
    "an override of the direction": ("\u202etanuki", "invisible-character"),
    "an isolate": ("\u2066Tanuki\u2069", "invisible-character"),
    "a tag": ("Tanuki\U000e0041", "invisible-character"),
    "a combining grapheme joiner": ("Ta\u034fnuki", "invisible-character"),
    "a variation selector": ("Tanuki\ufe01", "invisible-character"),
    "a private character": ("Tanuki\ue000", "invisible-character"),
    "a line separator": ("Tanuki\u2028x\u0000", "invisible-character"),
    "Latin with a Cyrillic letter": ("p\u0430ypal", "mixed-scripts"),
    "Latin with a Greek letter": ("T\u03b1nuki", "mixed-scripts"),
    "Latin with a Thai letter": ("Tanuki \u0e01", "mixed-scripts"),
    "Cyrillic with Japanese": ("\u0430\u3042", "mixed-scripts"),
    "a script of the past": ("\U00010330\U00010331", "strange-character"),
    "Cherokee": ("\u13aa\u13b3", "strange-character"),
    "digits of two systems": ("\u0660\u0661 12", "mixed-digits"),
    "a flood of marks": ("T" + "\u0300\u0301\u0302\u0303\u0304" + "anuki", "too-many-marks"),
    "the same mark twice": ("T\u0331\u0331anuki", "too-many-marks"),
    "marks on nothing": ("\u0331Tanuki", "too-many-marks"),
    "too many characters": ("x" * 61, "name-too-long"),
    "too many once folded": ("\ufdfa" * 4, "name-too-long"),
    "the house": ("House", "reserved-name"),
    "an entry of the house": ("House · swap", "reserved-name"),
    "the house in full width": ("Ｈｏｕｓｅ · swap", "reserved-name"),
    "the house, shouted": ("HOUSE-swap", "reserved-name"),
    "the house with a digit for its o": ("H0use: swap", "reserved-name"),
    "the house after a dot": ("· House · swap", "reserved-name"),
    "the house in Japanese": ("ハウス · swap", "reserved-name"),
    "the house as the board says it in Japanese": ("標準 · swap", "reserved-name"),
    "the house in half-width Japanese": ("ﾊｳｽ", "reserved-name"),
}

GOOD = (
    "Tanuki", "Ко́тики", "Κουκουβάγια", "たぬき隊", "チーム🦊狐", "Team かくれんぼ 2026", "한국 팀 A",
    "猫ㄅㄆ", "ทีมไทย", "فريق", "צוות", "हिन्दी दल", "O’Brien & Söhne", "Nguyễn", "Houseplants",
    "ハウスキーパー", "Greenhouse", "C++ (2)", "Ünïcödé", "1234", "x" * 60, "ᾳ" * 20, "👩 Zoë ❤️",
)  # fmt: skip

SAME = [
    ("Tanuki", "tanuki"),
    ("Tanuki", "ＴＡＮＵＫＩ"),
    ("paypal", "PayPaI"),
    ("paypal", "paypa1"),
    ("scope", "\u0455\u0441\u043e\u0440\u0435"),
    ("COCO", "\u0421\u041e\u0421\u041e"),
    ("corner", "comer"),
    ("Team 10", "Team l0"),
    ("Room O", "Room 0"),
    ("力", "カ"),
    ("søs", "so\u0337s"),
    ("a-b", "a\u2010b"),
    ("O'Brien", "O’Brien"),
    ("AB", "\u0391\u0392"),
]

DIFFERENT = [("Tanuki", "Kitsune"), ("Zoe", "Zoë"), ("たぬき", "きつね"), ("Team 1", "Team 2"), ("ab", "ba")]


@pytest.mark.parametrize("case", BAD)
def test_names_that_nobody_may_have(case: str) -> None:
    name, code = BAD[case]
    with pytest.raises(ValidationError) as refused:
        clean_name(name, TEAM)
    assert refused.value.code == code
    assert refused.value.messages[0].endswith((".", ")."))


@pytest.mark.parametrize("name", GOOD)
def test_names_that_people_do_have(name: str) -> None:
    assert clean_name(name, TEAM)


def test_a_name_is_shown_folded_and_a_title_as_it_was_written() -> None:
    assert clean_name("  Ｔanuki\u3000 ﾀﾇｷ ", TEAM) == "Tanuki タヌキ"
    assert clean_name("第１回：かくれんぼ", TITLE) == "第１回：かくれんぼ"
    assert clean_name("House of cards", TITLE) == "House of cards"
    with pytest.raises(ValidationError):
        clean_name("House of cards", PERSON)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_that_look_alike_are_one(one: str, other: str) -> None:
    from contest.names.lookalikes import normalise_name

    assert look_of(one) == look_of(other) or normalise_name(one) == normalise_name(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_names_that_differ_are_two(one: str, other: str) -> None:
    assert look_of(one) != look_of(other)


def test_the_key_of_every_name_fits_its_column() -> None:
    longest = max(len(look_of(character * 60)) for character in "‰ഈmᾳß字")
    assert longest <= 200


@pytest.mark.django_db
def test_the_database_itself_knows_names_that_look_alike() -> None:
    contest = make_contest()
    make_team(contest, "scope")
    with pytest.raises(Refused) as refusal:
        make_team(contest, "\u0455\u0441\u043e\u0440\u0435")
    assert refusal.value.code == "name-taken"
    assert make_team(make_contest(), "scope").name == "scope", "another contest is another board"
    make_user("paypal")
    with pytest.raises(Refused) as refusal:
        accounts.sign_up("paypa1", "x@example.org", PASSWORD)
    assert refusal.value.code == "name-taken"
    keys = {Team: "look_key", User: "look_key", Contest: "look_key"}
    for model, column in keys.items():
        assert all(getattr(row, column) for row in model._default_manager.all())


@pytest.mark.django_db
def test_a_public_name_looks_like_nobody_elses() -> None:
    ken, mai = make_user("ken"), make_user("mai")
    accounts.change_profile(ken, alias="The Owl", language="", time_zone="")
    for taken in ("the 0wl", "KEN"):
        with pytest.raises(Refused) as refusal:
            accounts.change_profile(mai, alias=taken, language="", time_zone="")
        assert refusal.value.code == "name-taken"
    with pytest.raises(Refused):
        accounts.sign_up("the owl", "x@example.org", PASSWORD)
    accounts.change_profile(mai, alias="Mai", language="", time_zone="")
    accounts.change_profile(mai, alias="", language="", time_zone="")
    accounts.change_profile(ken, alias="", language="", time_zone="")
    client = Client()
    client.force_login(mai)
    answer = client.post(reverse("account_profile"), {"profile-alias": "ken"})
    assert answer.status_code == 422 and "already in use" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["\u3164", "p\u0430ypal", "House · swap"])
def test_page_api_and_service_refuse_a_name_in_the_same_words(name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        clean_name(name, TEAM)
    words = refused.value.messages[0]
    contest, user = make_contest(), make_user("ken")
    client = Client()
    client.force_login(user)
    page = client.post(reverse("team_create", args=[contest.slug]), {"name": name})
    assert page.status_code == 422 and words in page.content.decode().replace("&#x27;", "'")
    token = create_token(user, "script", ["submit"], 7)
    answer = client.post(
        f"/api/v1/contests/{contest.slug}/team/",
        {"name": name},
        content_type="application/json",
        headers={"authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 422 and words in answer.content.decode()
    form = {"username": name, "email": "x@example.org", "password": PASSWORD}
    assert Client().post(reverse("signup"), form).status_code == 422
    with pytest.raises(ValidationError):
        User.objects.create_user(name, "x@example.org", PASSWORD)
    with pytest.raises(ValidationError):
        teams.create_team(contest, user, name)
    assert Team.objects.count() == 0


ROUND_NAMES = ("Fin\u202eal", "\u3164", "Fin\u0430l", "Final\u0007", "T" + "\u0300\u0301\u0302\u0303" + "est")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ROUND_NAMES)
def test_page_api_and_bundle_refuse_the_name_of_a_round(name: str) -> None:
    """A round could be called by what nobody sees, or by another's name in letters of two scripts."""
    organiser = make_user("oni")
    round_ = make_round(make_contest(organiser, slug="spring"))
    client = Client()
    client.force_login(organiser)
    start = timezone.now() + datetime.timedelta(days=9)
    new = {"version": 1, "like": f"round/{round_.slug}", "slug": "final", "name": name, "reason": "x"}
    add = reverse("organise_add_round", args=["spring"])
    page = client.post(add, {**new, "starts_at": start.strftime("%Y-%m-%dT%H:%M:%S")})
    assert page.status_code == 422 and "visible characters" in page.content.decode()
    headers = {"authorization": f"Bearer {create_token(organiser, 'script', ['organise'], 7)}"}
    change = {"version": 1, "settings": {"name": name}, "reason": "x"}
    orders = {
        "rounds/": ({**new, "starts_at": start.isoformat()}, "name"),
        f"rounds/{round_.slug}/settings/": (change, "settings.name"),
    }
    for path, (order, place) in orders.items():
        url = f"/api/v1/contests/spring/{path}"
        answer = client.post(url, order, content_type="application/json", headers=headers)
        assert answer.status_code == 422, path
        assert "visible characters" in answer.json()["error"]["detail"][place][0]["message"]
    shown = RoundSettingsForm(round_)
    data = {field.name: "" if field.value() is None else field.value() for field in shown}
    assert list(RoundSettingsForm(round_, {**data, "reason": "x", "name": name}).errors) == ["name"]
    content = yaml.safe_load(preset_text("pwscup2016"))
    content["rounds"][0]["name"] = name
    problems = check_bundle(json.dumps(content, default=str)).problems
    assert "rounds[0].name" in {problem.key for problem in problems}
    assert [it.name for it in Round.objects.all()] == [round_.name]


@pytest.mark.django_db
def test_the_name_of_a_round_is_stored_as_it_is_shown() -> None:
    organiser = make_user("oni")
    round_ = make_round(make_contest(organiser, slug="spring"))
    headers = {"authorization": f"Bearer {create_token(organiser, 'script', ['organise'], 7)}"}
    change = {"version": 1, "settings": {"name": " Cafe\u0301 \u3000 ２ "}, "reason": "x"}
    url = f"/api/v1/contests/spring/rounds/{round_.slug}/settings/"
    answer = Client().post(url, change, content_type="application/json", headers=headers)
    assert answer.status_code == 200, answer.content
    round_.refresh_from_db()
    assert round_.name == "Café ２"


TITLES = ("Hide\u202eand seek", "\u3164", "p\u0430ypal cup")


@pytest.mark.django_db
@pytest.mark.parametrize("title", TITLES)
def test_page_api_bundle_and_command_refuse_a_title(title: str, tmp_path: Any) -> None:
    organiser = make_user("oni", is_staff=True)
    contest = make_contest(organiser, slug="spring")
    client = Client()
    client.force_login(organiser)
    text = preset_text("pwscup2016").replace("title:", f'title: "{title}" #', 1)
    file = tmp_path / "contest.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match="title"):
        call_command("contest_create", str(file), "--organiser", "oni")
    upload = io.BytesIO(text.encode())
    upload.name = "contest.yaml"
    assert client.post(reverse("contest_from_bundle"), {"bundle": upload}).status_code == 422
    form = {"title": title, "slug": "other", "summary": "x"}
    assert client.post(reverse("contest_from_preset", args=["pwscup2016"]), form).status_code == 422
    contest.refresh_from_db()
    assert contest.title == "Hide and seek" and Contest.objects.count() == 1


@pytest.mark.django_db
def test_addresses_of_contests_that_look_alike_are_one() -> None:
    make_contest(slug="cup-l")
    with pytest.raises(Refused) as refusal:
        make_contest(slug="cup-1")
    assert refusal.value.code == "slug-taken"
    with pytest.raises(ValidationError):
        make_contest(slug="cup 1/../x")


def test_the_word_for_the_house_is_reserved_in_every_language() -> None:
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            word = gettext("house")
        assert look_of(word) in {look_of(reserved) for reserved in HOUSE_WORDS}
