"""Entries and answers that the house makes, through the API and the command line."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from contest.models import Attack, Entry, TeamOrder
from contest.services.tokens import create_token
from kakurenbo.main import main
from tests.api.conftest import World, user
from tests.factories import entry_files, small_data, work_off

ROUND = "contests/demo/rounds/practice/"


def test_the_offers_are_those_of_the_pages(world: World) -> None:
    offers = world.callers["visitor"].get(f"{ROUND}house/").json()
    swap = next(offer for offer in offers["methods"] if offer["name"] == "swap")
    share = swap["parameters"][0]
    assert (share["name"], share["expected"]) == ("share", "a number from 0 to 1")
    assert [attack["name"] for attack in offers["attacks"]] == ["re-itemset"]


def test_an_entry_is_ordered_made_and_handed_in(world: World) -> None:
    tanuki = world.callers["tanuki"]
    body = {"what": "entry", "method": "swap", "parameters": {"share": "0.5"}, "hand_in": True}
    made = tanuki.send(f"{ROUND}orders/", body)
    assert made.status_code == 201
    order = made.json()
    assert (order["state"], order["queue_position"], order["entry"]) == ("waiting", 1, None)
    again = tanuki.send(f"{ROUND}orders/", body)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "order-under-way")
    work_off()
    order = tanuki.get(f"{ROUND}orders/{order['id']}/").json()
    assert order["state"] == "made"
    assert order["parameters"] == {"share": 0.5, "what": "purchase"}
    entry = Entry.objects.get(pk=order["entry"])
    assert (entry.state, entry.note) == ("valid", "swap (share=0.5, what=purchase)")
    assert [row["id"] for row in tanuki.get(f"{ROUND}orders/").json()["results"]] == [order["id"]]
    assert world.callers["kitsune"].get(f"{ROUND}orders/").json()["results"] == []


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"parameters": {"share": 2}}, 422, "bad-parameters"),
        ({"method": "no-such"}, 409, "not-offered"),
        ({"seed": -1}, 422, "invalid-request"),
        ({"seed": 2**63}, 422, "invalid-request"),
    ],
)
def test_the_bounds_are_those_of_the_pages(
    world: World, wrong: dict[str, object], status: int, code: str
) -> None:
    body = {"what": "entry", "method": "swap", **wrong}
    answer = world.callers["tanuki"].send(f"{ROUND}orders/", body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert not TeamOrder.objects.exists()


def test_the_files_of_a_named_seed(world: World) -> None:
    tanuki = world.callers["tanuki"]
    order = tanuki.send(f"{ROUND}orders/", {"what": "entry", "method": "shuffle", "seed": 1}).json()
    path = f"{ROUND}orders/{order['id']}/files.zip"
    assert tanuki.status(path) == 404
    work_off()
    content = b"".join(tanuki.get(path).streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files == entry_files("shuffle", 1, small_data())
    assert world.callers["kitsune"].status(path) == 404


@pytest.fixture
def logged_in(live_server, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tanuki at a terminal; while a command waits, a worker works."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("kakurenbo.commands.house.time.sleep", lambda seconds: work_off())
    monkeypatch.chdir(tmp_path)
    secret = create_token(user("tanuki"), "laptop", ["read", "submit"], 7)
    assert main(["login", str(live_server.url), "--token", secret]) == 0


@pytest.mark.usefixtures("logged_in")
def test_the_command_hides_and_seeks(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["house", "list"]) == 0
    told = capsys.readouterr().out
    assert "hide swap: " in told and "share: a number from 0 to 1 (default" in told
    assert "seek re-itemset: " in told
    assert main(["house", "hide", "swap"]) == 2
    assert "--submit, --out ZIP, or both" in capsys.readouterr().err
    words = ["house", "hide", "swap", "--set", "share=0.5", "--seed", "5", "--submit", "--out", "mine.zip"]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "waiting, place 1 in the queue" in told and "made with seed 5" in told
    assert "Scored as team Tanuki." in told
    assert Path("mine.zip").stat().st_size == TeamOrder.objects.get().file_bytes
    assert main(["house", "hide", "swap", "--set", "share=7", "--submit"]) == 1
    assert "[bad-parameters]" in capsys.readouterr().err
    assert main(["house", "seek", "re-itemset", "--submit"]) == 0
    assert "was received" in capsys.readouterr().out
    work_off()
    assert Attack.objects.get(team=world.tanuki, kind="guess").runs.filter(state="done").exists()
