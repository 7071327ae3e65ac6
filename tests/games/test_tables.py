"""Methods for any declared table: what they make passes the declared checks, in every game that has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizers.table_registry import run_table_method
from games.contract.boxes import MemoryBox, MemoryOut
from games.contract.declaration import Column, Declaration, File
from games.contract.files import check_files
from games.contract.tables import read_columns, write_table
from games.loading import load_folder, read_folder
from games.rehearsal import Rehearsal
from games.tables.methods import TABLE_HIDERS, hidden_table, table_hider, with_table_methods
from games.tables.shape import Field, shape_of
from tests.conftest import ROOT

N = 60
NAMES = [hider.name for hider in TABLE_HIDERS]
PATIENTS = (  # the columns of PWSCUP 2025's table and their final ranges, by its guide book
    Column("GENDER", "choice", domain=("F", "M")),
    Column("AGE", "int", (2, 110)),
    Column("RACE", "choice", domain=("asian", "black", "hawaiian", "native", "other", "white")),
    Column("ETHNICITY", "choice", domain=("hispanic", "nonhispanic")),
    Column("encounter_count", "int", (4, 1211)),
    Column("num_allergies", "int", (0, 17)),
    Column("asthma_flag", "int", domain=("0", "1")),
    Column("mean_systolic_bp", "real", (37.22, 172.85), decimals=2),
    Column("mean_bmi", "real", (2.97, 73.58), decimals=2),
)
COHORT = (  # of PWSCUP 2026's, by its web page
    Column("record_id", "int", unique=True),
    Column("age", "int", (40, 74)),
    Column("sex", "int", (0, 1)),
    Column("prefecture"),
    Column("BMI", "real", (10, 55)),
    Column("TG", "real", (1, 3000)),
    Column("time", "real", (0.001, 10)),
    Column("onset", "int", (0, 1)),
)
GAPS = (
    Column("ward", "text", empty=True),
    Column("days", "int", (0, 9), empty=True),
    Column("dose", "real", (0, 0.02), decimals=6, empty=True),
    Column("kind", "choice", domain="B.csv:kind"),
    Column("same", "int", (0, 9)),
)
SHAPES = {"patients": PATIENTS, "cohort": COHORT, "gaps": GAPS}


def cells_of(column: Column, rng: np.random.Generator) -> np.ndarray:
    """Cells that are as the column declares them, at the ends of its span, too."""
    if column.unique:
        return rng.permutation(N)
    if column.kind in ("text", "choice"):
        known = (
            column.domain if column.domain and not isinstance(column.domain, str) else ("x y", "z", "東京")
        )
        cells = np.array(known, dtype=object)[rng.integers(0, len(known), N)]
        return np.where(rng.random(N) < 0.2, "", cells) if column.empty else cells
    if column.domain:
        return np.array([int(text) for text in column.domain])[rng.integers(0, len(column.domain), N)]
    low, high = column.span or (0, 1)
    values = np.concatenate([[low, high], low + (high - low) * rng.random(N - 2) ** 2])
    if column.kind == "int":
        values = np.rint(values) if column.name != "same" else np.full(N, 4.0)
        return np.where(rng.random(N) < 0.2, np.nan, values) if column.empty else values.astype(np.int64)
    values = np.clip(np.round(values, 6 if column.decimals is None else column.decimals), low, high)
    return np.where((rng.random(N) < 0.2) | (values < 1e-4), np.nan, values) if column.empty else values


def table_of(columns: tuple[Column, ...], seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {column.name: cells_of(column, rng) for column in columns}


def written(columns: tuple[Column, ...], table: Any) -> tuple[File, bytes]:
    file = File("C.csv", "entry", "upload", columns=columns, header="required", rows=N)
    out = MemoryOut([file])
    write_table(out, "C.csv", table)
    return file, out.files["C.csv"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_every_method_keeps_the_rules_of_every_shape(name: str, shape: str) -> None:
    columns = SHAPES[shape]
    table = table_of(columns)
    file, original = written(columns, {one: _plain(cells) for one, cells in table.items()})

    def lookup(_: str) -> Any:
        return file, MemoryBox({"C.csv": original}).open("C.csv")

    assert check_files([file], MemoryBox({"C.csv": original}), lookup).verdict.problems == ()
    made = [hidden_table(name, table, shape_of(file, table), {}, np.random.default_rng(2)) for _ in range(2)]
    contents = [written(columns, one)[1] for one in made]
    assert check_files([file], MemoryBox({"C.csv": contents[0]}), lookup).verdict.problems == ()
    assert contents[0] == contents[1]
    assert contents[0] != original
    for column in columns:
        if column.unique:
            assert made[0][column.name].tolist() == table[column.name].tolist()


def _plain(cells: np.ndarray) -> list[Any]:
    """Whole numbers beside empty cells as they are written."""
    if cells.dtype != float or not np.isnan(cells).any():
        return cells.tolist()
    return ["" if np.isnan(cell) else int(cell) if cell.is_integer() else cell for cell in cells.tolist()]


GAMES = ("pwscup2024", "pwscup2025", "pwscup2026")
OWN = {
    "pwscup2024": {"table-swap"},
    "pwscup2025": {"table-swap", "copula"},
    "pwscup2026": {"table-swap", "copula"},
}
"""The games that have these methods, and which of them they have in a form of their own."""


def declared_methods() -> list[tuple[str, str]]:
    """Every method of these games, and of whatever other game has one for any table."""
    found = []
    for path in sorted((ROOT / "games").glob("*/game.yaml")):
        names = [method.name for method in load_folder(path.parent).declaration.methods]
        if path.parent.name in GAMES or set(names) & set(NAMES):
            found += [(path.parent.name, name) for name in names]
    return found


@pytest.fixture(scope="module")
def rounds() -> dict[str, Rehearsal]:
    return {}


@pytest.mark.parametrize(("game", "method"), declared_methods())
def test_every_method_makes_an_entry_that_its_game_accepts_and_scores(
    rounds: dict[str, Rehearsal], game: str, method: str
) -> None:
    if game not in rounds:
        made = load_folder(ROOT / "games" / game)
        rounds[game] = Rehearsal(made, {}, ("aki", "haru"), made.declaration.rehearsal)
    round_ = rounds[game]
    upload = round_.anonymize(method, 0)
    assert round_.anonymize(method, 0) == upload
    entered = round_.enter(0, upload, round_.declared.slots[0])
    assert entered.problems == () and entered.target is not None
    assert set(entered.measures) == {measure.name for measure in round_.declared.measures}
    assert entered.verdict.utility is not None and np.isfinite(entered.verdict.utility)


@pytest.mark.parametrize("game", GAMES)
def test_the_contests_have_all_methods_but_those_of_their_own(game: str) -> None:
    declared = load_folder(ROOT / "games" / game).declaration
    added = declared.methods[len(read_folder(ROOT / "games" / game).methods) :]
    assert {method.name for method in added} == {*NAMES} - OWN[game]
    if "alternative" in {one.name for one in declared.methods[0].parameters}:
        assert all(method.parameters[0].name == "alternative" for method in declared.methods)


@pytest.mark.parametrize(("method", "parameters"), [("mondrian", {"k": 4}), ("gh-tree", {"g": 0.75})])
def test_recoded_rows_are_alike_in_groups_of_k(method: str, parameters: dict[str, Any]) -> None:
    """A g-balance of 1 − 1/k means k people at least (Kartal and Li, Theorem 1), here with one row each."""
    table = table_of(PATIENTS)
    made = hidden_table(method, table, shape_of(PATIENTS, table), parameters, np.random.default_rng(0))
    _, counts = np.unique([str(row) for row in zip(*made.values(), strict=True)], return_counts=True)
    assert counts.min() >= 4 and len(counts) > 1


def test_a_recoded_table_is_that_of_the_method_itself() -> None:
    table = table_of(COHORT)
    free = {name: cells for name, cells in table.items() if name != "record_id"}
    output = ",".join(f"{name}={'mode' if name == 'prefecture' else 'mean'}" for name in free)
    direct = run_table_method(
        "mondrian", pd.DataFrame({"row": np.arange(N), **free}), {"id": "row", "qid": list(free)}, 0,
        {"k": 5, "output": output, "ids": "keep"},
    ).table  # fmt: skip
    made = hidden_table("mondrian", table, shape_of(COHORT, table), {"k": 5}, np.random.default_rng(0))
    assert made["age"].tolist() == np.rint(direct["age"]).tolist()
    assert made["BMI"].tolist() == direct["BMI"].tolist()
    assert made["prefecture"].tolist() == direct["prefecture"].tolist()


def test_a_masked_table_is_that_of_the_method_itself() -> None:
    """more-s keeps the values of every column, so that nothing has to be made legal."""
    table = table_of(COHORT)
    numbers = ["age", "sex", "BMI", "TG", "time", "onset"]
    roles = {"confidential": numbers, "given": "prefecture"}
    direct = run_table_method("more-s", pd.DataFrame(table), roles, 7, {}).table
    made = hidden_table("more-s", table, shape_of(COHORT, table), {}, np.random.default_rng(7))
    for name in numbers:
        assert made[name].tolist() == direct[name].tolist()
        assert sorted(made[name].tolist()) == sorted(table[name].tolist())


def test_a_swap_keeps_the_values_of_every_column() -> None:
    table = table_of(PATIENTS)
    made = hidden_table(
        "table-swap", table, shape_of(PATIENTS, table), {"share": 1}, np.random.default_rng(3)
    )
    for name, cells in table.items():
        assert sorted(made[name].tolist()) == sorted(cells.tolist())


@pytest.mark.parametrize("name", NAMES)
def test_tables_of_few_rows_are_hidden_too(name: str) -> None:
    table = {"a": np.array([1, 5, 3, 3]), "b": np.array(["x", "y", "x", "y"], dtype=object),
             "c": np.array([0.5, 0.25, 0.75, 1.0])}  # fmt: skip
    columns = (Column("a", "int", (0, 9)), Column("b"), Column("c", "real", (0, 1)))
    made = hidden_table(name, table, shape_of(columns, table), {}, np.random.default_rng(4))
    assert {len(cells) for cells in made.values()} == {4}


def test_cells_become_legal_by_hand() -> None:
    original = np.array([1.0, 2.0, 3.0])
    exact = Field("bp", "number", 1.005, 9.999, 2)
    assert exact.legal(np.array([0.0, 2.345678, 12.0]), original).tolist() == [1.01, 2.35, 9.99]
    listed = Field("age", "integer", values=np.array([1, 18, 25]))
    assert listed.legal(np.array([-4.0, 10.0, 90.0]), original).tolist() == [1, 18, 25]
    texts = Field("city", "category", values=np.array(["a", "b"], dtype=object))
    held = np.array(["b", "b", "a"], dtype=object)
    assert texts.legal(np.array(["a", "?", "b"], dtype=object), held).tolist() == ["a", "b", "b"]


def test_a_game_gets_the_methods_with_a_few_lines() -> None:
    bare = load_folder(ROOT / "games" / "skeleton").declaration
    declared: Declaration = with_table_methods(bare, without=("tree",))
    assert [method.name for method in declared.methods][len(bare.methods) :] == NAMES[:-1]
    for hider in TABLE_HIDERS:
        assert set(hider.title) == set(hider.meaning) == {"en", "ja"}
        assert all(one.checked(one.default) == one.default for one in hider.parameters)
        assert all(set(one.words["label"]) == {"en", "ja"} for one in hider.parameters)
    with pytest.raises(KeyError, match="mondrian"):
        table_hider("mondrain")


def test_a_read_table_is_written_again_as_it_was() -> None:
    """The shape of a file and its reader agree: nothing changed is nothing changed, gaps as well."""
    table = table_of(GAPS)
    file, content = written(GAPS, {one: _plain(cells) for one, cells in table.items()})
    bare = load_folder(ROOT / "games" / "skeleton").declaration
    declared = Declaration("x", "1", {}, {}, (file,), bare.challenges)
    read = read_columns(declared, MemoryBox({"C.csv": content}), "C.csv")
    made = hidden_table("table-swap", read, shape_of(file, read), {"share": 0}, np.random.default_rng(0))
    assert written(GAPS, made)[1] == content
