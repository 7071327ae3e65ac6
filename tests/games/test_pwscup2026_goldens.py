"""PWSCUP 2026 by the published text: numbers of a retyping of the organisers' programs on a toy world.

The README beside the data says how they came about: the organisers' own files were never run. It asks for
1e-9 everywhere, 1e-6 for pmse where its maximum likelihood does not exist, and equal text at four decimals.
The commitment and the placing of 22 teams are real.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.contract.boxes import EMPTY, MemoryBox
from games.contract.declaration import File
from games.contract.files import check_files
from games.contract.seating import commitment, first_choice, placed
from games.contract.tables import read_columns
from games.contract.values import Cell, Fault, FileVerdict, Hidden, Result, Seat, Target, Verdict, World
from games.loading import load_folder
from games.pwscup2026.attribute import excess
from games.pwscup2026.checks import token_fault
from games.pwscup2026.general import propensity, tail
from games.pwscup2026.layout import CENSORED, HOUSE, N_COHORTS, NUMBERS, RELEASED, by_record, released
from games.pwscup2026.membership import band, lost_anonymity, membership
from games.pwscup2026.reference import read_reference
from games.pwscup2026.seeking import density_ratio, nearest_time
from games.pwscup2026.special import COVARIATES, fitted
from games.pwscup2026.valid import background_of, novel
from tests.conftest import ROOT

GAME = load_folder(ROOT / "games" / "pwscup2026")
DECLARED = GAME.declaration
CASES = ("abg_mix30", "all_dead", "clip1", "clip5", "coarse_round", "const_smoking", "fabricated",
         "identity_shuffled", "mild_mix", "noise_k01", "noise_k01_censfix")  # fmt: skip
N = 1049
WITHIN = 1e-9
SUB = {
    "U_gen": {"marginal": "marginal_mean", "corr": "corr_score", "pmse": "pmse_score", "time": "time_dz",
              "tail": "tail_score"},
    "U_spec": {"io": "io_part", "tstr": "tstr_cal"},
    "U_rare": {"mass": "mass_star", "prof": "prof_cal", "onset": "onset_cal", "c2st": "c2st_cal"},
    "U_valid": {"cens": "cens", "no-fab": "no_fab", "no-dup": "no_dup", "novel": "novel"},
}  # fmt: skip
"""Our names of all sub-measures, and theirs in the golden file."""


@pytest.fixture(scope="module")
def data(shared_data: Path) -> Path:
    return shared_data / "pwscup2026"


def golden(data: Path, name: str) -> Any:
    return json.loads((data / f"golden_{name}.json").read_text(encoding="utf-8"))


def content(data: Path, name: str) -> bytes:
    """A file of the data folder, unpacked."""
    path = data / name
    return path.read_bytes() if path.is_file() else gzip.decompress((data / f"{name}.gz").read_bytes())


def without_last_column(table: bytes) -> bytes:
    return b"".join(line.rsplit(b",", 1)[0] + b"\n" for line in table.splitlines())


def with_ids(cohort: bytes, ids: bytes) -> bytes:
    """A cohort with who is rare and whose record it is, as the game stores it."""
    rows = []
    for line, numbers in zip(cohort.splitlines(), ids.splitlines(), strict=True):
        record, pool, rare = numbers.split(b",")
        assert line.split(b",")[0] == record
        rows.append(b",".join([line, rare, pool]))
    return b"\n".join(rows) + b"\n"


@pytest.fixture(scope="module")
def world(data: Path) -> World:
    house = with_ids(content(data, "truth/B_ref.csv"), content(data, "truth/pool_ids_ref.csv"))
    secret = {f"cohorts/B_{HOUSE}.csv": house, "seed.txt": b"goldens"}
    params = {**DECLARED.defaults, "permutations": 50}
    return World(params, MemoryBox({"A_bg.csv": content(data, "A_bg.csv")}), MemoryBox(secret))


def floors(data: Path) -> dict[int, str]:
    lines = content(data, "truth/aia_floor.csv").decode().split()[1:]
    return {int(number): floor for number, floor in (line.split(",") for line in lines)}


def seat_of(data: Path, number: int, floor: str = "0") -> Seat:
    files = {f"{name}.csv": content(data, f"{folder}/{name}_{number}.csv")
             for folder, name in (("targets", "aia_challenge"), ("truth", "aia_truth"))}  # fmt: skip
    files["floor.csv"] = f"aia_floor\n{floor}\n".encode()
    if number == 0:
        own = content(data, "B_self.csv")
        files |= {"B_self.csv": own, "B.csv": without_last_column(own)}
        files |= {"utility_ref.json": content(data, "utility_ref.json"), "token.txt": b"0123456789abcdef\n"}
    secret = {"pool_ids.csv": content(data, f"truth/pool_ids_{number}.csv")}
    return Seat(number, f"team {number}", MemoryBox(files), MemoryBox(secret))


def target_of(data: Path, number: int, floor: str = "0") -> Target:
    box = MemoryBox({"C.csv": content(data, f"targets/C_{number}.csv")})
    return Target(f"team {number}", "", 0, {}, seat_of(data, number, floor), EMPTY, box, EMPTY)


@pytest.fixture(scope="module")
def own(data: Path) -> Seat:
    return seat_of(data, 0)


def table(box: MemoryBox, name: str, scope: Any = None) -> Any:
    return read_columns(DECLARED, box, name, scope)


def release_of(data: Path, case: str) -> Any:
    return released(table(MemoryBox({"C.csv": content(data, f"C/{case}.csv")}), "C.csv", "entry"))


def close(got: float | None, wanted: float | None, within: float = WITHIN) -> bool:
    """Within the margin, and the same at four decimals."""
    if got is None or wanted is None:
        return got is wanted
    return abs(got - wanted) <= within and f"{got:.4f}" == f"{wanted:.4f}"


@pytest.mark.parametrize("case", CASES)
def test_every_measure_of_a_release_is_as_published(case: str, data: Path, world: World, own: Seat) -> None:
    wanted = golden(data, "utility")[case]
    upload = MemoryBox({"C.csv": content(data, f"C/{case}.csv")})
    entry = Target("team 0", "", 0, {}, own, upload, EMPTY, EMPTY)
    names = [number.name for number in DECLARED.measures]
    found = GAME.measure(world, entry, names)
    expected = {"utility": wanted["utility"], "protection": wanted["protection"]}
    for part, value in wanted["facets"].items():
        expected[part.lower().replace("_", "-")] = value
        expected |= {ours: wanted["detail"][part].get(theirs) for ours, theirs in SUB[part].items()}
    assert set(expected) == set(names)
    for name, value in expected.items():
        within = 1e-6 if (case, name) == ("const_smoking", "pmse") else WITHIN
        assert close(found[name], value, within), f"{name}: got {found[name]}, expected {value}"


@pytest.mark.parametrize("case", CASES)
def test_the_formulas_of_the_preliminary_round_are_kept(
    case: str, data: Path, world: World, own: Seat
) -> None:
    wanted = golden(data, "utility")[case]["preliminary_round"]
    upload = MemoryBox({"C.csv": content(data, f"C/{case}.csv")})
    entry = Target("team 0", "", 0, {}, own, upload, EMPTY, EMPTY)
    older = world._replace(params={**world.params, "formulas": "preliminary"})
    names = {name: name.lower().replace("_", "-") for name in wanted}
    found = GAME.measure(older, entry, list(names.values()))
    for theirs, ours in names.items():
        assert close(found[ours], wanted[theirs]), f"{ours}: got {found[ours]}, expected {wanted[theirs]}"


@pytest.mark.parametrize("case", CASES)
def test_what_stands_behind_the_measures_is_as_published(
    case: str, data: Path, world: World, own: Seat
) -> None:
    wanted = golden(data, "utility")[case]
    detail, release = wanted["detail"], release_of(data, case)
    cohort = by_record(table(own.files, "B_self.csv"))
    with own.files.open("utility_ref.json") as file:
        reference = read_reference(file)
    assert propensity(cohort, release).fit == wanted["propensity_fit"]
    ends = tail(cohort, release, reference)
    assert close(ends.shift, detail["U_gen"]["tail"]["shiftz"])
    assert close(ends.spike, detail["U_gen"]["tail"]["spike"])
    model = fitted(release)
    assert (model is not None) is detail["U_spec"]["cox_converged"]
    if model is not None:
        # Columns in their order: theirs are named log_TG and log_ALT.
        betas = [one["beta_C"] for one in detail["U_spec"]["per_coefficient"].values()]
        assert [name.removeprefix("log_") for name in detail["U_spec"]["per_coefficient"]] == list(COVARIATES)
        assert np.abs(model.coefficients - betas).max() <= WITHIN
    background = background_of(table(world.public, "A_bg.csv"), cohort)
    assert close(novel(release, background), detail["U_valid"]["novel"])
    assert close(float(np.median(background.cohort)), detail["U_valid"]["novel_detail"]["nn_dist_B_median"])


@pytest.mark.parametrize("case", CASES)
def test_the_reference_attack_behind_protection_is_as_published(
    case: str, data: Path, world: World, own: Seat
) -> None:
    wanted = golden(data, "utility")[case]["reference_attack"]
    house = table(world.secret, f"cohorts/B_{HOUSE}.csv")
    confidence = density_ratio(house, release_of(data, case), table(world.public, "A_bg.csv"))
    is_member = np.isin(house["pool_id"], table(own.secret, "pool_ids.csv")["pool_id"])
    found = membership(confidence, is_member, house["is_rare"] == 1, 0.01)
    figures = {"tpr_at_low_fpr": found.all, "tpr_rare": found.rare, "score": found.score, "auc": found.auc}
    assert all(close(figures[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_house_attack_answers_as_the_reference_attack(number: int, data: Path, world: World) -> None:
    """Both files of the toy world were written with SciPy's gaussian_kde and with a plain search."""
    release = released(
        table(MemoryBox({"C.csv": content(data, f"targets/C_{number}.csv")}), "C.csv", "entry")
    )
    background, candidates = table(world.public, "A_bg.csv"), table(seat_of(data, 0).files, "B.csv")
    lines = [line.split(",") for line in content(data, "F/F_mia_reference_kde.csv").decode().split()]
    column = lines[0].index(str(number))
    theirs = np.array([float(line[column]) for line in lines[1:]])
    assert np.abs(density_ratio(candidates, release, background) - theirs).max() <= WITHIN
    rows = [line.split(",") for line in content(data, "F/F_aia_reference_nn.csv").decode().split()[1:]]
    guessed = [float(time) for target, _, time in rows if target == str(number)]
    asked = table(seat_of(data, number).files, "aia_challenge.csv")
    assert nearest_time(asked, release, background).tolist() == guessed


def answer_box(data: Path, mia: str = "constant", aia: str = "all_ten") -> MemoryBox:
    return MemoryBox({"F_mia.csv": content(data, f"F/F_mia_{mia}.csv"),
                      "F_aia.csv": content(data, f"F/F_aia_{aia}.csv")})  # fmt: skip


def judged(data: Path, world: World, own: Seat, challenge: str, answer: MemoryBox,
           floor: Mapping[int, str]) -> dict[str, Result]:  # fmt: skip
    """The results against targets 1 to 4."""
    targets = {str(number): target_of(data, number, floor.get(number, "0")) for number in range(1, 5)}
    return {number: GAME.judge(world, challenge, own, target, answer) for number, target in targets.items()}


def power_of(results: Mapping[str, Result], challenge: str) -> float:
    """A column of the power board of team 0."""
    bare = {f"team {number}": Target(f"team {number}", "", 0, {}, None, EMPTY, EMPTY, EMPTY)
            for number in range(5)}  # fmt: skip
    hidden = [Hidden(team, target, "counts", verdict=Verdict((), 1.0)) for team, target in bare.items()]
    cells = [Cell("team 0", f"team {number}", challenge, result) for number, result in results.items()]
    boards = {board.name: board for board in
              GAME.tally("one-round", DECLARED.defaults, hidden, lambda: iter(cells), {})}  # fmt: skip
    row = next(row for row in boards["power"].rows if row.key == "team 0")
    return row.values[challenge] or 0.0


def mean(results: Mapping[str, Result], name: str) -> float:
    """Over targets; undefined values are skipped."""
    defined = [value for result in results.values() if (value := result.numbers[name]) is not None]
    return sum(defined) / len(defined) if defined else 0.0


@pytest.mark.parametrize("entry", ["reference_kde", "nearest", "constant"])
def test_membership_is_judged_as_published(entry: str, data: Path, world: World, own: Seat) -> None:
    wanted = golden(data, "attack")["mia"][entry]
    results = judged(data, world, own, "mia", answer_box(data, mia=entry), {})
    for number, expected in wanted["per_target"].items():
        numbers = results[number].numbers
        ours = {"tpr_at_low_fpr": "all", "tpr_rare": "rare", "score": "score", "auc": "auc"}
        assert all(close(numbers[name], expected[theirs]) for theirs, name in ours.items())
        (number_all,) = (one for one in DECLARED.challenge("mia").numbers if one.name == "all")
        assert band(numbers["all"] or 0.0, number_all.bands) == expected["band"]
    for name in ("all", "rare", "auc"):
        assert close(mean(results, name), wanted[name])
    assert close(power_of(results, "mia"), wanted["power"])


@pytest.mark.parametrize("floor", ["", "+floor"])
@pytest.mark.parametrize("entry", ["reference_nn", "all_ten", "boundary"])
def test_times_are_judged_as_published(entry: str, floor: str, data: Path, world: World, own: Seat) -> None:
    wanted = golden(data, "attack")["aia"][entry + floor]
    results = judged(data, world, own, "aia", answer_box(data, aia=entry), floors(data) if floor else {})
    ours = {"r_time_all": "all", "r_time_rare": "rare", "p_m": "p-m", "p_c": "p-c", "score": "score",
            "p_m_rare": "p-m-rare", "p_c_rare": "p-c-rare"}  # fmt: skip
    for number, expected in wanted["per_target"].items():
        numbers = results[number].numbers
        assert all(close(numbers[name], expected[theirs]) for theirs, name in ours.items())
    for theirs in ("all", "rare", "p_m", "p_c", "p_m_rare", "p_c_rare"):
        assert close(mean(results, theirs.replace("_", "-")), wanted[theirs])
    assert close(power_of(results, "aia"), wanted["power"])


def test_the_hand_checked_cases(data: Path) -> None:
    micro = golden(data, "micro")
    for case in micro["tpr_at_1pct_fpr"]:
        rare = None if case["rare"] is None else np.array(case["rare"]) == 1
        found = membership(np.array(case["confidence"], float), np.array(case["truth"]) == 1, rare, 0.01)
        figures = {
            "tpr_at_low_fpr": found.all,
            "tpr_rare": found.rare,
            "score": found.score,
            "auc": found.auc,
        }
        assert all(close(figures[name], case[name]) for name in figures), case["case"]
    for case in micro["R"]:
        members, controls = (np.array(case[side], dtype=bool) for side in ("member", "control"))
        assert close(excess(members, controls, case["z"]), case["R"]), case["case"]
    for case in micro["a_MIA"]:
        assert close(lost_anonymity(case["beta"], 0.01), case["a"]), case


def test_all_published_teams_have_their_cohort(data: Path) -> None:
    """Real: the salt of the preliminary round, its commitment, and the 22 teams in order of registration."""
    real = golden(data, "assignment")
    assert commitment(real["salt"]) == real["commitment"]
    teams = [team["name"] for team in real["teams"]]
    assert len(teams) == 22
    choices = [first_choice(team, real["salt"], real["n_cohorts"]) for team in teams]
    assert choices == [team["hash_mod_30"] for team in real["teams"]]
    assert placed(teams, real["salt"], real["n_cohorts"]) == [team["cohort"] for team in real["teams"]]


def test_the_constants_are_those_of_the_contest(data: Path) -> None:
    from games.pwscup2026 import general, layout, rare

    real = json.loads((data / "scoring_parameters.json").read_text(encoding="utf-8"))
    tails = real["scoring"]["u_gen"]["tail"]
    assert dict(general.tail_tables()) == {name: tails[name] for name in ("floor_sd", "ratio")}
    assert sum(ratio <= tails["ratio_max"] for ratio in tails["ratio"].values()) == 36
    assert {name: list(span) for name, span in layout.RANGES.items()} == real["schema"]["ranges"]
    assert list(layout.AGES) == real["population"]["age_range"]
    assert rare.TREES == real["scoring"]["u_rare"]["c2st"]["n_estimators"] == DECLARED.defaults["trees"]
    assert DECLARED.defaults["fpr"] == real["scoring"]["low_fpr"]
    assert DECLARED.defaults["within"] == real["aia"]["tau_time"]
    assert DECLARED.defaults["dead-zone"] == real["scoring"]["aia_rare_se_z"]
    assert DECLARED.defaults["earlier-weight"] == real["scoring"]["round_weights"]["prelim"]
    columns = {column.name: column for column in DECLARED.file("C.csv", "entry").columns}
    for name in NUMBERS:
        assert columns[name].span == tuple(real["schema"]["ranges"].get(name, layout.AGES))


Change = Callable[[bytes], bytes]


def cell(column: str, value: str, row: int = 1) -> Change:
    """One cell of a file is another; column and row as in the file, the header being row 0."""

    def change(given: bytes) -> bytes:
        lines = [line.split(",") for line in given.decode().splitlines()]
        lines[row][lines[0].index(column)] = value
        return as_file(lines)

    return change


def cells(**values: str) -> Change:
    def change(given: bytes) -> bytes:
        for column, value in values.items():
            given = cell(column, value)(given)
        return given

    return change


def as_file(lines: list[list[str]]) -> bytes:
    return "".join(",".join(line) + "\n" for line in lines).encode()


def on_lines(change: Callable[[list[list[str]]], list[list[str]]]) -> Change:
    return lambda given: as_file(change([line.split(",") for line in given.decode().splitlines()]))


def column_set(column: str, value: str) -> Change:
    def change(lines: list[list[str]]) -> list[list[str]]:
        place = lines[0].index(column)
        return [lines[0], *([*line[:place], value, *line[place + 1 :]] for line in lines[1:])]

    return on_lines(change)


def dropped(column: str) -> Change:
    def change(lines: list[list[str]]) -> list[list[str]]:
        place = lines[0].index(column)
        return [[*line[:place], *line[place + 1 :]] for line in lines]

    return on_lines(change)


def added(column: str) -> Change:
    return on_lines(lambda lines: [[*lines[0], column], *([*line, "0.5"] for line in lines[1:])])


def without_target(number: str, but: int = 0) -> Change:
    """Rows of a target are left out, but for so many."""

    def change(lines: list[list[str]]) -> list[list[str]]:
        about = [line for line in lines[1:] if line[0] == number][but:]
        return [line for line in lines if line not in about]

    return on_lines(change)


def own_rows(lines: list[list[str]]) -> list[list[str]]:
    """All targets, the own one too, the rows shuffled."""
    own = [["0", line[1], line[2]] for line in lines[1:] if line[0] == "1"]
    return [lines[0], *sorted([*lines[1:], *own], key=lambda line: line[1][::-1])]


CHANGES: dict[tuple[str, str], Change] = {
    ("C.csv", "none"): lambda given: given,
    ("C.csv", "record_id column kept"): on_lines(
        lambda lines: [[str(row) if row else "record_id", *line] for row, line in enumerate(lines)]
    ),
    ("C.csv", "column death missing"): dropped("death"),
    ("C.csv", "last row twice"): on_lines(lambda lines: [*lines, lines[-1]]),
    ("C.csv", "age 45.0"): cell("age", "45.0"),
    ("C.csv", "age 45.001"): cell("age", "45.001"),
    ("C.csv", "age 39"): cell("age", "39"),
    ("C.csv", "age empty"): cell("age", ""),
    ("C.csv", "sex 2"): cell("sex", "2"),
    ("C.csv", "sex M"): cell("sex", "M"),
    ("C.csv", "prefecture empty"): cell("prefecture", ""),
    ("C.csv", "prefecture 13 in one row"): cell("prefecture", "13"),
    ("C.csv", "all prefectures 13"): column_set("prefecture", "13"),
    ("C.csv", "BMI 55"): cell("BMI", "55"),
    ("C.csv", "BMI 55.0001"): cell("BMI", "55.0001"),
    ("C.csv", "ALT 0"): cell("ALT", "0"),
    ("C.csv", "TG inf"): cell("TG", "inf"),
    ("C.csv", 'TG "1,000"'): cell("TG", '"1,000"'),
    ("C.csv", "time 0"): cell("time", "0"),
    ("C.csv", "time 10"): cell("time", "10"),
    ("C.csv", "time 10.0000001"): cell("time", "10.0000001"),
    ("C.csv", "onset 1 and death 1"): cells(onset="1", death="1"),
    ("C.csv", "onset 0.5"): cell("onset", "0.5"),
    ("C.csv", "CRLF line ends"): lambda given: given.replace(b"\n", b"\r\n"),
    ("C.csv", "Shift_JIS"): lambda given: given.decode().encode("shift_jis"),
    ("C.csv", "header only"): lambda given: given.split(b"\n")[0] + b"\n",
    ("C.csv", "no header"): lambda given: given.split(b"\n", 1)[1],
    ("C.csv", "header names with spaces"): on_lines(
        lambda lines: [[f" {name}" for name in lines[0]], *lines[1:]]
    ),
    ("F_mia.csv", "all columns, own included, rows shuffled"): lambda given: given,
    ("F_mia.csv", "another team's column left out, own kept (team known)"): dropped("3"),
    ("F_mia.csv", "another team's column left out, own kept (team unknown, practice)"): dropped("3"),
    ("F_mia.csv", "column 7 added"): added("7"),
    ("F_mia.csv", 'column "x" added'): added("x"),
    ("F_mia.csv", "value -0.0001"): cell("2", "-0.0001"),
    ("F_mia.csv", "value empty"): cell("2", ""),
    ("F_mia.csv", "row missing"): on_lines(lambda lines: lines[:-1]),
    ("F_mia.csv", "record_id repeated"): on_lines(lambda lines: [*lines[:-1], [lines[1][0], *lines[-1][1:]]]),
    ("F_aia.csv", "all targets, own included, rows shuffled"): on_lines(own_rows),
    ("F_aia.csv", "own target left out"): lambda given: given,
    ("F_aia.csv", "target 3 left out (practice)"): lambda given: without_target("3")(
        on_lines(own_rows)(given)
    ),
    ("F_aia.csv", "one answer left out"): on_lines(lambda lines: lines[:-1]),
    ("F_aia.csv", "own target only partly answered"): lambda given: without_target("0", but=5)(
        on_lines(own_rows)(given)
    ),
    ("F_aia.csv", "challenge row 9999 added"): on_lines(lambda lines: [*lines, ["1", "9999", "10.0"]]),
    ("F_aia.csv", "time_hat empty"): cell("time_hat", ""),
    ("F_aia.csv", "time_hat 1000"): cell("time_hat", "1000"),
    ("F_aia.csv", "target_k 9"): cell("target_k", "9"),
    ("F_aia.csv", "target_k 1.5"): cell("target_k", "1.5"),
    ("F_aia.csv", "columns in another order"): on_lines(
        lambda lines: [[line[2], line[0], line[1]] for line in lines]
    ),
    ("token.txt", "24 hex characters and a newline"): lambda given: b"0123456789abcdef01234567\n",
    ("token.txt", "15 characters"): lambda given: b"0123456789abcde\n",
    ("token.txt", "with a hyphen"): lambda given: b"0123456789-abcdef\n",
    ("token.txt", "empty"): lambda given: b"",
    ("token.txt", "byte order mark first"): lambda given: b"\xef\xbb\xbf0123456789abcdef\n",
}
"""Every change that the golden file names, made here."""


def test_what_was_printed_on_the_practice_data_follows_from_our_formulas(data: Path) -> None:
    """Those data are not public here, so the scores cannot be measured again. What the notebooks print of the
    steps before them leads by our functions and constants to what they print in the end, to four decimals."""
    from games.pwscup2026 import general, valid

    printed = json.loads((data / "published_on_practice_data.json").read_text(encoding="utf-8"))
    near = {"rel": 0, "abs": 5e-4}
    for one in printed["utility"].values():
        facets = [one[name] for name in SUB if name in one]
        assert not facets or one["U"] == min(facets)
    for one in printed["cens"].values():
        assert one["cens"] == valid.Censoring(one["a"], one["b"]).score
    for one in printed["corr"].values():
        scores = 1 - one["mean"] / general.WORST_MEAN, 1 - one["q90"] / general.WORST_TAIL
        assert scores == pytest.approx((one["corr_mean"], one["corr_tail"]), **near)
        assert one["corr"] == min(one["corr_mean"], one["corr_tail"])
    for one in printed["tail (both ends clipped at p %, mean and sd restored)"].values():
        sides = one["z_up"] / general.NORM_UP, one["z_dn"] / general.NORM_DOWN
        shift = np.hypot(*sides) / np.sqrt(2)
        kept = 1 - max(0.0, shift - general.SHIFT_FREE) / general.SHIFT_SCALE
        assert (shift, kept) == pytest.approx((one["z"], one["U_shift"]), **near)
        assert one["tail"] == min(one["U_shift"], one["U_spike"])
    for one in printed["novel (rows replaced by A_bg rows)"].values():
        free = valid.NOVEL_FREE
        assert 1 - max(0.0, one["d_plus"] - free) / (1 - free) == pytest.approx(one["novel"], **near)
    for one in printed["no_dup (rows replaced by copies)"].values():
        rows = np.maximum(np.arange(N) - one["rows"], 0)
        copies = valid.no_dup(dict.fromkeys(RELEASED, rows))
        assert copies == pytest.approx(one["no_dup"], **near)
    for one in printed["mia_probe (nearest neighbour, own cohort against as many A_bg rows)"].values():
        assert lost_anonymity(one["beta"], 0.01) == pytest.approx(one["a_MIA"], **near)
    about = printed["practice_data"]
    assert (about["B"]["rows"], about["A_bg_rows"]) == (N, DECLARED.defaults["background"])
    assert about["challenge_rows_per_target"] == 2 * DECLARED.defaults["challenge"]
    own = 1
    assert (about["targets"] + own, about["censored_time"]) == (N_COHORTS, CENSORED)


def lookup(own: Seat) -> Callable[[str], tuple[File, Any] | None]:
    def found(name: str) -> tuple[File, Any] | None:
        file = DECLARED.file(name, "seat")
        return None if file is None else (file, own.files.open(name))

    return found


def accepts_release(given: bytes, world: World, own: Seat) -> bool:
    box = MemoryBox({"C.csv": given})
    declared = DECLARED.files_of("entry", "upload")
    if not check_files(declared, box, lookup(own)).verdict.ok:
        return False
    return not list(GAME.check(world, Target("team 0", "", 0, {}, own, box, EMPTY, EMPTY)))


def accepts_answer(answer: MemoryBox, data: Path, world: World, own: Seat) -> bool:
    """Both layers, as a round of the platform calls them, with all five targets there."""
    declared = [file for file in DECLARED.files_of("answer") if file.name in answer.names()]
    keys = tuple(f"team {number}" for number in range(5))
    if not check_files(declared, answer, lookup(own), keys).verdict.ok:
        return False
    said = GAME.cover(world, own, answer, [target_of(data, number) for number in range(5)])
    return not [one for one in said if isinstance(one, Fault | FileVerdict)]


@pytest.mark.parametrize(("file", "change"), CHANGES)
def test_a_file_is_accepted_or_refused_as_published(
    file: str, change: str, data: Path, world: World, own: Seat
) -> None:
    cases = {(one["file"], one["change"]): one["accepted"] for one in golden(data, "validation")}
    assert set(cases) == set(CHANGES)
    make = CHANGES[file, change]
    if file == "C.csv":
        accepted = accepts_release(make(content(data, "C/mild_mix.csv")), world, own)
    elif file == "token.txt":
        accepted = not token_fault(make(b""))
    else:
        box = answer_box(data, mia="nearest", aia="reference_nn")
        answer = MemoryBox({**box.files, file: make(box.files[file])})
        practice = world._replace(params={**world.params, "practice": "practice" in change})
        accepted = accepts_answer(answer, data, practice, own)
    assert accepted is cases[file, change]


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("C.csv", cell("age", "45.0004")),
        ("F_mia.csv", cell("2", "inf")),
        ("F_aia.csv", cell("time_hat", "inf")),
        ("F_aia.csv", on_lines(lambda lines: [*lines, lines[-1]])),
    ],
)
def test_holes_of_the_original_are_closed(
    file: str, change: Change, data: Path, world: World, own: Seat
) -> None:
    """The specification, section 8: an age of 45.0004 and infinite answers passed there."""
    if file == "C.csv":
        assert not accepts_release(change(content(data, "C/mild_mix.csv")), world, own)
        return
    box = answer_box(data, mia="nearest", aia="reference_nn")
    assert accepts_answer(box, data, world, own)
    assert not accepts_answer(MemoryBox({**box.files, file: change(box.files[file])}), data, world, own)


def test_a_release_with_its_columns_in_another_order_measures_the_same(
    data: Path, world: World, own: Seat
) -> None:
    """By the published text the order of columns is free."""
    given = content(data, "C/clip5.csv")
    turned = on_lines(lambda lines: [line[::-1] for line in lines])(given)
    assert accepts_release(turned, world, own)
    boxes = (MemoryBox({"C.csv": one}) for one in (given, turned))
    first, second = (
        GAME.measure(world, Target("team 0", "", 0, {}, own, box, EMPTY, EMPTY), ["utility", "u-valid"])
        for box in boxes
    )
    assert first == second


def test_prefectures_can_be_restricted(data: Path, world: World, own: Seat) -> None:
    known = world._replace(params={**world.params, "prefectures": "known"})
    given = content(data, "C/mild_mix.csv")
    assert accepts_release(given, known, own)
    assert not accepts_release(cell("prefecture", "13")(given), known, own)
