"""Another version of a game: tried beside the one in force, then made live or discarded.

All numbers are counted by hand from the four ages in `tests/game_versions.py`.
"""

from __future__ import annotations

import io
from typing import Any

import pytest

from contest.errors import Refused
from contest.models import (
    AttackRun,
    AuditEvent,
    Entry,
    GamePackage,
    Illustration,
    Job,
    Round,
    Score,
    StoredBoard,
    Trial,
    User,
)
from contest.pages.public_log import changes, public_events
from contest.services.game_packages import upload_game
from contest.services.trials import discard_trial, make_live, repeat_trial, try_version
from tests.factories import make_contest, make_entry, make_team, work_off
from tests.game_rounds import answer, make_game_round
from tests.game_versions import EXACT, NEAR, PEOPLE, mini, trust_uploads, version_2

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _uploads_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    trust_uploads(monkeypatch)


def uploaded(round_or_contest: Any, content: bytes) -> GamePackage:
    contest = getattr(round_or_contest, "contest", round_or_contest)
    package = upload_game(contest, organiser(contest), io.BytesIO(content))
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    package.refresh_from_db()
    return package


def organiser(contest: Any) -> User:
    user: User = contest.organisers.select_related("user").get().user
    return user


@pytest.fixture
def played() -> Round:
    """Aki leaves three ages as they are, Haru moves all by one year; Haru also guesses Aki's."""
    contest = make_contest()
    package = uploaded(contest, mini())
    aki, haru = make_team(contest, "Aki"), make_team(contest, "Haru")
    round_ = make_game_round(contest, package, {"people.csv": PEOPLE}, attacks=["copy"])
    entry = make_entry(round_, aki, EXACT)
    make_entry(round_, haru, NEAR)
    work_off()
    answer(round_, haru, {f"{entry.key}.csv": b"age\n22\n32\n42\n51\n"})
    work_off()
    round_.refresh_from_db()
    return round_


def places(round_: Round, view: str = "final", board: str = "main") -> dict[str, int | None]:
    stored = StoredBoard.objects.get(round=round_, view=view, name=board)
    return {row["key"]: row["place"] for row in stored.rows}


def tried(round_: Round, content: bytes) -> Trial:
    trial = try_version(round_, organiser(round_.contest), uploaded(round_, content))
    work_off()
    trial.refresh_from_db()
    return trial


def live_rows(round_: Round) -> list[Any]:
    """Everything that a trial must leave alone."""
    entries = Entry.objects.filter(round=round_).order_by("pk").values()
    runs = AttackRun.objects.filter(attack__round=round_).order_by("pk").values()
    boards = StoredBoard.objects.filter(round=round_).exclude(view="trial").order_by("pk").values()
    scores = Score.objects.filter(entry__round=round_).order_by("pk").values()
    return [*entries, *runs, *boards, *scores, *Round.objects.filter(pk=round_.pk).values()]


def test_a_trial_says_who_would_move_and_changes_nothing(played: Round) -> None:
    before = live_rows(played)
    assert places(played) == {"Aki": 2, "Haru": 1}
    trial = tried(played, version_2())
    assert trial.state == Trial.State.READY, (trial.why_failed, trial.log)
    assert live_rows(played) == before
    # By the first version nobody finds an age of Haru's; by the second all four are at most a year off.
    risks = {
        (row["attack"], row["name"]): (row["before"]["risk"], row["after"]["risk"])
        for row in trial.differences["runs"]
    }
    assert risks == {("copy", "Haru #1"): (0.0, 1.0), ("Haru · guess file 1", "Aki #1"): (0.0, 0.25)}
    assert trial.differences["entries"] == []
    moved = {
        row["key"]: (row["before"]["place"], row["after"]["place"])
        for row in trial.differences["places"]
        if row["board"] == "main"
    }
    assert moved["Haru"] == (1, 2)
    assert moved["Aki"] == (2, 1)
    assert places(played, "trial") == {"Aki": 1, "Haru": 2}


def test_a_version_is_made_live_with_a_reason_that_everybody_reads(played: Round) -> None:
    trial = tried(played, version_2(("game.py", "float(off.sum())", "2 * float(off.sum())")))
    user = organiser(played.contest)
    with pytest.raises(Refused, match="reason"):
        make_live(trial, user, " ")
    make_live(trial, user, "a year off is near enough")
    work_off()
    played.refresh_from_db()
    assert played.game == trial.game
    assert places(played) == {"Aki": 1, "Haru": 2}
    assert not StoredBoard.objects.filter(round=played, view="trial").exists()
    haru = Entry.objects.get(round=played, team__name="Haru")
    assert (haru.risk, haru.measures) == (1.0, {"error": 2.0})
    # The old version's score stays beside the new one.
    values = dict(Score.objects.filter(entry=haru).values_list("game", "value"))
    assert values == {trial.game_before.sha256: 1.0, trial.game.sha256: 2.0}
    event = AuditEvent.objects.get(verb="trial.applied")
    assert event.before == {"game": "mini 1.0"}
    assert event.after["game"] == "mini 2.0"
    assert event.after["runs"][0]["before"]["risk"] == 0.0
    said = changes(played.contest, list(public_events(played.contest)))
    assert [(change.detail, change.reason) for change in said if "version" in change.text] == [
        ("mini 1.0 → mini 2.0", "a year off is near enough")
    ]


def test_entries_that_the_new_version_finds_too_far_off_lose_their_place(played: Round) -> None:
    # The mean error of Aki's entry is 10 / 4 = 2.5, of Haru's 1; the limit is 20.
    trial = tried(played, version_2(("game.py", "float(off.sum())", "10 * float(off.sum())")))
    (aki, haru) = trial.differences["entries"]
    assert (aki["before"]["state"], aki["after"]["state"]) == ("valid", "invalid")
    assert aki["after"]["measures"] == {"error": 25.0}
    assert haru["after"]["state"] == "valid"
    make_live(trial, organiser(played.contest), "errors count tenfold")
    work_off()
    assert not Entry.objects.get(round=played, team__name="Aki").is_official
    assert places(played)["Aki"] is None or places(played)["Aki"] > places(played)["Haru"]  # type: ignore[operator]


def test_what_was_tried_must_be_all_there_is(played: Round) -> None:
    trial = tried(played, version_2())
    natsu = make_team(played.contest, "Natsu")
    work_off()
    make_entry(played, natsu, NEAR)
    work_off()
    with pytest.raises(Refused, match="new entries"):
        make_live(trial, organiser(played.contest), "too early")
    repeat_trial(trial, organiser(played.contest))
    work_off()
    make_live(trial, organiser(played.contest), "now all are in")
    work_off()
    assert places(played) == {"Aki": 1, "Haru": 2, "Natsu": 3}


def test_a_discarded_version_leaves_nothing_behind(played: Round) -> None:
    before = live_rows(played)
    trial = tried(played, version_2())
    with pytest.raises(Refused, match="still to be made live"):
        try_version(
            played,
            organiser(played.contest),
            uploaded(played, version_2(("game.py", "NEAR = 1", "NEAR = 2"))),
        )
    discard_trial(trial, organiser(played.contest))
    assert not StoredBoard.objects.filter(round=played, view="trial").exists()
    assert live_rows(played) == before
    with pytest.raises(Refused, match="already"):
        make_live(trial, organiser(played.contest), "no, after all")


def test_a_version_that_breaks_is_reported_with_its_log(played: Round) -> None:
    trial = tried(played, version_2(("game.py", "found / len(off)", "7.0")))
    assert trial.state == Trial.State.FAILED
    assert "risk" in trial.log
    assert places(played) == {"Aki": 2, "Haru": 1}
    discard_trial(trial, organiser(played.contest))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("game.yaml", "shown: public", "shown: secret"), "people.csv is declared differently"),
        (("game.yaml", "rows: people.csv, columns", "columns"), "release.csv is declared differently"),
        (("game.yaml", "files:\n", "seats: {spare: 2}\nfiles:\n"), "seats"),
        (("game.yaml", "name: standard", "name: other"), "no rule"),
        (("game.yaml", "name: copy", "name: paste"), "copy takes part"),
        (("game.yaml", "most: 120, default: 20", "most: 10, default: 5"), "limit-error"),
        (("game.yaml", "name: mini", "name: maxi"), "another game"),
    ],
)
def test_what_cannot_change_in_a_round_is_refused(played: Round, change: Any, word: str) -> None:
    with pytest.raises(Refused, match=word):
        try_version(played, organiser(played.contest), uploaded(played, version_2(change)))
    assert not Trial.objects.exists()


def test_another_version_draws_its_own_pictures(played: Round) -> None:
    assert not Illustration.objects.exists()
    pictures = (
        "pictures: [{name: ages, kind: bars, title: {en: Ages}, words: {before: {en: b}, after: {en: a}}},"
        " {name: found, kind: bars, of: answer, title: {en: Found}, words: {found: {en: f}}}]\nattacks:"
    )
    drawn = (
        "    def pictures(self, world, entry):\n"
        "        from games.contract.marginals import number_bars\n"
        "        ages = (self._ages(world.public, 'people.csv'), self._ages(entry.upload, 'release.csv'))\n"
        "        yield number_bars('ages', '', *ages)\n\n"
        "    def answer_pictures(self, world, question, result):\n"
        "        from games.contract.values import Bars\n"
        "        yield Bars('found', ('found',), {'found': (result.numbers['found'],)})\n\n"
        "    def attack("
    )
    changes = ("game.yaml", "attacks:", pictures), ("game.py", "    def attack(", drawn)
    trial = tried(played, version_2(*changes))
    assert not Illustration.objects.exists()
    assert not any("pictures" in row for row in trial.differences["runs"])
    make_live(trial, organiser(played.contest), "with pictures")
    runs = AttackRun.objects.filter(attack__round=played, state="done")
    for run in runs:
        assert run.illustration.drawn[0]["series"][0]["values"] == [run.numbers["found"]]
    of_entries = [one.drawn[0]["classes"] for one in Illustration.objects.filter(run=None).order_by("pk")]
    assert of_entries == [["20", "30", "40", "50", "60"], ["20", "21", "30", "31", "40", "41", "50", "51"]]
    assert Illustration.objects.filter(entry=None).count() == runs.count() == 3
