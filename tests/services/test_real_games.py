"""The games of the house, each played by people from the page for a new contest to its archive and back.

One team plays by pages, one by the API, one by the command line. The organiser makes the contest and moves
its phases on pages. What the command line computes on the files of the round is what the site shows.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from contest.archive.importing import import_archive
from contest.models import Attack, AttackRun, Contest, Entry, Phase
from contest.models.round import BuildState
from contest.play.boxes import public_box
from contest.play.counting import HOUSE
from contest.services.commitments import verify_commitment
from contest.work.verification import recount
from games.contract.boxes import contents
from games.round_folder import read_files
from tests.archives import members
from tests.factories import make_user
from tests.game_rounds import attack_files, method_files
from tests.outside_games.on_site import boards_of, everything_of, work_off_boards_last
from tests.played_games import TEAMS, PlayedGame

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]


@dataclass(frozen=True)
class Plan:
    """How a game is played: methods of the teams and of the house, attacks of the teams and of the house.

    The house's attack is one that draws nothing, so that it finds the same about one target and about all.
    """

    game: str
    methods: tuple[str, ...]
    house_methods: tuple[str, ...]
    attacks: tuple[str, str, str]
    house_attack: str
    boards: tuple[str, ...]


PLANS = [
    Plan(
        "pwscup2024", ("swap", "redraw", "scatter"), ("mondrian",), ("sample", "each-file", "assignment"),
        "assignment", ("main", "attackers", "provisional", "awards"),
    ),
    Plan(
        "pwscup2025", ("swap", "noise", "independent"), ("copula",), ("nearest", "confidence", "blind"),
        "nearest", ("main", "attackers", "awards"),
    ),
    Plan(
        "pwscup2026", ("swap", "noise", "independent"), (), ("nearest", "reference", "blind"),
        "reference", ("main", "power"),
    ),
    Plan(
        "membership", (), (), ("nearest", "crowd", "blind"), "nearest",
        ("main", "main-information", "main-tasks"),
    ),
    Plan(
        "snake", (), (), ("nearest", "crowd", "blind"), "nearest", ("main", "main-information", "main-tasks")
    ),
    Plan(
        "midst", (), (), ("nearest", "crowd", "blind"), "nearest",
        ("black-single", "black-single-information", "black-single-tasks"),
    ),
]  # fmt: skip


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return capsys


def hide(played: PlayedGame, plan: Plan) -> None:
    """Each team reads its files in its own way, and hands in an entry in that way."""
    seats = {who: played.table.seat(played.seat(who), "team", "open") for who in TEAMS}
    own = {who: contents(seat.files) for who, seat in seats.items() if seat}
    public = contents(played.table.world(secret=False, moment="open").public)
    assert played.downloaded_by_page("aki") == (public, own["aki"])
    assert played.downloaded_by_api("haru") == (public, own["haru"])
    folder, mine = played.fetched("open"), played.seat("natsu").number
    assert read_files(folder / "round") == public
    assert read_files(folder / "seats" / str(mine)) == own["natsu"]
    others = [name for name in (folder / "seats").iterdir() if name.name != str(mine)]
    assert all(read_files(other) == {} for other in others)
    if not plan.methods:
        return
    for who, send in (("aki", played.upload_by_page), ("haru", played.upload_by_api)):
        method = plan.methods[list(TEAMS).index(who)]
        files = method_files(played.round, played.team(who), method)
        send(who, {"aki": "upload", "haru": "entries/"}[who], files, note=method, variant="0")
    here = ["--round", folder, "--seat", mine]
    entry = played.place / "entry"
    played.run("anonymize", plan.methods[2], *here, "--seed", "1", "--out", entry)
    assert "valid" in played.run("check", *here, "--entry", entry)
    assert "well formed" in played.run("submit", entry, "--dry-run")
    assert "of team Natsu was received" in played.run("submit", entry, "--note", plan.methods[2])
    work_off_boards_last()
    for who in TEAMS:
        made = played.entry(who)
        assert (made.state, made.is_official) == (Entry.State.VALID, True), (who, made.problems)
    house = Entry.objects.filter(round=played.round, team__is_house=True, state=Entry.State.VALID)
    assert house.count() == len(plan.house_methods)
    assert "Scored as team Natsu." in played.run("status", "--follow")


def seek(played: PlayedGame, plan: Plan) -> None:
    """Each team answers about all its targets in one upload."""
    by_page, by_api, by_command = plan.attacks
    files = attack_files(played.round, played.team("aki"), by_page)
    played.upload_by_page("aki", "guesses", files, note=by_page)
    files = attack_files(played.round, played.team("haru"), by_api)
    played.upload_by_api("haru", "answers/", files, note=by_api)
    folder, answer = played.fetched("published"), played.place / "answer"
    here = ["--round", folder, "--seat", played.seat("natsu").number]
    played.run("attack", by_command, *here, "--out", answer)
    assert "was received" in played.run("attack", "submit", answer)
    work_off_boards_last()
    for who in TEAMS:
        sent = played.answer(who)
        assert sent.state == Attack.State.JUDGED, (who, sent.problems)
        judged = {run.entry_id for run in sent.runs.filter(state=AttackRun.State.DONE)}
        assert judged == {entry.pk for entry in targets(played, who)}, who
    runs = AttackRun.objects.filter(attack__round=played.round, attack__kind=Attack.Kind.HOUSE)
    assert {run.state for run in runs} == {AttackRun.State.DONE}


def targets(played: PlayedGame, who: str) -> list[Entry]:
    official = Entry.objects.filter(round=played.round, is_official=True)
    return list(official.exclude(team=played.team(who)))


def found(attack: Attack) -> dict[tuple[str, str], Any]:
    runs = attack.runs.filter(state=AttackRun.State.DONE).select_related("entry")
    return {(run.entry.key, run.challenge): (run.risk, run.baseline, run.numbers) for run in runs}


def require_same_offline(played: PlayedGame, plan: Plan) -> None:
    """On the files of the round, the commands give the numbers of the site."""
    folder = played.organisers_folder("organisers")
    for who in TEAMS if plan.methods else ():
        entry = played.entry(who)
        here = ["--round", folder, "--seat", played.seat(who).number]
        files = method_files(played.round, played.team(who), plan.methods[list(TEAMS).index(who)])
        upload = played.place / "entry" if who == "natsu" else played.written(f"upload-{who}", files)
        told = played.run_json("score", *here, "--entry", upload, "--as", entry.key)
        assert (told["measures"], told["utility"]) == (entry.measures, entry.utility), who
        published = folder / "targets" / entry.key / "published"
        assert read_files(published) == contents(public_box(entry.published)), who
    for who in TEAMS:
        files = attack_files(played.round, played.team(who), plan.attacks[list(TEAMS).index(who)])
        answer = played.place / "answer" if who == "natsu" else played.written(f"answer-{who}", files)
        here = ["--round", folder, "--seat", played.seat(who).number]
        told = played.run_json("judge", *here, "--answer", answer, "--others")
        assert as_found(told) == found(played.answer(who)), who
    spare = played.table.spare_seat()
    here = ["--round", folder, "--seat", spare.number if spare else 0]
    played.run("attack", plan.house_attack, *here, "--out", played.place / "house")
    told = played.run_json("judge", *here, "--answer", played.place / "house")
    attack = Attack.objects.get(round=played.round, kind=Attack.Kind.HOUSE, name=plan.house_attack)
    assert as_found(told) == found(attack)


def as_found(cells: Any) -> dict[tuple[str, str], Any]:
    return {
        (cell["target"], cell["challenge"]): (cell["risk"], cell["baseline"], cell["numbers"])
        for cell in cells
    }


def shown_boards(played: PlayedGame) -> dict[str, Any]:
    """The boards as the command line prints them, which are those of the API."""
    printed = played.run_json("board")
    assert printed == played.api("natsu").get(played.path("boards/"))["boards"]
    page = played.browser("aki").get(played.address("leaderboard")).content.decode()
    for board in printed:
        assert all(row["name"] in page for row in board["rows"] if row["kind"] == "team"), board["name"]
    return {board["name"]: board for board in printed}


def require_live(played: PlayedGame, plan: Plan) -> None:
    """Before the results the boards say nothing of what attacks found."""
    shown = shown_boards(played)
    assert set(shown) <= set(plan.boards)
    assert not [row for board in shown.values() for row in board["rows"] if row["kind"] == "attack"]


def require_final(played: PlayedGame, plan: Plan) -> None:
    shown, stored = shown_boards(played), boards_of(played.round)
    assert tuple(stored) == plan.boards
    for name, board in shown.items():
        names = [
            row["name"].removeprefix(HOUSE) if row["kind"] == "attack" else row["name"]
            for row in board["rows"]
        ]
        told = [(named, row["place"], row["values"]) for named, row in zip(names, board["rows"], strict=True)]
        assert told == [(key, place, dict(values)) for key, place, values in stored[name]], name
    first = shown[plan.boards[0]]["rows"]
    assert {row["name"] for row in first if row["place"]} == set(TEAMS.values())


def bring_back(played: PlayedGame, plan: Plan) -> None:
    """The organiser writes the archive; an empty installation imports it and counts everything again."""
    answer = played.browser("oni").post(reverse("organise_write_archive", args=[played.game]))
    assert answer.status_code == 200
    path = played.place / "played.zip"
    path.write_bytes(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    (played.place / "verify.py").write_bytes(members(path.read_bytes())["verify.py"])
    told = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", path.name],
        cwd=played.place,
        check=True,
        capture_output=True,
    )
    assert b"Everything holds." in told.stdout
    boards, before = boards_of(played.round), everything_of(played.round)
    call_command("flush", interactive=False, verbosity=0)
    assert not Contest.objects.exists()
    imported = import_archive(path, make_user())
    assert boards_of(played.round) == boards
    after = everything_of(played.round)
    for part in ("round", "sealed", "entries", "answers", "runs"):
        assert after[part] == before[part], part
    again = recount(imported)
    assert (again.differences, again.skipped) == ([], {})
    assert again.compared["risk"] == len(before["runs"])
    assert again.compared["place"] >= sum(len(rows) for rows in boards.values())
    for commitment in played.round.commitments.filter(withdrawn_at=None):
        assert verify_commitment(commitment).ok, commitment


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.game)
def test_a_game_is_played_from_its_page_to_its_archive_and_counted_again(
    plan: Plan, live_server: Any, tmp_path: Path, printed: Any
) -> None:
    played = PlayedGame(plan.game, live_server.url, tmp_path, printed)
    played.make_contest(list(plan.house_methods), [plan.house_attack, "blind"])
    round_ = played.round
    assert round_.build_state == BuildState.READY, (round_.build_reason, round_.build_log)
    played.sign_up()
    hide(played, plan)
    if plan.methods:
        require_live(played, plan)
        played.move(Phase.Kind.ANONYMISE, "close")
        played.move(Phase.Kind.ATTACK, "open")
    seek(played, plan)
    require_live(played, plan)
    played.move(Phase.Kind.ATTACK, "close")
    played.move(Phase.Kind.RESULTS, "open")
    assert played.round.revealed_at is not None
    require_final(played, plan)
    require_same_offline(played, plan)
    bring_back(played, plan)
