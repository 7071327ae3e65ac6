"""Programs of teams in rounds of a game, by the pages: forms, starters, state and log."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from contest.models import Attack, AttackRun, Entry, Round, Team
from contest.play.table import Table
from games.starters import hider, seeker
from tests.attacks.sandbox.conftest import sandbox as sandbox_fixture
from tests.factories import make_entry, make_team, work_off
from tests.game_rounds import TOYS, game_contest, make_game_round, method_files, sources_of

sandbox = sandbox_fixture
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def skeleton_round() -> tuple[Round, Team, Team]:
    """Aki has handed in its data as they are; Haru looks on."""
    contest, package = game_contest(TOYS["skeleton"])
    aki, haru = make_team(contest, "Aki"), make_team(contest, "Haru")
    round_ = make_game_round(contest, package, sources_of(TOYS["skeleton"]))
    make_entry(round_, aki, method_files(round_, aki, "unchanged"))
    work_off()
    return round_, aki, haru


def logged_in(team: Team, client: Client, language: str = "en") -> Client:
    client.force_login(team.memberships.select_related("user").get().user)
    client.cookies["django_language"] = language
    return client


def program(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_the_pages_offer_programs_with_their_limits_and_starters(client: Client) -> None:
    round_, _aki, haru = skeleton_round()
    logged_in(haru, client)
    seek = client.get(f"{round_.get_absolute_url()}seek/").content.decode()
    assert "python reidentify.py ROUND MINE TARGET OUT" in seek
    assert f"{round_.program_seconds} s of processor time and {round_.program_megabytes} MB" in seek
    upload = client.get(f"{round_.get_absolute_url()}upload/").content.decode()
    assert "python anonymize.py ROUND MINE TASK OUT" in upload
    for page, address in (
        (seek, "seek/starters/member/reidentify.py"),
        (upload, "upload/starter/anonymize.py"),
    ):
        url = f"{round_.get_absolute_url()}{address}"
        assert f'href="{url}"' in page
        answer = client.get(url)
        assert answer.status_code == 200
        assert "attachment" in answer.headers["Content-Disposition"]
        compile(answer.getvalue(), address, "exec")
    assert client.get(f"{round_.get_absolute_url()}seek/starters/nothing/reidentify.py").status_code == 404


def test_the_pages_are_in_japanese_too(client: Client) -> None:
    round_, _aki, haru = skeleton_round()
    logged_in(haru, client, "ja")
    seek = client.get(f"{round_.get_absolute_url()}seek/").content.decode()
    assert "It is called" not in seek
    assert "A program" not in seek
    assert "全エントリーに対するプログラム" in seek


def test_a_seeker_is_sent_run_and_reported(client: Client, sandbox: str) -> None:
    round_, _aki, haru = skeleton_round()
    logged_in(haru, client)
    declared = Table(round_).declared
    content = seeker(declared, declared.challenges[0]).encode()
    sent = client.post(
        f"{round_.get_absolute_url()}seek/program/", {"program": program("reidentify.py", content)}
    )
    attack = Attack.objects.get(team=haru)
    assert sent.status_code == 302
    assert sent.headers["Location"] == attack.get_absolute_url()
    work_off()
    (run,) = attack.runs.all()
    assert (run.state, run.reason) == (AttackRun.State.DONE, "")
    assert run.numbers["auc"] == 0.5, "every candidate has the same score"
    page = client.get(attack.get_absolute_url()).content.decode()
    assert "rows" in page and 'class="log"' in page
    assert f"{run.seconds:.2f}" in page


def test_what_cannot_run_is_refused_on_the_page_and_nothing_is_stored(client: Client) -> None:
    round_, _aki, haru = skeleton_round()
    logged_in(haru, client)
    for address, field in (("seek/program/", "program"), ("upload/program/", "hider-program")):
        bad = client.post(f"{round_.get_absolute_url()}{address}", {field: program("x.zip", b"PK\x03\x04")})
        assert bad.status_code == 422
        assert 'class="errorlist"' in bad.content.decode()
        missing = client.post(f"{round_.get_absolute_url()}{address}", {})
        assert missing.status_code == 422
    assert not Attack.objects.filter(team=haru).exists()
    assert not Entry.objects.filter(team=haru).exists()


def test_a_hider_is_sent_run_and_reported_to_its_team_alone(client: Client, sandbox: str) -> None:
    round_, aki, haru = skeleton_round()
    logged_in(haru, client)
    content = hider(Table(round_).declared).encode()
    sent = client.post(
        f"{round_.get_absolute_url()}upload/program/",
        {"hider-program": program("anonymize.py", content), "hider-note": "the starter"},
    )
    entry = Entry.objects.get(team=haru)
    assert (sent.status_code, sent.headers["Location"]) == (302, entry.get_absolute_url())
    work_off()
    entry.refresh_from_db()
    assert (entry.state, entry.note) == (Entry.State.VALID, "the starter")
    assert entry.measures == {"age": 0.0, "spent": 0.0}, "the data are handed on as they are"
    mine = client.get(entry.get_absolute_url()).content.decode()
    assert "It has written the files of an entry." in mine
    assert "release.csv" in mine and 'class="log"' in mine
    theirs = logged_in(aki, Client()).get(entry.get_absolute_url()).content.decode()
    assert 'class="log"' not in theirs


def test_a_hider_that_fails_says_where_and_shows_its_log(client: Client, sandbox: str) -> None:
    round_, _aki, haru = skeleton_round()
    logged_in(haru, client)
    wrong = b"import sys\nprint('one age is a word')\n"
    wrong += b"open(sys.argv[4] + '/release.csv', 'w').write('age,spent\\nx,1\\n')"
    for content, said in ((wrong, "release.csv"), (b"raise SystemExit(3)", "anonymize.py")):
        client.post(
            f"{round_.get_absolute_url()}upload/program/", {"hider-program": program("anonymize.py", content)}
        )
        work_off()
        entry = Entry.objects.filter(team=haru).latest("pk")
        assert (entry.state, entry.costs_attempt) == (Entry.State.INVALID, False)
        page = client.get(entry.get_absolute_url()).content.decode()
        assert said in page
    first = Entry.objects.filter(team=haru).earliest("pk")
    assert "one age is a word" in client.get(first.get_absolute_url()).content.decode()


@pytest.mark.parametrize("declared", ["[]", "[seek]", "[hide]"])
def test_a_game_may_take_no_programs(
    declared: str, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then no form is there, and every door is closed."""
    folder = tmp_path / "quiet"
    shutil.copytree(TOYS["skeleton"], folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / "game.yaml").read_text(encoding="utf-8")
    text = text.replace("name: skeleton", "name: quiet", 1) + f"\nprograms: {declared}\n"
    (folder / "game.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("KAKURENBO_GAMES", str(folder))
    contest, package = game_contest(folder)
    team = make_team(contest, "Aki")
    round_ = make_game_round(contest, package, sources_of(folder))
    logged_in(team, client)
    place = round_.get_absolute_url()
    doors = {
        "seek": ("seek/", "reidentify.py", "seek/program/", "seek/starters/member/reidentify.py"),
        "hide": ("upload/", "anonymize.py", "upload/program/", "upload/starter/anonymize.py"),
    }
    for kind, (page, script, door, starter) in doors.items():
        is_open = kind in declared
        assert (script in client.get(f"{place}{page}").content.decode()) == is_open
        assert client.get(f"{place}{starter}").status_code == (200 if is_open else 404)
        assert client.post(f"{place}{door}", {}).status_code == (422 if is_open else 404)
