"""PWSCUP 2024 as a game: who is asked about, what is published, how answers and boards come about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import yaml

from games.contract.boxes import EMPTY
from games.contract.values import Board, Box, Cell, Hidden, Result, Row, Target, Verdict
from games.laws import LAWS, checked
from games.loading import load_folder
from games.pwscup2024.generator import MOST_NAMES, invented_base, table_of_people
from games.pwscup2024.layout import ATTRIBUTES, layout, read_upload
from games.pwscup2024.linking import GLUED, assignment_attack, each_file_attack, glued, sample_attack
from games.pwscup2024.methods import projections
from games.pwscup2024.quiz import HIDDEN, draw, read_quiz, read_truth
from games.rehearsal import Entered, Rehearsal, generator
from tests.conftest import ROOT

FOLDER = ROOT / "games" / "pwscup2024"
GAME = load_folder(FOLDER)
DECLARED = GAME.declaration
LAYOUT = layout(DECLARED)
TEAMS = ("aki", "haru", "natsu")


def played(params: Mapping[str, Any] | None = None, sources: Mapping[str, bytes] | None = None) -> Rehearsal:
    return Rehearsal(GAME, sources or {}, TEAMS, {**DECLARED.rehearsal, **(params or {})})


def entered(round_: Rehearsal, seat: int, method: str = "unchanged", variant: int = 0) -> Entered:
    upload = round_.anonymize(method, seat, {"alternative": variant})
    found = round_.enter(seat, upload, variant=variant)
    assert found.problems == ()
    return found


def own_files(round_: Rehearsal, seat: int) -> dict[str, bytes]:
    """What a team gets."""
    box = round_.seat(seat, "team").files
    return {name: box.open(name).read() for name in box.names()}


def rows_of(content: bytes) -> list[list[str]]:
    return [line.split(",") for line in content.decode().splitlines()]


def rows_in(box: Box, name: str) -> list[list[str]]:
    return rows_of(box.open(name).read())


def test_every_law_holds_or_is_off_for_a_reason() -> None:
    findings = {finding.law: finding for finding in checked(FOLDER)}
    assert list(findings) == list(LAWS)
    assert {law for law, finding in findings.items() if finding.holds is not True} == {"row-order"}
    assert "published as it was sent" in findings["row-order"].text


@pytest.mark.parametrize("name", DECLARED.presets)
def test_a_preset_names_a_rule_and_legal_values(name: str) -> None:
    preset = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    assert DECLARED.rule(preset["rule"])
    settings = {setting.name: setting for setting in DECLARED.parameters}
    for parameter, value in preset["parameters"].items():
        assert settings[parameter].checked(value) == value


def test_both_languages_have_the_rules() -> None:
    for language, name in DECLARED.texts.items():
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert "max(0, U + A − 2·max(0, 50 − U) − 2·max(0, 50 − A))" in text, language


def test_the_files_are_projections_of_the_table_and_the_sample_attack_finds_all_its_columns() -> None:
    assert [len(names) - len(ATTRIBUTES) for names in LAYOUT.projections] == [
        13, 23, 5, 24, 11, 7, 5, 8, 4, 10,
    ]  # fmt: skip
    for name in ("B0.csv", "pool/B0.csv"):
        assert tuple(column.name for column in DECLARED.file(name).columns) == LAYOUT.table
    users = [[column.name for column in DECLARED.file(name).columns] for name in ("A.csv", "base.csv")]
    assert users == 2 * [["User ID", *ATTRIBUTES, *LAYOUT.movies]]
    for source, names in zip(GLUED, LAYOUT.projections, strict=True):
        assert set(source) <= set(names)
    assert sorted(sum(GLUED, ())) == sorted((*ATTRIBUTES, *LAYOUT.movies))


def test_a_generated_table_is_legal_and_its_names_are_distinct() -> None:
    base = invented_base(50, LAYOUT.movies, generator("base"))
    table = table_of_people(base, LAYOUT.movies, MOST_NAMES, generator("table"))
    assert len(set(table["Name"])) == MOST_NAMES
    assert all(set(table[name]) <= set(base[name]) for name in ATTRIBUTES)
    assert all(set(table[movie]) == set(range(6)) for movie in LAYOUT.movies)


def test_the_same_seed_gives_the_same_round_and_seats_differ() -> None:
    first, second = played(), played()
    assert first.round_files == second.round_files
    seats = [own_files(first, number) for number in range(4)]
    assert seats == [own_files(second, number) for number in range(4)]
    tables = {content for files in seats for content in files.values()}
    assert len(tables) == 12


def test_tables_and_users_of_the_organisers_are_used() -> None:
    brought = own_files(played(), 2)["B1.csv"]
    base = played({"base-users": 10}).round_files["A.csv"]
    round_ = played(sources={"pool/B4.csv": brought, "base.csv": base})
    seat = own_files(round_, 1)
    assert seat["B1.csv"] == brought != seat["B0.csv"]
    assert round_.round_files["A.csv"] == base


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="people: got 19, expected at least 20"):
        played({"people": 19})
    brought = own_files(played(), 0)["B0.csv"]
    with pytest.raises(ValueError, match=r"pool/B0\.csv: got 60 rows, expected 61"):
        played({"people": 61}, {"pool/B0.csv": brought})


@pytest.mark.parametrize("variant", [0, 1, 2])
def test_the_test_set_asks_about_people_of_the_chosen_table(variant: int) -> None:
    round_ = played()
    target = entered(round_, 1, variant=variant).target
    seat = round_.seat(1)
    table = {row[0]: row[1:] for row in rows_of(own_files(round_, 1)[f"B{variant}.csv"])}
    people = rows_in(target.published, "a.csv")[1:]
    lines = rows_in(target.published, "b.csv")[1:]
    truth = rows_in(target.secret, "x.csv")
    assert len(people) == len(lines) == len(truth) == 10
    assert sorted(int(person) for person, _ in truth) == list(range(10))
    for line, (person, rating) in zip(lines, truth, strict=True):
        name, *attributes = people[int(person)]
        restored = [rating if cell == "*" else cell for cell in line]
        assert line.count("*") == 1
        assert table[name] == [*attributes, *restored]
    sample = {row[0] for row in rows_in(seat.secret, f"sample{variant}-a.csv")[1:]}
    assert sample.isdisjoint(row[0] for row in people)
    uploaded = [f"C_{number}.csv" for number in range(10)]
    assert target.published.names() == [*uploaded, "a.csv", "b.csv"]


def hidden_columns(entry: Entered) -> list[str]:
    header, *lines = rows_in(entry.target.published, "b.csv")
    return [header[line.index("*")] for line in lines]


def test_common_columns_are_those_of_the_committed_list() -> None:
    round_ = played({"hidden-columns": "common"})
    listed = json.loads(round_.round_files["hidden-columns.json"])
    assert len(listed["salt"]) == 32
    for seat in range(3):
        assert hidden_columns(entered(round_, seat)) == listed["columns"]
    file = DECLARED.file("hidden-columns.json")
    assert file.committed and (file.shown.all, file.shown.team) == ("reveal", "never")
    assert "hidden-columns.json" not in round_.world(secret=False).public.names()


def test_columns_drawn_for_each_person_differ_between_targets() -> None:
    round_ = played()
    assert "hidden-columns.json" not in round_.round_files
    assert hidden_columns(entered(round_, 0)) != hidden_columns(entered(round_, 1))


def test_files_are_published_in_the_order_of_their_rows_and_in_plain_numbers() -> None:
    round_ = played()
    upload = dict(round_.anonymize("unchanged", 0))
    header, *rows = rows_of(upload["C_8.csv"])
    rows[0][3] = f"0{rows[0][3]}"
    turned = "\r\n".join(",".join(row) for row in [header, *rows[::-1]]) + "\r\n"
    found = round_.enter(0, upload | {"C_8.csv": turned.encode()})
    assert found.problems == ()
    published = rows_in(found.target.published, "C_8.csv")
    assert published == rows_of(upload["C_8.csv"])[:1] + rows_of(upload["C_8.csv"])[:0:-1]


def test_what_a_check_finds_is_located_and_at_most_twenty_are_told() -> None:
    round_ = played()
    upload = dict(round_.anonymize("unchanged", 0))
    header, *rows = rows_of(upload["C_3.csv"])
    known = {row[3] for row in rows}
    unknown = next(str(number) for number in range(1000) if str(number) not in known)
    rows[4][3] = unknown
    one = "\n".join(",".join(row) for row in [header, *rows]) + "\n"
    problems = round_.enter(0, upload | {"C_3.csv": one.encode()}).problems
    assert [(problem.file, problem.line, problem.column, problem.got) for problem in problems] == [
        ("C_3.csv", 6, "ZIP-code", unknown)
    ]
    every = "\n".join(",".join([*row[:3], unknown, *row[4:]]) for row in rows)
    content = (",".join(header) + "\n" + every + "\n").encode()
    assert len(round_.enter(0, upload | {"C_3.csv": content}).problems) == 20


def test_the_number_of_the_seat_is_optional_and_checked() -> None:
    round_ = played()
    upload = dict(round_.anonymize("unchanged", 2))
    assert upload["id.txt"] == b"03\n"
    (problem,) = round_.enter(2, upload | {"id.txt": b"04\n"}).problems
    assert str(problem).startswith("id.txt, line 1, column number: got '4', expected 03, the number")
    del upload["id.txt"]
    assert round_.enter(2, upload).problems == ()


def test_unchanged_files_have_full_utility_and_no_sample_anonymity() -> None:
    measures = entered(played(), 0).measures
    assert {measures[f"utility-{number}"] for number in range(10)} == {measures["utility"]} == {100.0}
    assert (measures["sample-anonymity"], measures["sample-link"], measures["sample-cell"]) == (0, 10, 10)


def brute_force(quiz: Any, table: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """The sample attack as it is described, cell by cell as texts."""
    columns = (*ATTRIBUTES, *LAYOUT.movies)
    rows = list(zip(*([str(cell) for cell in table[name]] for name in columns), strict=True))
    people = list(zip(*([str(cell) for cell in quiz.people[name]] for name in ATTRIBUTES), strict=True))
    persons, ratings = [], []
    for line, hidden in zip(quiz.ratings.tolist(), quiz.hidden.tolist(), strict=True):
        cells = ["*" if cell == HIDDEN else str(cell) for cell in line]
        best = min(
            (sum(a != b for a, b in zip((*person, *cells), row, strict=True)), number, place)
            for number, person in enumerate(people)
            for place, row in enumerate(rows)
        )
        persons.append(best[1])
        ratings.append(int(table[LAYOUT.movies[hidden]][best[2]]))
    return persons, ratings


@pytest.mark.parametrize("method", ["swap", "redraw", "scatter"])
def test_the_sample_attack_is_the_comparison_of_all_cells(method: str) -> None:
    """With many ties: of two tables' rows, half are the same."""
    rng = generator("ties", method)
    base = invented_base(6, LAYOUT.movies, rng)
    table = table_of_people(base, LAYOUT.movies, 12, rng)
    quiz, _ = draw(table, LAYOUT, 8, rng)
    doubled = {name: np.concatenate([column, column]) for name, column in table.items()}
    files = list(projections(method, doubled, LAYOUT, 0.5, rng))
    answers = sample_attack(quiz, files, LAYOUT)
    assert (answers.person.tolist(), answers.rating.tolist()) == brute_force(quiz, glued(files))


def test_scattered_rows_defeat_the_sample_attack_and_not_the_one_by_files() -> None:
    round_ = played({"people": 300, "persons": 50})
    target = entered(round_, 0, "scatter").target
    quiz, truth = read_quiz(DECLARED, target.published, "", LAYOUT), read_truth(DECLARED, target.secret, "")
    files = read_upload(DECLARED, target.published)
    by_row, by_file = (
        int((attack(quiz, files, LAYOUT).person == truth.person).sum())
        for attack in (sample_attack, each_file_attack)
    )
    assert by_row < 15 < 45 < by_file


@pytest.mark.parametrize("number", range(3))
def test_the_assignment_is_the_best_of_all_ways_to_give_people_lines(number: int) -> None:
    """Of all 720; with one hidden cell in every line, and files whose rows are in orders of their own."""
    rng = generator("assignment", number)
    table = table_of_people(invented_base(6, LAYOUT.movies, rng), LAYOUT.movies, 20, rng)
    quiz, _ = draw(table, LAYOUT, 6, rng)
    files = list(projections("scatter", table, LAYOUT, 0.6, rng))
    ratings = [dict(zip(LAYOUT.movies, line, strict=True)) for line in quiz.ratings.tolist()]
    people = [{name: quiz.people[name][one] for name in ATTRIBUTES} for one in range(6)]

    def apart(line: int, person: int) -> int:
        known = ratings[line] | people[person]
        rows = range(20)
        return sum(
            min(sum(known[name] != file[name][row] for name in file) for row in rows) for file in files
        )

    every = [[apart(line, person) for person in range(6)] for line in range(6)]
    given = assignment_attack(quiz, files, LAYOUT).person.tolist()
    assert sorted(given) == list(range(6))
    sums = (sum(every[line][one] for line, one in enumerate(order)) for order in permutations(range(6)))
    assert sum(every[line][one] for line, one in enumerate(given)) == min(sums)


def answer_of(round_: Rehearsal, by: int) -> list[list[str]]:
    return rows_of(round_.oracle(by)["E.csv"])


def as_file(rows: list[list[str]]) -> bytes:
    return "".join(",".join(row) + "\n" for row in rows).encode()


def round_with_targets() -> Rehearsal:
    round_ = played()
    for seat in range(3):
        entered(round_, seat, "swap")
    return round_


def test_one_file_answers_all_targets_and_blank_columns_leave_one_out() -> None:
    round_ = round_with_targets()
    header, *rows = answer_of(round_, 1)
    assert header == [f"{team}-{part}" for team in TEAMS for part in ("person", "rating")]
    blank = [[*row[:2], "", "*", *row[4:]] for row in rows]
    answered = round_.answer(1, {"E.csv": as_file([header, *blank])})
    assert {cell.target: cell.result.numbers["hits"] for cell in answered.cells} == {"aki": 20, "natsu": 20}


def test_a_file_per_target_gives_the_same() -> None:
    round_ = round_with_targets()
    rows = answer_of(round_, 1)[1:]
    rows[0][:2] = ["*", ""]
    answered = round_.answer(1, {"aki/E.csv": as_file([row[:2] for row in rows])})
    (cell,) = answered.cells
    assert (cell.result.numbers, cell.result.risk) == ({"hits": 18, "link": 9, "cell": 9}, 0.9)


@pytest.mark.parametrize(
    ("place", "cell", "said"),
    [
        (0, "10", "E.csv, line 2, column aki-person: got '10', expected the number of a person from 0 to 9"),
        (1, "6", "E.csv, line 2, column aki-rating: got '6', expected a rating from 0 to 5"),
        (1, "2.5", "E.csv, line 2, column aki-rating: got '2.5', expected a rating"),
        (0, "-1", "E.csv, line 2, column aki-person: got '-1', expected the number of a person"),
        (0, "Fiba Dorack", "E.csv, line 2, column aki-person: got 'Fiba Dorac"),
    ],
)
def test_a_cell_that_is_no_answer_is_located(place: int, cell: str, said: str) -> None:
    round_ = round_with_targets()
    rows = answer_of(round_, 1)
    rows[1][place] = cell
    problems = round_.answer(1, {"E.csv": as_file(rows)}).problems
    assert str(problems[0]).startswith(said)
    assert len(problems) == 1


def test_two_answers_to_one_target_and_short_files_are_refused() -> None:
    round_ = round_with_targets()
    rows = answer_of(round_, 1)
    own = as_file([row[:2] for row in rows[1:]])
    (problem,) = round_.answer(1, {"E.csv": as_file(rows), "aki/E.csv": own}).problems
    assert (problem.file, problem.code) == ("aki/E.csv", "game-check")
    (problem,) = round_.answer(1, {"E.csv": as_file(rows[:-1])}).problems
    assert str(problem) == "E.csv: got '9', expected 10 lines. [game-check]"


def hidden(team: str, utility: float, received: float = 0.0, **more: Any) -> Hidden:
    target = Target(f"of-{team}", "", 0, {}, None, EMPTY, EMPTY, EMPTY)
    verdict = Verdict((), utility, {"sample": 80.0, "provisional": utility + 80})
    return Hidden(team, target, more.pop("state", "counts"), received, verdict, more)


def hits(attacker: str, team: str, link: int, cell: int) -> Cell:
    numbers = {"hits": link + cell, "link": link, "cell": cell}
    return Cell(attacker, f"of-{team}", "test", Result((link + cell) / 100, numbers))


def boards(
    entries: list[Hidden], cells: list[Cell], rule: str = "one-round", earlier: Any = None, **params: Any
) -> dict[str, Board]:
    settings = {**DECLARED.defaults, **{name.replace("_", "-"): value for name, value in params.items()}}
    made = list(GAME.tally(rule, settings, entries, lambda: iter(cells), earlier or {}))
    assert {board.name for board in made} == set(DECLARED.rule(rule).boards)
    return {board.name: board for board in made}


def values(board: Board, column: str) -> dict[str, float | None]:
    return {row.key: row.values[column] for row in board.rows}


def test_anonymity_is_what_the_best_other_team_leaves() -> None:
    """The house and the team itself do not count; an entry that nobody attacks keeps 100."""
    cells = [
        hits("b", "a", 10, 20),
        hits("c", "a", 25, 4),
        hits("a", "a", 50, 50),
        hits("sample", "a", 50, 40),
    ]
    main = boards([hidden("a", 70), hidden("b", 60), hidden("c", 40)], cells)["main"]
    assert values(main, "anonymity") == {"a": 70, "b": 100, "c": 100}
    assert values(main, "link-anonymity")["a"] == 25
    assert values(main, "cell-anonymity")["a"] == 30
    assert values(main, "total") == {"a": 140, "b": 160, "c": 120}
    assert [row.key for row in main.rows] == ["b", "a", "c"]


def test_no_entry_a_voided_entry_and_the_house() -> None:
    absent = Hidden("d", None, "absent")
    entries = [hidden("a", 70), hidden("b", 60, state="void"), hidden("h", 90, state="house"), absent]
    found = boards(entries, [hits("a", "b", 5, 5), hits("a", "h", 1, 1)])
    assert values(found["main"], "total") == {"a": 170, "h": 188, "b": 0, "d": 0}
    assert {row.key: row.chain for row in found["main"].rows} == {
        "a": (-170.0,), "b": (0.0,), "d": (0.0,), "h": None,
    }  # fmt: skip
    assert values(found["attackers"], "hits") == {"a": 2, "b": 0, "d": 0}
    assert values(found["provisional"], "total") == {"a": 150, "b": 140, "h": 170, "d": None}


def test_organisers_may_set_a_number_by_hand() -> None:
    adjusted = [hidden("a", 70, anonymity=0.0), hidden("b", 60, total=5.0)]
    assert values(boards(adjusted, [])["main"], "total") == {"b": 5, "a": 0}


def test_attack_points_count_the_best_entries_and_replace_ones_own() -> None:
    """Of a and b, equal at the limit, the earlier entry counts."""
    entries = [hidden("a", 70, 2.0), hidden("b", 70, 1.0), hidden("c", 90)]
    cells = [hits(one, other, 3, 4) for one in "abc" for other in "abc" if one != other]
    cells += [hits("sample", "c", 5, 5)]
    attackers = boards(entries, cells, top=2)["attackers"]
    assert values(attackers, "points") == {"a": 14, "b": 14, "c": 14, "sample": 10}
    assert values(attackers, "hits") == {"a": 14, "b": 14, "c": 14, "sample": 10}
    only_b = boards(entries, [hits("a", "b", 9, 0), hits("c", "a", 9, 9)], top=2)["attackers"]
    assert values(only_b, "points") == {"a": 9, "b": 9, "c": 0}


def test_of_several_answers_the_one_with_most_hits_counts() -> None:
    cells = [hits("b", "a", 5, 5), hits("b", "a", 2, 9), hits("b", "a", 9, 0)]
    main = boards([hidden("a", 70), hidden("b", 70)], cells)["main"]
    row = next(row for row in main.rows if row.key == "a")
    assert (row.values["anonymity"], row.values["link-anonymity"]) == (89, 48)


def test_hits_are_scaled_where_another_number_is_asked_about() -> None:
    main = boards([hidden("a", 70), hidden("b", 70)], [hits("b", "a", 4, 5)], persons=10)["main"]
    assert values(main, "anonymity")["a"] == 55


def test_the_overall_boards_take_the_named_round_or_the_last() -> None:
    before = {
        name: [
            Board("main", ("total",), [Row("a", {"total": total}, (-total,))]),
            Board("attackers", ("points",), [Row("b", {"points": total}, (-total,))]),
        ]
        for name, total in (("practice", 10.0), ("preliminary", 100.0))
    }
    entries = [hidden("a", 70), hidden("b", 70)]
    last = boards(entries, [], "last-round", before)
    assert values(last["overall"], "score") == {"a": 163, "b": 153}
    assert values(last["overall-attackers"], "score") == {"a": 0, "b": 10}
    named = boards(entries, [], "last-round", before, earlier_round="practice", earlier_weight=0.5)
    assert values(named["overall"], "score") == {"a": 90, "b": 85}


def test_places_with_an_award_are_shared_by_equals() -> None:
    entries = [hidden(team, 70) for team in "abc"] + [Hidden("d", None, "absent")]
    awards = boards(entries, [hits("d", "a", 1, 0), hits("d", "c", 0, 1)], award_places=2)["awards"]
    assert values(awards, "place") == {"b": 1, "a": 2, "c": 2, "d": None}
    assert values(awards, "best-attack") == {"b": 0, "a": 0, "c": 0, "d": 1}
