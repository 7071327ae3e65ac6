"""The kit of a game's round: who gets what, and that its numbers are the server's."""

from __future__ import annotations

import datetime
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from contest.models import AttackRun, Entry, GamePackage, Job, Round, Sealed, Team
from contest.play.table import Table
from contest.services.game_packages import upload_game
from contest.services.stored_uploads import read_upload
from contest.services.tokens import create_token
from datasets.zip_writer import zipped
from games.contract.boxes import contents, write_files
from games.round_folder import read_files
from kakurenbo.main import main
from tests.api.conftest import Caller
from tests.environments import fresh_environment
from tests.factories import make_contest, make_entry, make_team, work_off
from tests.game_rounds import TOYS, game_contest, make_game_round, method_files, sources_of
from tests.game_versions import EXACT, MINI, NEAR, PEOPLE, trust_uploads

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def user_of(team: Team) -> Any:
    return team.memberships.select_related("user").get().user


def kit_of(round_: Round, team: Team | None, place: Path) -> Path:
    """The kit as somebody downloads it from the page, in a new folder."""
    client = Client()
    if team is not None:
        client.force_login(user_of(team))
    answer = client.get(f"{round_.get_absolute_url()}kit.zip")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
        archive.extractall(place)
    (inside,) = place.iterdir()
    return inside


def skeleton_round() -> tuple[Round, Team, Team]:
    contest, package = game_contest(TOYS["skeleton"], slug="lanterns")
    aki, haru = make_team(contest, "Aki"), make_team(contest, "春")
    round_ = make_game_round(contest, package, sources_of(TOYS["skeleton"]), attacks=["nearest"])
    make_entry(round_, aki, method_files(round_, aki, "noise"))
    work_off()
    return round_, aki, haru


def said(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    code = main([*words, "--json"])
    captured = capsys.readouterr()
    assert code in (0, 1), captured.err
    return json.loads(captured.out)


def test_a_kit_holds_the_own_seat_and_no_other(tmp_path: Path) -> None:
    round_, aki, haru = skeleton_round()
    secrets = {
        row.seat.team_id if row.seat else None: row.sha256
        for row in Sealed.objects.filter(round=round_, scope="seat", name="mine.csv").select_related("seat")
    }
    assert len(set(secrets.values())) == len(secrets)
    kit = kit_of(round_, aki, tmp_path / "aki")
    names = {path.relative_to(kit).as_posix() for path in kit.rglob("*") if path.is_file()}
    texts = {"README.md", "README.ja.md", "RULES.md", "RULES.ja.md"}
    assert names >= texts | {"starters/member/reidentify.py", "starters/anonymize.py", "game/game.py"}
    assert {"samples/entry/release.csv", "samples/answer/1.csv"} <= names
    seat = json.loads((kit / "round" / "round.json").read_text(encoding="utf-8"))["seats"]
    assert len(seat) == 1
    assert {name for name in names if name.startswith("round/seats/")} == {f"round/seats/{seat[0]}/mine.csv"}
    assert not {
        name for name in names if "people.csv" in name or "members.csv" in name or "truth.csv" in name
    }
    other = kit_of(round_, haru, tmp_path / "haru")
    own, theirs = (read_files(folder / "round" / "seats") for folder in (kit, other))
    assert set(own.values()).isdisjoint(theirs.values())
    assert list((other / "round" / "targets").iterdir()), "what Aki released is a target of the other team"
    visitor = kit_of(round_, None, tmp_path / "visitor")
    assert not (visitor / "round" / "seats").exists()
    assert "制限" in (kit / "RULES.ja.md").read_text(encoding="utf-8")
    assert "キット" in (kit / "README.ja.md").read_text(encoding="utf-8")


def test_a_team_checks_and_scores_offline_what_the_server_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    round_, aki, _haru = skeleton_round()
    entry = Entry.objects.get(team=aki)
    kit = kit_of(round_, aki, tmp_path / "kit")
    write_files(kit / "mine", contents(read_upload(Table(round_), entry)))
    # Nothing but the kit knows the game.
    monkeypatch.delenv("KAKURENBO_GAMES")
    monkeypatch.chdir(kit)
    valid = {"valid": True, "remarks": [], "problems": []}
    assert said(capsys, "check", "--round", "round", "--entry", "mine") == valid
    scored = said(capsys, "score", "--round", "round", "--entry", "mine")
    assert scored["measures"] == entry.measures
    assert scored["utility"] == entry.utility
    assert entry.utility not in (None, 0, 100)
    assert said(capsys, "kit", "score", "mine") == scored
    assert main(["anonymize", "noise", "--round", "round", "--seed", "3", "--out", "made"]) == 0
    assert main(["check", "--round", "round", "--entry", "made"]) == 0
    assert main(["score", "--round", "round", "--entry", "mine", "--as", "mine"]) == 2
    assert "secrets of the organisers" in capsys.readouterr().err


def open_mini(monkeypatch: pytest.MonkeyPatch, text: str = "\nopen-code: true\n") -> tuple[Round, Team, Team]:
    """An uploaded game without secrets, whose authors let teams have its code."""
    trust_uploads(monkeypatch)
    files = {name: content for name, content in read_files(MINI).items() if "__pycache__" not in name}
    files["game.yaml"] += text.encode()
    files["data/people.csv"] = b"age\n77\n"
    contest = make_contest(slug="open-mini")
    organiser = contest.organisers.select_related("user").get().user
    package = upload_game(contest, organiser, io.BytesIO(zipped(files)))
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    package.refresh_from_db()
    aki, haru = make_team(contest, "Aki"), make_team(contest, "Haru")
    round_ = make_game_round(contest, package, {"people.csv": PEOPLE}, attacks=["copy"])
    make_entry(round_, aki, EXACT)
    make_entry(round_, haru, NEAR)
    work_off()
    round_.refresh_from_db()
    return round_, aki, haru


def test_where_nothing_is_secret_attacks_are_judged_offline_as_on_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    round_, _aki, haru = open_mini(monkeypatch)
    kit = kit_of(round_, haru, tmp_path / "kit")
    assert not (kit / "game" / "data").exists(), "what organisers would bring is left out"
    monkeypatch.chdir(kit)
    capsys.readouterr()
    assert main(["attack", "copy", "--round", "round", "--out", "answer"]) == 0
    (cell,) = said(capsys, "judge", "--round", "round", "--answer", "answer")
    run = AttackRun.objects.get(entry__team__name="Aki", attack__name="copy")
    assert (cell["target"], cell["challenge"]) == (run.entry.key, run.challenge)
    assert (cell["risk"], cell["baseline"], cell["numbers"]) == (run.risk, run.baseline, run.numbers)
    assert run.risk == 0.75
    (kit / "mine").mkdir()
    (kit / "mine" / "release.csv").write_bytes(NEAR["release.csv"])
    mine = Entry.objects.get(team=haru)
    scored = said(capsys, "score", "--round", "round", "--entry", "mine", "--as", "mine")
    assert (scored["measures"], scored["utility"]) == (mine.measures, mine.utility)
    capsys.readouterr()
    assert main(["attack", "copy", "--round", "round", "--out", "again"]) == 0
    cells = said(capsys, "judge", "--round", "round", "--answer", "again")
    own = AttackRun.objects.get(entry=mine, attack__name="copy")
    assert {one["target"]: one["risk"] for one in cells} == {run.entry.key: run.risk, "mine": own.risk}


def program_of(kit: Path) -> str:
    """The cells of the notebook that hold code, one after the other."""
    cells = json.loads((kit / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def run_notebook(kit: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """What the cells print; every command must end as the notebook expects."""
    capsys.readouterr()
    exec(compile(program_of(kit), "notebook", "exec"), {})
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_the_notebook_hides_scores_and_attacks_with_what_the_kit_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    round_, _aki, haru = skeleton_round()
    kit = kit_of(round_, haru, tmp_path / "kit")
    monkeypatch.delenv("KAKURENBO_GAMES")
    monkeypatch.chdir(kit)
    for _twice in range(2):
        out, err = run_notebook(kit, capsys)
        assert "mine.csv" in out and "valid" in out and "utility" in out
        assert "by nearest on 1 targets" in out
        # What only the organisers have: the truth of the stored entry, and that of the target.
        assert err.count("secret") + err.count("organisers") >= 2
    assert (kit / "notebook-entry" / "release.csv").is_file()
    assert len(list((kit / "notebook-answer").iterdir())) == 1


def test_where_nothing_is_secret_the_notebook_judges_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    round_, _aki, haru = open_mini(monkeypatch)
    kit = kit_of(round_, haru, tmp_path / "kit")
    monkeypatch.delenv("KAKURENBO_GAMES")
    monkeypatch.chdir(kit)
    out, err = run_notebook(kit, capsys)
    assert err == ""
    assert "risk" in out.split("by copy on")[1], "the answer was judged"


@pytest.mark.parametrize("has_team", [True, False])
def test_a_notebook_asks_for_nothing_that_its_reader_has_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, has_team: bool
) -> None:
    """A visitor has no seat, and of a game that keeps its code there is nothing to run."""
    round_, _aki, haru = open_mini(monkeypatch, "") if has_team else skeleton_round()
    kit = kit_of(round_, haru if has_team else None, tmp_path / "kit")
    monkeypatch.chdir(kit)
    assert "anonymize" not in program_of(kit) and "judge" not in program_of(kit)
    assert run_notebook(kit, capsys)[1] == ""


def test_the_code_of_an_uploaded_game_stays_with_its_authors_unless_they_open_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_, _aki, haru = open_mini(monkeypatch, text="")
    kit = kit_of(round_, haru, tmp_path / "kit")
    assert not (kit / "game").exists()
    assert "keep its code" in (kit / "README.md").read_text(encoding="utf-8")


def test_the_seed_of_house_attacks_is_there_after_the_reveal_alone(tmp_path: Path) -> None:
    round_, aki, _haru = skeleton_round()
    Round.objects.filter(pk=round_.pk).update(seed=20161101)
    for place, reveal in (("before", None), ("after", timezone.now())):
        Round.objects.filter(pk=round_.pk).update(revealed_at=reveal)
        kit = kit_of(round_, aki, tmp_path / place)
        facts = json.loads((kit / "round" / "round.json").read_text(encoding="utf-8"))
        assert (facts["house_seed"] == "20161101") == bool(reveal)
        assert ("20161101" in (kit / "README.md").read_text(encoding="utf-8")) == bool(reveal)


def test_page_and_api_give_the_same_bytes_to_the_same_reader(client: Client) -> None:
    round_, aki, _haru = skeleton_round()
    client.force_login(user_of(aki))
    page = client.get(f"{round_.get_absolute_url()}data/").content.decode()
    assert f'href="{round_.get_absolute_url()}kit.zip"' in page
    first = client.get(f"{round_.get_absolute_url()}kit.zip").getvalue()
    caller = Caller(create_token(user_of(aki), "play", ["read"], 7))
    answer = caller.get("contests/lanterns/rounds/practice/kit.zip")
    assert b"".join(answer.streaming_content) == first


def test_before_the_round_there_is_no_kit(client: Client) -> None:
    round_, _aki, _haru = skeleton_round()
    for phase in round_.phases.all():
        phase.starts_at += datetime.timedelta(days=9)
        phase.ends_at += datetime.timedelta(days=9)
        phase.save()
    assert client.get(f"{round_.get_absolute_url()}kit.zip").status_code == 404
    assert "kit.zip" not in client.get(f"{round_.get_absolute_url()}data/").content.decode()


@pytest.mark.slow
def test_on_a_machine_without_the_project_the_kit_says_what_the_server_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_, _aki, haru = open_mini(monkeypatch)
    kit = kit_of(round_, haru, tmp_path / "kit")
    machine = fresh_environment(tmp_path / "venv")
    machine.install(next((kit / "library").glob("*.whl")))

    def told(*words: str) -> Any:
        return json.loads(machine.run("kakurenbo", *words, "--round", "round", "--json", cwd=kit))

    machine.run(
        "kakurenbo", "anonymize", "shift", "--round", "round", "--seed", "1", "--out", "mine", cwd=kit
    )
    assert (kit / "mine" / "release.csv").read_bytes() == NEAR["release.csv"], "all ages a year off"
    assert told("check", "--entry", "mine")["valid"]
    entry = Entry.objects.get(team=haru)
    scored = told("score", "--entry", "mine")
    assert (scored["measures"], scored["utility"]) == (entry.measures, entry.utility)
    machine.run("kakurenbo", "attack", "copy", "--round", "round", "--out", "answer", cwd=kit)
    (cell,) = told("judge", "--answer", "answer")
    run = AttackRun.objects.get(entry__team__name="Aki", attack__name="copy")
    assert (cell["risk"], cell["numbers"]) == (run.risk, run.numbers)
    printed = machine.run("python", "-c", program_of(kit), cwd=kit)
    assert f"risk {run.risk:.4g}" in printed
