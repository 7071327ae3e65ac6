"""Who sees what: every verb is given exactly what it may see, and organisers' files are checked like any."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from datasets.problems import BadFiles
from games.contract.declaration import VISIBILITIES, Shown, is_shown
from games.loading import load_folder
from games.rehearsal import Rehearsal
from games.stage import Stage

TOYS = Path(__file__).parent
TEAMS = ("aki", "haru", "natsu")


def seen_by(verbs: dict[str, list[Any]], game: Any) -> None:
    """Write down what every verb is given."""
    for name in ("allot", "check", "publish", "measure", "cover", "judge", "attack", "anonymize", "tally"):
        real = getattr(game, name)

        def spy(*arguments: Any, name: str = name, real: Any = real) -> Any:
            verbs.setdefault(name, []).append(arguments)
            return real(*arguments)

        setattr(game, name, spy)


@pytest.fixture
def given() -> dict[str, list[Any]]:
    """The arguments of every verb of a played round of *pair*."""
    game, verbs = load_folder(TOYS / "pair"), dict[str, list[Any]]()
    seen_by(verbs, game)
    round_ = Rehearsal(game, {}, TEAMS)
    for seat in range(3):
        round_.enter(seat, round_.anonymize("flip", seat))
    answer = round_.attack("by-age", 3)
    assert round_.answer(3, answer).problems == ()
    round_.boards()
    return verbs


def test_the_house_attacks_and_anonymizes_without_any_secret(given: dict[str, list[Any]]) -> None:
    _, world, by, targets, *_ = given["attack"][0]
    assert world.secret.names() == [] and by.secret.names() == []
    assert by.files.names() == ["B.csv"]
    for target in targets:
        assert target.published.names() == ["C.csv", "quiz.csv"]
        assert [box.names() for box in (target.upload, target.secret, target.seat.files)] == [[], [], []]
    _, world, seat, *_ = given["anonymize"][0]
    assert world.secret.names() == [] and seat.secret.names() == []


def test_the_judge_sees_both_seats_and_no_upload(given: dict[str, list[Any]]) -> None:
    world, _challenge, by, target, _answer = given["judge"][0]
    assert world.secret.names() == ["world.csv"]
    assert by.secret.names() == target.seat.secret.names() == ["ids.csv"]
    assert target.secret.names() == ["quiz-truth.csv"]
    assert target.upload.names() == []


def test_answers_are_looked_through_without_any_secret(given: dict[str, list[Any]]) -> None:
    world, by, _answer, targets = given["cover"][0]
    assert world.secret.names() == [] and by.secret.names() == []
    assert all(target.secret.names() == [] and target.upload.names() == [] for target in targets)


def test_the_tally_sees_no_file(given: dict[str, list[Any]]) -> None:
    _rule, _params, hidden, _cells, _earlier = given["tally"][0]
    assert [one.team for one in hidden] == list(TEAMS)
    for one in hidden:
        assert one.target.seat is None
        assert one.target.upload.names() == one.target.published.names() == one.target.secret.names() == []


@pytest.mark.parametrize(
    ("word", "all_", "team"),
    [
        ("public", [True, True, True], [True, True, True]),
        ("team", [False, False, False], [True, True, True]),
        ("published", [False, True, True], [True, True, True]),
        ("secret", [False, False, False], [False, False, False]),
    ],
)
def test_the_words_of_visibility_mean_moments(word: str, all_: list[bool], team: list[bool]) -> None:
    shown, moments = VISIBILITIES[word], ("open", "publish", "reveal")
    assert [is_shown(shown, "all", moment) for moment in moments] == all_  # type: ignore[arg-type]
    assert [is_shown(shown, "team", moment) for moment in moments] == team  # type: ignore[arg-type]
    assert Shown().is_secret and not VISIBILITIES["team"].is_secret


def test_what_is_revealed_later_is_a_secret_until_then() -> None:
    people = (TOYS / "pool" / "data" / "people.csv").read_bytes()
    round_ = Rehearsal(load_folder(TOYS / "pool"), {"people.csv": people}, TEAMS)
    target = round_.enter(0, round_.anonymize("noise", 0)).target
    assert target.published.names() == ["points.csv", "synthetic.csv"]
    assert target.secret.names() == ["labels.csv"]


def test_files_of_organisers_are_checked_like_any() -> None:
    game = load_folder(TOYS / "pool")
    with pytest.raises(BadFiles, match=r"people\.csv, line 2, column x: got 'seven', expected a number"):
        Rehearsal(game, {"people.csv": b"id,x\n1,seven\n"}, TEAMS)
    with pytest.raises(BadFiles, match=r"a file people\.csv"):
        Rehearsal(game, {}, TEAMS)


def test_organisers_bring_targets_of_their_own() -> None:
    stage = Stage(TOYS / "pool")
    brought = next(target for target in stage.played.targets() if target.seat is None)
    assert (brought.key, brought.labels) == ("common/first", {"made by": "organisers"})
    assert brought.published.names() == ["points.csv", "synthetic.csv"]  # labels.csv is revealed later
    assert stage.played.entries[brought.key].measures == {}
    assert [(one.team, one.state) for one in stage.played.hidden() if one.state == "house"] == [
        ("common/first", "house")
    ]
    about = {cell.attacker for cell in stage.played.cells if cell.target == brought.key}
    assert about == {"nearest", "blind"}


def test_every_target_that_organisers_bring_is_checked() -> None:
    game, people = load_folder(TOYS / "pool"), (TOYS / "pool/data/people.csv").read_bytes()
    with pytest.raises(BadFiles, match=r"second/release\.csv, line 2, column x: got 'seven'"):
        Rehearsal(game, {"people.csv": people, "second/release.csv": b"x\nseven\n"}, TEAMS)
    with pytest.raises(BadFiles, match=r"second/strange\.csv: expected only"):
        Rehearsal(game, {"people.csv": people, "second/strange.csv": b""}, TEAMS)


def test_a_wide_answer_may_begin_with_a_byte_order_mark() -> None:
    """Spreadsheets write one; the header behind it names the same targets."""
    round_ = Rehearsal(load_folder(TOYS / "pair"), {}, TEAMS)
    for seat in range(3):
        round_.enter(seat, round_.anonymize("flip", seat))
    plain = round_.attack("by-age", 0)
    marked = {name: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n") for name, content in plain.items()}
    first, second = (round_.answer(0, files) for files in (plain, marked))
    assert len(first.cells) == 6
    assert [cell[:3] for cell in first.cells] == [cell[:3] for cell in second.cells]
    assert [cell.result.risk for cell in first.cells] == [cell.result.risk for cell in second.cells]


def test_an_upload_with_its_columns_in_another_order_is_taken_and_published_with_its_header() -> None:
    """*pair* lets the header of an entry name its columns in any order."""
    plain, turned = (Rehearsal(load_folder(TOYS / "pair"), {}, TEAMS) for _ in range(2))
    upload = plain.anonymize("flip", 1)
    rows = [line.split(b",") for line in upload["C.csv"].splitlines()]
    other = {**upload, "C.csv": b"".join(b",".join(row[::-1]) + b"\n" for row in rows)}
    first, second = plain.enter(1, upload), turned.enter(1, other)
    assert first.problems == second.problems == ()
    assert first.measures == second.measures
    assert second.target is not None
    published = second.target.published.open("C.csv").read().splitlines()
    assert published[0] == b"ill,age"
    assert published[1:] == sorted(published[1:])


def test_the_laws_enter_what_a_method_made_for_that_seat() -> None:
    """Also where examples come first: an upload may hold something of its seat."""
    game = load_folder(TOYS / "pair")
    made: list[int] = []
    real = game.anonymize

    def spy(name: str, world: Any, seat: Any, *rest: Any) -> None:
        made.append(seat.number)
        real(name, world, seat, *rest)

    game.anonymize = spy  # type: ignore[method-assign]
    fine = replace(game.declaration.examples[0], refused=())
    game.declaration = replace(game.declaration, examples=(fine,))
    stage = Stage(TOYS / "pair", game)
    assert made == [1, 2]
    assert [seat for seat, _, _ in stage.uploads] == [1, 2]
