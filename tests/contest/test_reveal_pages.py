"""Pages, files and programs while a board stands still, and the page of a reveal, in both languages."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contest.services.reveals import end_reveal, move_reveal, start_reveal
from contest.services.tokens import create_token
from tests.reveal_rounds import NAMES, SINCE, Frozen, let_results_begin, make_frozen

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def frozen() -> Frozen:
    frozen = make_frozen()
    frozen.judge(SINCE)
    return frozen


@pytest.fixture
def waiting() -> Frozen:
    frozen = make_frozen(reveal_in_steps=True)
    let_results_begin(frozen)
    frozen.judge(SINCE)
    return frozen


def logged_in(user: object, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(user)  # type: ignore[arg-type]
    return client


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.content.decode()


def in_order(text: str, names: tuple[str, ...]) -> bool:
    places = [text.index(f">{name}<") if f">{name}<" in text else text.index(name) for name in names]
    return places == sorted(places)


WORDS = {
    "en": ("Frozen since", "shown at the reveal"),
    "ja": ("凍結時刻", "以後の動きは結果公開で示されます"),
}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("name", ["", "projector/", "embed/", "history/", "matrix/"])
def test_pages_say_since_when_the_board_stands_still(frozen: Frozen, name: str, language: str) -> None:
    text = page(Client(headers={"accept-language": language}), f"{frozen.address}{name}")
    for words in WORDS[language]:
        assert words in text


def test_the_overall_page_says_so_and_keeps_its_order(frozen: Frozen) -> None:
    text = page(Client(), "/contests/cup/overall/")
    assert "Frozen since" in text
    assert in_order(text[text.index("board-table") :], NAMES)


def test_the_table_and_its_files_keep_the_order(frozen: Frozen) -> None:
    client = Client()
    text = page(client, frozen.address)
    assert in_order(text[text.index('id="board-table"') :], NAMES)
    exported = client.get(f"{frozen.address}board.json").json()
    assert [row["team_name"] for row in exported["rows"]] == list(NAMES)
    assert exported["frozen_since"] == frozen.round.still_since.isoformat()
    csv = page(client, f"{frozen.address}board.csv")
    assert in_order(csv, NAMES)
    api = client.get("/api/v1/contests/cup/rounds/final/leaderboard/").json()["results"]
    assert [row["team"] for row in api] == list(NAMES)
    round_ = client.get("/api/v1/contests/cup/rounds/final/").json()
    assert round_["board_frozen_since"] is not None


def test_rows_lead_to_no_entry_of_others(frozen: Frozen) -> None:
    text = page(Client(), frozen.address)
    entry = frozen.teams["Tengu"].entries.get()
    assert f"entries/{entry.pk}/" not in text
    assert Client().get(reverse("entry", args=["cup", "final", entry.pk])).status_code == 404


def test_a_team_sees_what_was_found_in_its_own_entry_but_not_its_true_place(frozen: Frozen) -> None:
    client = logged_in(frozen.members["Tengu"])
    entry = frozen.teams["Tengu"].entries.get()
    text = page(client, reverse("entry", args=["cup", "final", entry.pk]))
    assert "People found" in text
    assert client.get(reverse("how", args=["cup", "final", entry.pk, "hits"])).status_code == 200
    assert client.get(reverse("how", args=["cup", "final", entry.pk, "rank"])).status_code == 404
    mine = page(client, reverse("team", args=["cup", frozen.teams["Tengu"].pk]))
    assert "attack-0" not in mine


def test_organisers_see_both_orders_side_by_side(frozen: Frozen) -> None:
    text = page(logged_in(frozen.organiser), f"{frozen.address}reveal/")
    before, now = text[text.index("As everybody sees it") :].split("As it is")
    assert in_order(before, NAMES)
    assert in_order(now, NAMES[::-1])
    assert Client().get(f"{frozen.address}reveal/").status_code == 404


def test_a_board_that_stands_still_answers_its_poll_with_nothing(frozen: Frozen) -> None:
    client = Client()
    version = client.get(frozen.address).context["version"]
    frozen.judge({"Kitsune": 3})
    poll = client.get(f"{frozen.address}?version={version}", headers=HTMX)
    assert poll.status_code == 204


def test_an_organiser_leads_the_reveal_and_everybody_follows(waiting: Frozen) -> None:
    leader, viewer = logged_in(waiting.organiser), Client()
    address = f"{waiting.address}reveal/"
    assert viewer.get(address).status_code == 404
    assert "Begin the reveal" in page(leader, address)
    leader.post(f"{address}act/", {"act": "start", "seen": 0})
    text = page(viewer, address)
    assert "begins with the last place" in text
    assert not any(f"{name}\n" in text for name in NAMES)
    version = text.split("?version=")[1].split('"')[0]
    assert viewer.get(f"{address}?version={version}", headers=HTMX).status_code == 204
    leader.post(f"{address}act/", {"act": "next", "seen": 0})
    part = viewer.get(f"{address}?version={version}", headers=HTMX).content.decode()
    assert part in page(viewer, address)
    assert "Tanuki" in part
    assert "down 2 places" in part
    assert "Tengu" not in part
    assert "The first three" not in part
    leader.post(f"{address}act/", {"act": "back", "seen": 1})
    assert "Tanuki" not in viewer.get(address, headers=HTMX).content.decode()


def test_at_the_end_there_is_a_podium_and_the_board_is_open(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    for seen in range(3):
        move_reveal(waiting.round, waiting.organiser, 1, seen)
    text = page(Client(), f"{waiting.address}reveal/")
    assert "The first three" in text
    assert in_order(text[text.index("reveal-places") :], NAMES[::-1])
    assert "Frozen since" in page(Client(), waiting.address)
    end_reveal(waiting.round, waiting.organiser)
    text = page(Client(), waiting.address)
    assert "Frozen since" not in text
    assert "All places are revealed" in page(Client(), f"{waiting.address}reveal/")


@pytest.mark.parametrize(("language", "words"), [("en", "Next place"), ("ja", "次の順位")])
def test_the_screen_of_a_hall_shows_organisers_no_more_than_everybody(
    waiting: Frozen, language: str, words: str
) -> None:
    start_reveal(waiting.round, waiting.organiser)
    text = page(logged_in(waiting.organiser, language), f"{waiting.address}reveal/screen/")
    assert words in text
    assert not any(name in text for name in NAMES)
    assert words not in page(
        Client(headers={"accept-language": language}), f"{waiting.address}reveal/screen/"
    )


def test_what_cannot_be_done_is_said_on_the_page(waiting: Frozen) -> None:
    leader = logged_in(waiting.organiser)
    address = f"{waiting.address}reveal/act/"
    start_reveal(waiting.round, waiting.organiser)
    for data, words in (
        ({"act": "next", "seen": 2}, "Somebody else has moved the reveal meanwhile."),
        ({"act": "jump", "seen": 0}, "jump"),
        ({"act": "next", "seen": "x"}, "Places revealed"),
    ):
        assert words in leader.post(address, data, follow=True).content.decode()


def test_programs_follow_and_lead_the_reveal(waiting: Frozen) -> None:
    address = "/api/v1/contests/cup/rounds/final/reveal/"
    token = create_token(waiting.organiser, "reveal", ["read", "organise"], 7)
    organiser = {"authorization": f"Bearer {token}"}
    assert Client().get(address).status_code == 404
    state = Client().get(address, headers=organiser).json()
    assert state["is_started"] is False
    assert [row["name"] for row in state["orders"]["true"]] == list(NAMES[::-1])
    for body in ({"act": "start"}, {"act": "next", "seen": 0}):
        answer = Client().post(address, body, content_type="application/json", headers=organiser)
        assert answer.status_code == 200, answer.content
    state = Client().get(address).json()
    assert state["orders"] is None
    assert [(row["place"], row["name"], row["frozen"]) for row in state["places"]] == [(3, "Tanuki", 1)]
    refused = Client().post(
        address, {"act": "next", "seen": 7}, content_type="application/json", headers=organiser
    )
    assert refused.json()["error"]["code"] == "changed-meanwhile"
    assert Client().post(address, {"act": "next"}, content_type="application/json").status_code == 401


def test_the_public_log_tells_of_the_freeze_and_the_reveal(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    move_reveal(waiting.round, waiting.organiser, 1, 0)
    end_reveal(waiting.round, waiting.organiser)
    text = page(Client(), "/contests/cup/changes/")
    for words in (
        "the board stands still for everybody but organisers",
        "the reveal, place by place, has begun",
        "the reveal has ended",
    ):
        assert words in text
