"""Games from outside the tree on a site: installed as wheels and uploaded as zips they give equal numbers.

A contest of each is played from its creation through uploads, house attacks, guess files, programs and boards
to the freeze and the results, archived, imported and judged again. The scripts in `tests/outside_games` state
the numbers, by hand; those that follow from what a game draws are counted again from the secrets.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from contest.archive.importing import import_archive
from contest.errors import Refused
from contest.files.storage import submitted
from contest.models import Attack, AttackRun, Contest, Entry, GamePackage, Phase
from contest.models.round import BuildState
from contest.play import packages
from contest.play.packages import installed_package
from contest.services.answers import pin_answer
from contest.services.attacks import add_house_attack
from contest.services.attempts import count_attempts
from contest.services.game_packages import upload_game
from contest.services.hiders import keep_program, submit_hider
from contest.services.house import request_house_entry
from contest.services.phase_clock import run_clock
from contest.services.team_attacks import submit_program
from contest.work.recounts import Recount
from contest.work.verification import recount
from tests.archives import archived, members
from tests.attacks.sandbox.conftest import sandbox as sandbox_fixture
from tests.factories import make_contest, make_user
from tests.game_rounds import DAY, game_contest
from tests.outside_games.on_site import Site, boards_of, everything_of, team_named, work_off_boards_last
from tests.outside_games.packages import install_wheels, make_projects, package
from tests.outside_games.script import Script, Upload
from tests.outside_games.scripts import CODABENCH, LANTERN, OURS, ROLL_CALL, TWO_KEYS, bundle_zip

sandbox = sandbox_fixture
pytestmark = pytest.mark.django_db
each_script = pytest.mark.parametrize("script", OURS, ids=lambda script: script.game)
COPY = """
import json, sys
from pathlib import Path

round_, mine, task, out = map(Path, sys.argv[1:])
assert json.loads((task / "task.json").read_text())["variant"] == 0
(out / "{made}").write_bytes((mine / "{given}").read_bytes())
"""
MATCH = """
import json, sys
from pathlib import Path

round_, mine, target, out = map(Path, sys.argv[1:])
cells = lambda name: [tuple(map(float, line.split(","))) for line in (target / name).read_text().split()[1:]]
key, released = json.loads((target / "target.json").read_text())["key"], set(cells("{released}"))
(out / (key + ".csv")).write_text("".join("%d\\n" % (row in released) for row in cells("candidates.csv")))
"""
BY_AGE = """
import json, sys
from pathlib import Path

round_, mine, target, out = map(Path, sys.argv[1:])
assert not (round_ / "key.txt").exists(), "the organisers' secret"
cells = lambda name: [line.split(",") for line in (target / name).read_text().split()[1:]]
key = json.loads((target / "target.json").read_text())["key"]
lines = {row[0]: (str(line), row[2]) for line, row in enumerate(cells("release.csv"), start=1)}
found = [lines.get(age, ("0", "-")) for age, _ in cells("asked.csv")]
for name, column in (("who", 0), ("value", 1)):
    (out / (name + ".csv")).write_text("\\n".join([key, *(one[column] for one in found)]) + "\\n")
"""
HIDERS = {
    "lantern": COPY.format(given="mine.csv", made="release.csv"),
    "roll-call": COPY.format(given="training.csv", made="synthetic.csv"),
    "two-keys": COPY.format(given="mine_0.csv", made="release.csv"),
}
"""They hand in their own table as it is."""
SEEKERS = {
    "lantern": MATCH.format(released="release.csv"),
    "roll-call": MATCH.format(released="synthetic.csv"),
    "two-keys": BY_AGE,
}
"""They look for rows that are the same, as some teams of the scripts do by hand."""
FOUND = {
    "lantern": {("fox", "member"): 1, ("badger", "member"): 0, ("hare", "member"): 1},
    "roll-call": {("fox", "member"): 1, ("badger", "member"): 0.9, ("hare", "member"): 0},
    "two-keys": {
        ("fox", "who"): 1, ("fox", "value"): 1, ("badger", "who"): 0, ("badger", "value"): 0,
        ("hare", "who"): 1, ("hare", "value"): 0,
    },
}  # fmt: skip
"""The risks that the programs come to."""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_projects(tmp_path_factory.mktemp("projects"))


@pytest.fixture(scope="module")
def wheels(projects: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the three wheels are installed."""
    return install_wheels(projects, tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("site"))


@pytest.fixture
def _installed(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The wheels on Python's path; nobody remembers afterwards what was found there."""
    monkeypatch.syspath_prepend(str(wheels))
    remembered = (packages._installed_declaration, packages._installed_game)
    for memory in remembered:
        memory.cache_clear()
    yield
    for memory in remembered:
        memory.cache_clear()


def of_wheel(script: Script) -> tuple[Contest, GamePackage]:
    return make_contest(slug="outside"), installed_package(script.game)


def of_zip(script: Script, projects: Path) -> tuple[Contest, GamePackage]:
    return game_contest(package(projects, script), uploaded=True, slug="outside")


def hand_in(site: Site) -> None:
    """What teams upload. A refused upload says where, and costs nothing."""
    script, first = site.script, site.script.teams[0]
    assert site.round.build_state == BuildState.READY, (site.round.build_reason, site.round.build_log)
    assert script.refused_upload is not None
    bad = site.enter(first, Upload(script.refused_upload.make))
    for team, upload in script.uploads.items():
        site.enter(team, upload)
    work_off_boards_last()
    bad.refresh_from_db()
    assert (bad.state, bad.costs_attempt, bad.published) == (Entry.State.INVALID, False, {})
    assert {problem["code"] for problem in bad.problems} == set(script.refused_upload.codes)
    assert all(problem["file"] and problem["expected"] for problem in bad.problems)
    assert count_attempts(site.round, site.teams[first]).used_in_total == 1


def seek(site: Site) -> None:
    """What teams answer, and attacks of the house. A refused answer says where; a pinned one counts."""
    script, (first, second, _) = site.script, site.script.teams
    assert script.refused_answer is not None
    bad = site.send(second, script.refused_answer.make(site.asked(second)))
    sent = {team: site.send(team, make(site.asked(team))) for team, make in script.answers.items()}
    again = site.send(first, script.answers[second](site.asked(first)))
    add_house_attack(site.round, script.house_attacks[0])
    work_off_boards_last()
    bad.refresh_from_db()
    assert (bad.state, bad.costs_attempt, bad.runs.count()) == (Attack.State.INVALID, False, 0)
    assert {problem["code"] for problem in bad.problems} == set(script.refused_answer.codes)
    assert all(problem["file"] for problem in bad.problems)
    for attack in (*sent.values(), again):
        attack.refresh_from_db()
        assert attack.state == Attack.State.JUDGED, attack.problems
    pin_answer(sent[first], site.teams[first].memberships.get().user)
    work_off_boards_last()


def agrees(got: Mapping[str, Any], stated: Mapping[str, float]) -> bool:
    return {name: got[name] for name in stated} == pytest.approx(dict(stated), rel=0, abs=1e-9)


def require_stated(site: Site) -> None:
    """Measures, risks and boards are those of the script."""
    script = site.script
    for team, upload in script.uploads.items():
        entry = Entry.objects.get(round=site.round, team=site.teams[team], is_official=True)
        assert agrees(entry.measures, upload.measures), team
        assert entry.utility == pytest.approx(upload.utility, rel=0, abs=1e-9)
    figures = site.figures()
    for place, stated in script.results.items():
        assert agrees(figures[place], stated), (place, figures[place])
    boards = boards_of(site.round)
    expected = script.boards({place: one["risk"] for place, one in figures.items()})
    assert set(boards) == set(expected)
    for name, stated_rows in expected.items():
        got = {key: values for key, _, values in boards[name]}
        assert got.keys() == {key for key, _ in stated_rows}, name
        # The house stands where the game puts it; it takes no place.
        ranked = [key for key, place, _ in boards[name] if place is not None]
        assert ranked == [key for key, _ in stated_rows if key in site.teams], name
        assert all(agrees(got[key], stated) for key, stated in stated_rows), (name, boards[name])


def require_recounted(site: Site) -> None:
    """Every number of every cell, counted from the answer and the secrets by other means."""
    assert site.script.recount is not None
    for run in site.runs():
        again = site.script.recount(run.challenge, site.answer_of(run), run.entry.key, site.secret(run.entry))
        assert agrees(run.numbers, again), run


def let_programs_play(site: Site) -> None:
    """A late team sends a program that hides and one that seeks, and the house hides, too."""
    wolf = team_named(site, "wolf")
    user = wolf.memberships.get().user
    game = site.script.game
    hidden = submit_hider(site.round, wolf, user, keep_program(io.BytesIO(HIDERS[game].encode())))
    method, params = site.script.house_methods[-1]
    request_house_entry(site.round, None, method, dict(params), 7)
    seeker = submit_program(site.round, wolf, user, submitted.put(io.BytesIO(SEEKERS[game].encode())))
    work_off_boards_last()
    hidden.refresh_from_db()
    assert (hidden.state, hidden.is_official) == (Entry.State.VALID, True), hidden.problems
    assert set(hidden.measures.values()) == {0}, "the table was handed on as it is"
    runs = seeker.runs.select_related("entry__team")
    assert [(run.state, run.reason) for run in runs if run.state != AttackRun.State.DONE] == []
    risks = {(run.entry.team.name, run.challenge): run.risk for run in runs}
    assert agrees(risks, FOUND[game])  # type: ignore[arg-type]
    house = Entry.objects.get(round=site.round, method=method)
    assert {name for name, _ in risks} == {*site.script.teams, house.team.name}


def end(site: Site) -> None:
    """The clock freezes, counts and reveals; after that nothing more is taken."""
    steps = [step.what for step in run_clock(timezone.now() + 1.5 * DAY)]
    work_off_boards_last()
    steps += [step.what for step in run_clock(timezone.now() + 1.5 * DAY)]
    work_off_boards_last()
    done = [step for step in steps if step in ("commit", "freeze", "tally", "reveal")]
    assert done == ["commit", "freeze", "tally", "reveal"]
    site.round.refresh_from_db()
    first = site.script.teams[0]
    with pytest.raises(Refused) as refused:
        site.send(first, {})
    assert refused.value.code == "phase-closed"


IMPORTED = ("round", "sealed", "entries", "answers", "runs")


def bring_back(site: Site, place: Path) -> Recount:
    """Archive a contest, verify that with Python alone, import it beside the original, judge all again."""
    path = place / "played.zip"
    path.write_bytes(archived(site.contest))
    (place / "verify.py").write_bytes(members(path.read_bytes())["verify.py"])
    told = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", path.name], cwd=place, check=True, capture_output=True
    )
    assert b"Everything holds." in told.stdout
    Contest.objects.filter(pk=site.contest.pk).update(slug="original", look_key="original")
    imported = import_archive(path, make_user())
    round_ = imported.rounds.get()
    assert boards_of(round_) == boards_of(site.round)
    before, after = everything_of(site.round), everything_of(round_)
    assert {name: after[name] for name in IMPORTED} == {name: before[name] for name in IMPORTED}
    found = recount(imported)
    assert found.differences == []
    assert found.skipped == {}
    assert found.compared["risk"] == len(before["runs"])
    assert {"commitment", "place", "evidence"} <= set(found.compared)
    return found


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    "script",
    [LANTERN, *(pytest.param(script, marks=pytest.mark.once) for script in (ROLL_CALL, TWO_KEYS))],
    ids=lambda script: script.game,
)
def test_a_contest_of_a_wheel_comes_to_the_stated_numbers(script: Script, tmp_path: Path) -> None:
    site = Site(script, *of_wheel(script))
    hand_in(site)
    seek(site)
    require_stated(site)
    require_recounted(site)
    before = boards_of(site.round)
    end(site)
    assert boards_of(site.round) == before
    bring_back(site, tmp_path)


@pytest.mark.once
@pytest.mark.usefixtures("_installed")
def test_the_house_hides_the_alternative_that_its_method_names() -> None:
    site = Site(TWO_KEYS, *of_wheel(TWO_KEYS))
    for variant in (0, 1):
        request_house_entry(site.round, None, "unchanged", {"variant": variant}, 7)
    work_off_boards_last()
    made = Entry.objects.filter(round=site.round).order_by("pk")
    assert list(made.values_list("variant", "state", "measures", "utility")) == [
        (variant, Entry.State.VALID, {"changed": 0, "forecast": 0}, 100) for variant in (0, 1)
    ]


def alone(play: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a play gives in a database that nobody has played in: its rows are taken back afterwards.

    Keys of targets are numbers of rows, and what a game draws for a target follows from its key.
    """
    with transaction.atomic():
        outcome = play()
        transaction.set_rollback(True)
    return outcome


def forget_answers() -> None:
    """What the sandbox has answered; it is asked again then."""
    shutil.rmtree(settings.VAR / "games" / "answers", ignore_errors=True)
    packages._sandboxed.cache_clear()


def played(made: tuple[Contest, GamePackage], script: Script, place: Path) -> dict[str, Any]:
    site = Site(script, *made)
    hand_in(site)
    seek(site)
    require_stated(site)
    let_programs_play(site)
    end(site)
    if script is LANTERN:
        # Of this one also the sandbox judges everything again; of the others it remembers its answers.
        forget_answers()
    found = bring_back(site, place)
    if not site.table.package.is_uploaded:
        require_recounted(site)
    return {**everything_of(site.round), "compared": found.compared}


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("_installed", "sandbox")
@each_script
def test_a_wheel_and_a_zip_give_equal_bytes_and_numbers(
    script: Script, projects: Path, tmp_path: Path
) -> None:
    plain = alone(lambda: played(of_wheel(script), script, tmp_path))
    caged = alone(lambda: played(of_zip(script, projects), script, tmp_path))
    assert caged.keys() == plain.keys()
    for part, stated in plain.items():
        assert caged[part] == stated, part


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.usefixtures("sandbox")
def test_an_unchanged_codabench_bundle_is_played_to_its_leaderboard(tmp_path: Path) -> None:
    contest = make_contest()
    game = upload_game(contest, contest.organisers.get().user, io.BytesIO(bundle_zip()))
    now = timezone.now()
    phases = [(Phase.Kind.ATTACK, now - DAY, now + DAY), (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY)]
    site = Site(CODABENCH, contest, game, phases=phases)
    game.refresh_from_db()
    assert game.state == GamePackage.State.READY, (game.findings, game.log)
    assert [finding for finding in game.findings if finding["holds"] is False] == []
    assert site.round.build_state == BuildState.READY, (site.round.build_reason, site.round.build_log)
    (task,) = Entry.objects.filter(round=site.round)
    assert (task.key, task.is_brought) == ("task-0", True)
    # A team sends the zip that it would send to Codabench.
    bad = site.answer("fox", b"no zip")
    for team, make in CODABENCH.answers.items():
        site.answer(team, make(site.asked(team))["submission.zip"])
    work_off_boards_last()
    bad.refresh_from_db()
    assert (bad.state, bad.costs_attempt) == (Attack.State.INVALID, False)
    assert [problem["file"] for problem in bad.problems] == ["submission.zip"]
    require_codabench(site)
    end(site)
    require_codabench(site)
    forget_answers()
    bring_back(site, tmp_path)


def require_codabench(site: Site) -> None:
    """The program's scores, and the leaderboard as the bundle declares it."""
    found = AttackRun.objects.filter(attack__round=site.round).select_related("attack__team", "entry")
    got = {(run.attack.team.name, run.entry.key, run.challenge): run.numbers for run in found}
    assert got.keys() == CODABENCH.results.keys()
    assert all(agrees(got[place], stated) for place, stated in CODABENCH.results.items())
    ((name, rows),) = boards_of(site.round).items()
    expected = CODABENCH.boards({})[name]
    assert [(key, place) for key, place, _ in rows] == [(key, n) for n, (key, _) in enumerate(expected, 1)]
    assert all(agrees(values, stated) for (_, _, values), (_, stated) in zip(rows, expected, strict=True))
