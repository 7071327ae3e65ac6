"""A game's declaration: what is wrong with it is said with its line, and none of its code runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.contract.declaration import VISIBILITIES, Shown
from games.contract.reading import BadGame, read_declaration
from games.loading import NoGame, load_folder, read_folder

TOYS = Path(__file__).parent
POOL = (TOYS / "pool" / "game.yaml").read_text(encoding="utf-8")


def test_a_declaration_is_read_as_it_is_written() -> None:
    pair = read_folder(TOYS / "pair")
    assert (pair.name, pair.version, pair.title["ja"]) == ("pair", "0.2", "ペア")
    assert (pair.seats.count, pair.seats.spare) == (3, 1)
    assert pair.defaults == {"cohort": 30, "limit-changed": 0.9}
    assert pair.rehearsal == {"cohort": 12}
    files = {file.name: file for file in pair.files}
    assert files["B.csv"].shown == VISIBILITIES["team"]
    assert files["quiz.csv"].shown == Shown(all="publish")
    assert files["C.csv"].columns[0].domain == "ages.csv:age"
    assert files["C.csv"].rows == "B.csv"
    assert files["mia.csv"].columns[0].per_target
    assert pair.challenge("aia").numbers[0].bands == (0.5, 0.8)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("name: pool", "name: Pool!", "a name of 1 to 50 small letters"),
        ('version: "1.0"', "version: one", "a version such as 1.0"),
        ('version: "1.0"', "version: 1.0", "a text"),
        ("seats: {", "chairs: {", "only these keys"),
        ("people: {en: members, ja: 会員}\n", "", "a key 'people'"),
        ("shown: team", "shown: friends", "one of public, team, published, secret"),
        ("kind: real, span: [-1000, 1000]", "kind: complex", "one of 'text', 'int', 'real'"),
        ("span: [-1000, 1000]", "span: [1000, -1000]", "two numbers, the smaller first"),
        ("scope: answer", "scope: reply", "one of 'round', 'seat', 'entry', 'answer'"),
        ('answer: ["{target}/scores.csv"]', "answer: [Q.csv]", "There is no answer file 'Q.csv'"),
        ("challenges: [member]}", "challenges: [members]}", "Did you mean 'member'?"),
        ("name: synthetic.csv", "name: ../synthetic.csv", "a plain path"),
        ("name: points.csv", "name: labels.csv", "a name that is not used before"),
        ("most: 100, default: 1", "most: 100, default: 101", "a default that is a number from 0 to 100"),
        ("kind: number, least", "kind: matrix, least", "one of integer, number, flag, choice, text"),
        ("{name: id, kind: int}]}", "{name: id, domain: 'people.csv:key'}]}", "There is no column"),
        ("measures:\n", "rehearsal: {width: 1}\nmeasures:\n", "There is no parameter 'width'"),
        ("methods:\n", "methods: none\nrest:\n", "a list"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_located(before: str, after: str, said: str) -> None:
    """At its own line; a missing key is one of the whole game, a second name is the later file's."""
    line = POOL[: POOL.index(before)].count("\n") + 1
    line = {"people: {en: members, ja: 会員}\n": 1, "name: points.csv": line + 1}.get(before, line)
    with pytest.raises(BadGame) as caught:
        read_declaration(POOL.replace(before, after, 1))
    found = [(problem.line, str(problem)) for problem in caught.value.problems]
    assert any(at == line and said in text for at, text in found), found


def test_columns_in_any_order_need_a_header_that_names_them() -> None:
    text = (TOYS / "pair" / "game.yaml").read_text(encoding="utf-8")
    for header in ("optional", "none"):
        other = text.replace("required\n    column-order", f"{header}\n    column-order")
        with pytest.raises(BadGame, match=r"column-order: got 'free', expected one of 'declared'"):
            read_declaration(other)


def test_the_parameters_of_the_laws_are_checked_like_any() -> None:
    text = (TOYS / "pair" / "game.yaml").read_text(encoding="utf-8")
    with pytest.raises(BadGame, match=r"rehearsal\.cohort: got '3', expected an integer from 4 to 40"):
        read_declaration(text.replace("rehearsal: {cohort: 12}", "rehearsal: {cohort: 3}"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "[]",
        "a: &x [*x]",
        "{" * 30,
        "n: " + "x" * 1_100_000,
        "? [1]\n: 3",
        "!!python/object:os.system x",
    ],
)
def test_no_document_breaks_the_reader(text: str) -> None:
    with pytest.raises(BadGame):
        read_declaration(text)


def test_reading_a_declaration_runs_no_code(tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_text(POOL, encoding="utf-8")
    (tmp_path / "game.py").write_text("raise SystemExit('run')", encoding="utf-8")
    assert read_folder(tmp_path).name == "pool"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "There is no game.yaml"),
        ({"game.yaml": POOL}, "There is no game.py"),
        ({"game.yaml": POOL, "game.py": "Game = 7"}, "has no class Game"),
    ],
)
def test_a_folder_that_is_no_game_says_why(files: dict[str, str], said: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(NoGame, match=said):
        load_folder(tmp_path)


def test_a_declaration_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_bytes(b"name: \xff")
    with pytest.raises(NoGame, match="not UTF-8"):
        read_folder(tmp_path)
