"""PWSCUP 2024 against the organisers' programs and published tables.

`golden.json` holds what their programs printed for the entries beside it; the README there says which program
gave which number. The published tables are the organisers' result sheets of the final round.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from games.contract.boxes import EMPTY, MemoryBox, MemoryOut
from games.contract.declaration import Declaration
from games.contract.files import check_files
from games.contract.messages import problem_of
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import Board, Cell, Fault, Hidden, Result, Row, Target, Verdict, World
from games.loading import load_folder
from games.pwscup2024.answers import judged
from games.pwscup2024.layout import layout, read_upload
from games.pwscup2024.linking import each_file_attack, sample_attack
from games.pwscup2024.quiz import Answers, read_quiz, read_truth
from games.pwscup2024.scores import total
from games.pwscup2024.utility import largest_difference, utilities, utility_of
from games.rehearsal import generator
from tests.conftest import ROOT

GAME = load_folder(ROOT / "games" / "pwscup2024")
DECLARED: Declaration = GAME.declaration
LAYOUT = layout(DECLARED)
ENTRIES = ("g0_identity", "g1_swap10", "g2_random15", "g3_zero30", "g4_shuffle_rows", "g5_qi_permuted",
           "g6_independent")  # fmt: skip
ROWS = 10_000


@pytest.fixture(scope="module")
def data(shared_data: Path) -> Path:
    return shared_data / "pwscup2024"


@pytest.fixture(scope="module")
def golden(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / "golden.json").read_text(encoding="utf-8"))
    return found


class Given(NamedTuple):
    """An entry with its table and test set, as columns."""

    table: Columns
    files: list[Columns]
    quiz: MemoryBox


def table_of(data: Path, name: str) -> Columns:
    content = gzip.decompress((data / f"{name}.csv.gz").read_bytes())
    return read_columns(DECLARED, MemoryBox({"B0.csv": content}), "B0.csv")


def quiz_of(data: Path, name: str) -> MemoryBox:
    return MemoryBox({f"{part}.csv": (data / f"{name}{part}.csv").read_bytes() for part in "abx"})


def content_of(data: Path, entry: str, number: int) -> bytes:
    (path,) = (data / entry).glob(f"C*_{number}.csv.gz")
    return gzip.decompress(path.read_bytes())


def files_of(data: Path, entry: str, table: Columns) -> list[Columns]:
    if entry == "g0_identity":
        return [{name: table[name] for name in names} for names in LAYOUT.projections]
    box = MemoryBox({f"C_{number}.csv": content_of(data, entry, number) for number in range(10)})
    return read_upload(DECLARED, box)


@pytest.fixture(scope="module", params=ENTRIES)
def entry(request: pytest.FixtureRequest, data: Path, golden: dict[str, Any]) -> tuple[Given, dict[str, Any]]:
    wanted = golden["entries"][request.param]
    table = table_of(data, wanted["B"])
    files = files_of(data, request.param, table)
    return Given(table, files, quiz_of(data, wanted["B"])), wanted | {"name": request.param}


def test_the_utility_of_every_file_is_as_printed(entry: tuple[Given, dict[str, Any]]) -> None:
    given, wanted = entry
    for file, names, printed in zip(given.files, LAYOUT.projections, wanted["per_file"], strict=True):
        difference = largest_difference(given.table, file, names)
        assert difference == printed["sum_abs"]
        assert f"{difference / (2 * ROWS):.5f}" == printed["printed_mae"]
        assert f"{utility_of(difference, ROWS):.3f}" == printed["printed_utility"]
    # Their program prints its start value, 100.0, where all ten are equal.
    smallest = min(utilities(given.table, given.files, LAYOUT.projections))
    assert smallest == float(wanted["utility_printed"])


def test_the_sample_attack_gives_the_same_lines_hits_and_total(
    entry: tuple[Given, dict[str, Any]], data: Path
) -> None:
    given, wanted = entry
    answers = sample_attack(read_quiz(DECLARED, given.quiz, "", LAYOUT), given.files, LAYOUT)
    if wanted["name"] != "g0_identity":
        lines = (data / wanted["name"] / "E_sample.csv").read_text(encoding="utf-8").split()
        assert [f"{person},{rating}" for person, rating in zip(*answers, strict=True)] == lines
    hits = judged(answers, read_truth(DECLARED, given.quiz, "")).numbers
    printed = wanted["sample_attack"]
    assert (hits["link"], hits["cell"], hits["hits"]) == tuple(
        printed[name] for name in ("link_hits", "cell_hits", "total_hits")
    )
    safety = 100 - hits["hits"]
    assert safety == printed["sample_anonymity"]
    # The sheet's sum of binary fractions is 0.14000000000000057 for g3; both show 0.14.
    published = round(wanted["total_as_published"], 6)
    assert total(float(wanted["utility_printed"]), safety, DECLARED.defaults) == published


@pytest.mark.parametrize("name", ENTRIES[:4])
def test_the_organisers_own_test_set_gives_the_same_hits(
    name: str, data: Path, golden: dict[str, Any]
) -> None:
    box = quiz_of(data, "iB99")
    files = files_of(data, name, table_of(data, "B99"))
    answers = sample_attack(read_quiz(DECLARED, box, "", LAYOUT), files, LAYOUT)
    hits = judged(answers, read_truth(DECLARED, box, "")).numbers
    wanted = golden["edge_cases"]["sample attack with the organisers own test set iB99"][name]
    assert {"link_hits": hits["link"], "cell_hits": hits["cell"]} == wanted


def test_shuffling_the_files_separately_does_not_hide_from_the_attack_by_files(data: Path) -> None:
    """As docs/games/pwscup2024.md says; the sample attack links one person of g6."""
    quiz = quiz_of(data, "B11")
    files = files_of(data, "g6_independent", table_of(data, "B11"))
    answers = each_file_attack(read_quiz(DECLARED, quiz, "", LAYOUT), files, LAYOUT)
    assert judged(answers, read_truth(DECLARED, quiz, "")).numbers["link"] == 50


def test_a_table_is_written_with_the_published_hash(data: Path, golden: dict[str, Any]) -> None:
    """SHA-256 of the organisers' files `sampleBi.csv` and `Bi11.csv`, with LF at the ends of lines."""
    for name, file in (("B99", "sampleBi.csv"), ("B11", "Bi11.csv")):
        out = MemoryOut(DECLARED.files_of("seat", "allot"))
        write_table(out, "B0.csv", table_of(data, name))
        digest = hashlib.sha256(out.files["B0.csv"]).hexdigest()
        assert digest == golden["edge_cases"][f"sha256 {file}"]


def test_the_organisers_files_are_taken_as_they_are(data: Path) -> None:
    """The base table of 1,920 users, and a table of 10,000 people for the second alternative of seat 0."""
    sources = {name: gzip.decompress((data / file).read_bytes())
               for name, file in (("base.csv", "A.csv.gz"), ("pool/B1.csv", "B99.csv.gz"))}  # fmt: skip
    assert check_files(DECLARED.files_of("round", "organiser"), MemoryBox(sources)).verdict.ok
    out = MemoryOut(DECLARED.files_of("round", "build"))
    facts = GAME.build(MemoryBox(sources), DECLARED.defaults, generator("build"), out)
    assert facts == {"users": 1920, "people": 10_000, "asked": 50}
    assert out.files["A.csv"] == sources["base.csv"].replace(b"\r\n", b"\n")


def with_cell(content: bytes, column: str, cell: str) -> bytes:
    """A file whose first row has another cell."""
    header, first, *rest = content.decode().split("\n")
    cells = first.split(",")
    cells[header.split(",").index(column)] = cell
    return "\n".join([header, ",".join(cells), *rest]).encode()


def in_columns(content: bytes, change: Any) -> bytes:
    return "\n".join(",".join(change(line.split(","))) for line in content.decode().split("\n")[:-1]).encode()


EDGES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "e00": (lambda text: text, ()),
    "e01": (lambda text: with_cell(text, "260", "6"), ("bad-integer",)),
    "e02": (lambda text: with_cell(text, "260", "3.0"), ("bad-integer",)),
    "e03": (lambda text: with_cell(text, "260", ""), ("bad-integer",)),
    "e04": (lambda text: with_cell(text, "Age", "24"), ("not-a-choice",)),
    "e06": (lambda text: in_columns(text, lambda row: [*row[:4], row[5], row[4], *row[6:]]), ("no-header",)),
    "e07": (lambda text: in_columns(text, lambda row: row[:-1]), ("no-header", "ragged-row")),
    "e10": (lambda text: in_columns(text, lambda row: ["Name", *row]), ("no-header", "ragged-row")),
    "e12": (lambda text: with_cell(text, "260", "2.5"), ("bad-integer",)),
}
OURS = {
    "e02": "3.0 turned a column to decimals, which the sample attack then never matched",
    "e10": "a column Name would be published with the entry",
}
"""Cases that the original accepts and this game refuses, as the rules say."""


@pytest.mark.parametrize("case", EDGES)
def test_a_file_is_refused_as_by_the_original(case: str, data: Path, golden: dict[str, Any]) -> None:
    change, codes = EDGES[case]
    table = gzip.decompress((data / "B99.csv.gz").read_bytes())
    upload = MemoryBox({"C_0.csv": change(content_of(data, "g1_swap10", 0))})
    seat_file, declared = DECLARED.file("B0.csv"), DECLARED.file("C_0.csv")
    known = {"B0.csv": (seat_file, MemoryBox({"B0.csv": table}).open("B0.csv"))}
    problems = check_files((declared,), upload, known.get).verdict.problems
    assert sorted({problem.code for problem in problems}) == sorted(codes)
    assert (golden["edge_cases"][case]["checkCi"] == "ok") is (not codes or case in OURS)


def test_a_file_with_the_name_of_no_file_is_refused(data: Path, golden: dict[str, Any]) -> None:
    box = MemoryBox({"C9_0.csv": content_of(data, "g1_swap10", 0)})
    codes = {problem.code for problem in check_files((DECLARED.file("id.txt"),), box).verdict.problems}
    assert codes == {"unknown-file"}
    assert golden["edge_cases"]["e09"]["checkCi"] == "refused: 1"


def judged_answer(data: Path, content: str) -> tuple[list[str], float | None]:
    """The codes of what is wrong with an answer to B99, and its hits."""
    box, answer = quiz_of(data, "B99"), MemoryBox({"aki/E.csv": content.encode()})
    target = Target("aki", "", 0, {}, None, EMPTY, box, MemoryBox({"x.csv": box.files["x.csv"]}))
    world = World(DECLARED.defaults, EMPTY, EMPTY)
    said = list(GAME.cover(world, None, answer, [target]))
    faults = [problem_of(DECLARED, fault) for fault in said if isinstance(fault, Fault)]
    if faults:
        return [str(fault) for fault in faults], None
    assert said == [("aki", "test")]
    return [], GAME.judge(world, "test", None, target, answer).numbers["hits"]


def test_an_answer_is_judged_as_by_the_original(data: Path, golden: dict[str, Any]) -> None:
    wanted = {name: case["matching_cells"] for name, case in golden["edge_cases"].items() if name[0] == "a"}
    sample = (data / "g1_swap10" / "E_sample.csv").read_text(encoding="utf-8")
    lines, truth = sample.split(), (data / "B99x.csv").read_text(encoding="utf-8")
    assert judged_answer(data, sample) == ([], wanted["a00"])
    decimals = "".join(f"{line}.0\n" for line in lines)
    assert judged_answer(data, decimals) == ([], wanted["a03"])
    assert judged_answer(data, truth) == ([], wanted["a05"])
    problems, hits = judged_answer(data, "".join(f"{line}\n" for line in lines[:49]))
    assert (problems, hits) == (["aki/E.csv: got '49', expected 50 lines. [game-check]"], wanted["a04"])


def test_a_star_costs_its_own_cell_alone(data: Path, golden: dict[str, Any]) -> None:
    """The original turns the whole column to text and loses all of it, 41 hits: 89 becomes 48 (a01)."""
    lines = (data / "g1_swap10" / "E_sample.csv").read_text(encoding="utf-8").split()
    first, truth = lines[0], (data / "B99x.csv").read_text(encoding="utf-8").split()[0]
    was_hit = first.split(",")[1] == truth.split(",")[1]
    for nothing in ("*", ""):
        starred = "\n".join([f"{first.split(',')[0]},{nothing}", *lines[1:]]) + "\n"
        assert judged_answer(data, starred) == ([], 89 - was_hit)
    assert golden["edge_cases"]["a01"]["matching_cells"] == 48


TEAMS = [f"{number:02d}" for number in range(1, 23)]


class Sheets(NamedTuple):
    """The two published sheets as rows of cells, counted from the first row with a team."""

    overall: list[tuple[Any, ...]]
    detail: list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def sheets(shared_data: Path) -> Sheets:
    from openpyxl import load_workbook

    read = []
    for name in ("main_and_overall", "main_detail"):
        book = load_workbook(shared_data / "published" / f"pwscup2024_{name}.xlsx", data_only=True)
        read.append(list(book.worksheets[0].iter_rows(min_row=3, values_only=True)))
    return Sheets(*read)


@pytest.fixture(scope="module")
def boards(sheets: Sheets) -> dict[str, Board]:
    """The boards of the final round, from the sheets' utilities and hits, after those of the preliminary."""
    hidden = []
    for place, team in enumerate(TEAMS):
        sample, utility = sheets.overall[place][24], sheets.overall[place][26]
        target = Target(f"entry-{team}", "", 0, {}, None, EMPTY, EMPTY, EMPTY)
        # Team 13 handed in nothing.
        if utility:
            hidden.append(Hidden(team, target, "counts", 0.0, Verdict((), utility, {"sample": sample})))
        else:
            hidden.append(Hidden(team, None, "absent"))
    before = [
        Board("main", ("total",), [Row(team, {"total": sheets.overall[place][29]}, None)
                                   for place, team in enumerate(TEAMS)]),
        Board("attackers", ("points",), [Row(team, {"points": sheets.overall[25][2 + place]}, None)
                                         for place, team in enumerate(TEAMS)]),
    ]  # fmt: skip
    cells = list(published_cells(sheets))
    tallied = GAME.tally(
        "last-round", DECLARED.defaults, hidden, lambda: iter(cells), {"preliminary": before}
    )
    return {board.name: board for board in tallied}


def published_cells(sheets: Sheets) -> Iterator[Cell]:
    """Who hit what; the sheets show 0 for attackers without a file and for entries that are not there."""
    for place, team in enumerate(TEAMS):
        for column, attacker in enumerate(TEAMS):
            hits = sheets.overall[place][2 + column]
            link, cell = sheets.detail[place][2 + 2 * column : 4 + 2 * column]
            assert hits == link + cell
            if hits:
                numbers = {"hits": hits, "link": link, "cell": cell}
                yield Cell(attacker, f"entry-{team}", "test", Result(hits / 100, numbers))


def column_of(board: Board, name: str) -> list[float | None]:
    found = {row.key: row.values[name] for row in board.rows}
    return [found[team] for team in TEAMS]


def places_of(board: Board) -> list[int]:
    chains = [row.chain for row in board.rows]
    found = {row.key: 1 + sum(chain < row.chain for chain in chains) for row in board.rows}
    return [found[team] for team in TEAMS]


def shown(values: Any) -> list[float]:
    """Without the noise of the sheet's binary fractions."""
    return [round(value, 6) for value in values]


def test_the_main_board_is_the_published_one(boards: dict[str, Board], sheets: Sheets) -> None:
    board, rows = boards["main"], sheets.overall[:22]
    assert column_of(board, "anonymity") == [row[25] for row in rows]
    assert column_of(board, "total") == shown(row[27] for row in rows)
    assert column_of(board, "sample") == [row[24] for row in rows]
    # The sheet gives the absent team place 0 where all others are ranked; its total of 0 is the last one.
    assert places_of(board) == [row[28] or 22 for row in rows]


def test_the_two_kinds_of_anonymity_are_the_published_ones(boards: dict[str, Board], sheets: Sheets) -> None:
    rows = sheets.detail[:22]
    assert column_of(boards["main"], "link-anonymity") == [row[46] for row in rows]
    assert column_of(boards["main"], "cell-anonymity") == [row[47] for row in rows]


def test_the_attack_points_are_the_published_ones(boards: dict[str, Board], sheets: Sheets) -> None:
    board, rows = boards["attackers"], sheets.overall
    assert column_of(board, "hits") == list(rows[22][2:24])
    assert column_of(board, "points") == list(rows[23][2:24])
    assert places_of(board) == list(rows[24][2:24])
    assert column_of(board, "link-points") == list(sheets.detail[23][2:46:2])
    cell_points = dict(zip(TEAMS, sheets.detail[23][3:46:2], strict=True))
    # The sheet adds 16 in the place of team 20's own cell. The most that anybody made is 28, by team 16,
    # and the sheet of all hits adds 34 = 6 + 28 in the same place.
    assert sheets.detail[19][33] == max(sheets.detail[19][3:46:2]) == 28
    cell_points["20"] += 28 - 16
    assert column_of(board, "cell-points") == list(cell_points.values())


def test_the_overall_boards_are_the_published_ones(boards: dict[str, Board], sheets: Sheets) -> None:
    rows = sheets.overall
    assert column_of(boards["overall"], "score") == shown(row[30] for row in rows[:22])
    assert places_of(boards["overall"]) == [row[31] for row in rows[:22]]
    assert column_of(boards["overall-attackers"], "score") == shown(rows[26][2:24])
    assert places_of(boards["overall-attackers"]) == list(rows[27][2:24])


def test_the_awards_are_five_places_and_the_best_attack(boards: dict[str, Board]) -> None:
    """By the published ranks: 04, 21, 10, 11, 09 overall, and 20 in attack."""
    awarded = {row.key: (row.values["place"], row.values["best-attack"]) for row in boards["awards"].rows}
    assert awarded == {"04": (1, 0), "21": (2, 0), "10": (3, 0), "11": (4, 0), "09": (5, 0), "20": (None, 1)}


def test_the_true_answers_are_all_hits(data: Path) -> None:
    truth = read_truth(DECLARED, quiz_of(data, "B99"), "")
    assert judged(Answers(*truth), truth).risk == 1
