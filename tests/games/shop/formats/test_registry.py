"""Laws of every contest format, and of the games that are played in it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from contest.bundle.schema import build_schema
from games.shop.attacks.registry import EVERY_ATTACK, run_attack
from games.shop.data.pwscup2018 import SET
from games.shop.data.rules import FileRules
from games.shop.formats import FORMATS, find_format
from games.shop.guessing import GAMES, find_game
from games.shop.measures.registry import BY_FORMAT
from games.shop.methods.registry import EVERY_ANONYMIZER, run_anonymizer
from scoring.run import measure_pair
from tests.games.shop.formats.tables import METHODS, SHEET_METHODS, checked, original, target, upload

every_format = pytest.mark.parametrize("name", [spec.name for spec in FORMATS])
every_sheet_method = pytest.mark.parametrize(("name", "method"), SHEET_METHODS)


def test_each_registry_knows_each_format_and_names_are_unique() -> None:
    names = [spec.name for spec in FORMATS]
    assert [game.format.name for game in GAMES] == names
    assert list(BY_FORMAT) == names
    assert {method.format for method in EVERY_ANONYMIZER} == set(names)
    assert build_schema()["$defs"]["data"]["properties"]["format"]["enum"] == names
    for described in (EVERY_ATTACK, EVERY_ANONYMIZER, [it for known in BY_FORMAT.values() for it in known]):
        assert len({it.name for it in described}) == len(described)


def test_a_rule_belongs_to_some_format_and_the_schema_knows_it() -> None:
    known = {name for spec in FORMATS for name in spec.rules}
    assert known == set(FileRules.__dataclass_fields__)
    assert {name.replace("_", "-") for name in known} == set(build_schema()["$defs"]["rules"]["properties"])


def test_an_unknown_format_is_named_with_those_that_there_are() -> None:
    with pytest.raises(KeyError, match="2016, 2017, 2018"):
        find_format("1999")
    with pytest.raises(KeyError, match="1999"):
        find_game("1999")


@every_format
def test_an_original_that_is_written_reads_back_the_same(name: str, tmp_path: Path) -> None:
    spec = find_format(name)
    data = original(name)
    again = tmp_path / "again"
    again.mkdir()
    spec.write_original(tmp_path, data)
    spec.write_original(again, spec.read_original(tmp_path))
    for file in spec.original_files:
        assert (again / file).read_bytes() == (tmp_path / file).read_bytes()
        assert (tmp_path / file).stat().st_size > 0
    assert spec.facts(spec.read_original(tmp_path)) == spec.facts(data)
    assert len(spec.people_ids(data)) == spec.facts(data).n_customers
    assert len(spec.days(data)) == spec.facts(data).n_rows


@every_format
def test_a_missing_file_of_an_upload_is_named(name: str) -> None:
    spec = find_format(name)
    verdict = spec.check_upload({}, original(name)).verdict
    assert [(it.file, it.code) for it in verdict.problems] == [
        (file, "missing-file") for file in spec.upload_names
    ]


def test_knowledge_of_2017_is_a_part_of_t_with_items_cut_to_two_characters(tmp_path: Path) -> None:
    spec, data = find_format("2017"), original("2017")
    spec.write_original(tmp_path, data)
    rows = list(csv.reader(io.StringIO((tmp_path / "T.csv").read_text())))
    cut = [[*row[:4], row[4][:2], *row[5:]] for row in rows]
    for share in (25, 50, 75, 100):
        known = list(csv.reader(io.StringIO((tmp_path / f"T{share}.csv").read_text())))
        kept = [place for place, row in enumerate(known) if row[0] != "DEL"]
        assert len(kept) == round(len(rows) * share / 100)
        assert all(known[place] == cut[place] for place in kept)
        assert all(row[1:] == [""] * 6 for row in known if row[0] == "DEL")


def test_twelve_months_of_a_longer_year_make_an_original_of_2017() -> None:
    months = {tuple(map(int, str(day).split("-")[:2])) for day in _dates("2017")}
    assert len(months) == 12 and min(months) == (2010, 12) and max(months) == (2011, 11)
    assert max(tuple(map(int, str(day).split("-")[:2])) for day in _dates("2018")) == (2011, 12)


def _dates(name: str) -> list[np.datetime64]:
    return list(np.unique(find_format(name).days(original(name)).astype("datetime64[D]")))


@every_sheet_method
def test_a_house_entry_is_legal_and_the_same_seed_gives_the_same_bytes(
    name: str, method: str, tmp_path: Path
) -> None:
    checked(find_format(name), name, method, tmp_path)
    assert upload(name, method, seed=1) != upload(name, method, seed=2)
    upload.cache_clear()
    first = upload(name, method)
    upload.cache_clear()
    assert upload(name, method) == first


@every_sheet_method
def test_the_public_form_measures_like_the_upload_itself(name: str, method: str, tmp_path: Path) -> None:
    spec, data = find_format(name), original(name)
    neutral = checked(spec, name, method, tmp_path)
    spec.write_released(tmp_path, neutral.released)
    public = spec.measured(data, spec.read_released(tmp_path), neutral.truth)
    entry, _ = spec.check_entry(
        {file: io.BytesIO(content) for file, content in upload(name, method).items()}, data, FileRules()
    )
    direct = (public[0], entry, None)
    values = [
        {key: result.value for key, result in measure_pair(*tables, BY_FORMAT[name]).items()}
        for tables in (public, direct)
    ]
    assert values[0] == values[1]


@every_sheet_method
def test_the_public_form_depends_on_nothing_but_what_it_shows(name: str, method: str, tmp_path: Path) -> None:
    """Sorted as plain texts the public rows are those of the upload, and their order is their own."""
    spec = find_format(name)
    neutral = checked(spec, name, method, tmp_path)
    spec.write_released(tmp_path, neutral.released)
    (sent,) = upload(name, method).values()
    shown = (tmp_path / spec.public_files[0]).read_text().splitlines()
    deleted = {"DEL,,,,,,", "*,*,*,*,*"}
    assert sorted(shown) == sorted(line for line in sent.decode().splitlines() if line not in deleted)
    assert len(neutral.truth) == len(shown) == len(set(neutral.truth.tolist()))


def test_the_order_inside_a_set_of_2018_tells_nothing(tmp_path: Path) -> None:
    spec, data = find_format("2018"), original("2018")
    (sent,) = upload("2018", "intervals").values()
    turned = []
    for line in sent.decode().splitlines():
        cells = line.split(",")
        cells[2] = "{" + ";".join(reversed(cells[2].strip("{}").split(";"))) + "}"
        turned.append(",".join(cells))
    written = []
    for lines in (sent.decode().splitlines(), turned):
        source = io.BytesIO(("\n".join(lines) + "\n").encode())
        neutral = spec.check_upload({"A.csv": source}, data).neutral
        assert neutral is not None and (neutral.released.item.kind == SET).all()
        spec.write_released(tmp_path, neutral.released)
        written.append((tmp_path / "A.csv").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("name", METHODS)
def test_attacks_find_most_people_where_only_names_changed_and_nobody_is_found_by_silence(
    name: str, tmp_path: Path
) -> None:
    game = find_game(name)
    spec, data = game.format, original(name)
    neutral = checked(spec, name, METHODS[name][0], tmp_path)
    case = target(spec, data, neutral)
    n = case.n_original
    best = 0
    for attack in game.attacks:
        guess = run_attack(attack.name, data, neutral.released, 0)
        outcome = game.judge(guess, case, neutral.truth)
        same = run_attack(attack.name, data, neutral.released, 0)
        again = game.judge(game.from_bytes(game.as_bytes(same)), case, neutral.truth)
        assert (outcome.judgement.rate, outcome.found.tolist()) == (
            again.judgement.rate,
            again.found.tolist(),
        )
        assert 0 <= outcome.judgement.hits <= outcome.guesses <= n
        assert outcome.judgement.n_released == n
        assert set(outcome.found.tolist()) <= set(range(n))
        best = max(best, outcome.judgement.hits)
    assert best >= 0.9 * n
    silence, verdict = game.check(io.BytesIO(b""), case)
    if silence is not None:
        outcome = game.judge(silence, case, neutral.truth)
        assert (outcome.judgement.hits, outcome.guesses) == (0, 0)
    else:
        assert verdict.problems[0].code == "empty-file"


@every_sheet_method
def test_the_truth_sent_as_a_guess_finds_everybody_and_a_swap_of_two_loses_them(
    name: str, method: str, tmp_path: Path
) -> None:
    """The right answers are worked out here from the two files, line by line, by dictionaries alone."""
    game = find_game(name)
    spec, data = game.format, original(name)
    neutral = checked(spec, name, method, tmp_path)
    spec.write_original(tmp_path, data)
    case = target(spec, data, neutral)
    answers = ANSWERS[name](tmp_path / "T.csv", tmp_path / spec.upload_names[0])
    outcome = _judged(game, case, neutral.truth, answers)
    assert outcome.judgement.hits == len(answers) == outcome.guesses
    first, second = next(who for who in answers if answers[who] != answers[min(answers)]), min(answers)
    swapped = {**answers, first: answers[second], second: answers[first]}
    outcome = _judged(game, case, neutral.truth, swapped)
    assert outcome.judgement.hits == len(answers) - 2
    customers = spec.people_ids(data)
    assert {customers[row] for row in outcome.found} == set(answers) - {first, second}


def _judged(game, case, truth, answers):
    text = "".join(",".join([who, *names]) + "\n" for who, names in answers.items())
    guess, verdict = game.check(io.BytesIO(text.encode()), case)
    assert verdict.problems == ()
    return game.judge(guess, case, truth)


def _months(original_file: Path, released_file: Path) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    with original_file.open(encoding="utf-8") as left, released_file.open(encoding="utf-8") as right:
        for before, after in zip(csv.reader(left), csv.reader(right), strict=True):
            months = table.setdefault(before[0], ["DEL"] * 12)
            if after[0] != "DEL":
                months[int(before[2].split("/")[1]) % 12] = after[0]
    return table


def _names(original_file: Path, released_file: Path) -> dict[str, list[str]]:
    with original_file.open(encoding="utf-8") as left, released_file.open(encoding="utf-8") as right:
        pairs = zip(csv.reader(left), csv.reader(right), strict=True)
        return {before[0]: [after[0]] for before, after in pairs if after[0] != "*"}


ANSWERS = {"2017": _months, "2018": _names}


@pytest.mark.parametrize(
    ("name", "line", "code"),
    [
        ("2017", "{customer}" + ",DEL" * 11, "ragged-row"),
        ("2017", "nobody" + ",DEL" * 12, "unknown-customer"),
        ("2017", "{customer},nobody" + ",DEL" * 11, "unknown-pseudonym"),
        ("2017", "{customer}" + ",DEL" * 12 + "\n{customer}" + ",DEL" * 12, "duplicate-id"),
        ("2018", "{customer}", "ragged-row"),
        ("2018", "nobody,100000", "unknown-customer"),
        ("2018", "{customer},7", "unknown-pseudonym"),
        ("2018", "{customer},100000\n{customer},100001", "duplicate-id"),
    ],
)
def test_a_bad_guess_is_told_by_line_column_and_rule(name: str, line: str, code: str, tmp_path: Path) -> None:
    game = find_game(name)
    data = original(name)
    neutral = checked(game.format, name, METHODS[name][0], tmp_path)
    customer = game.format.people_ids(data)[0]
    file = io.BytesIO((line.format(customer=customer) + "\n").encode())
    guess, verdict = game.check(file, target(game.format, data, neutral))
    assert guess is None
    assert verdict.problems[0].code == code
    assert verdict.problems[0].line in (1, 2)


@pytest.mark.parametrize("name", METHODS)
def test_methods_do_what_they_promise(name: str) -> None:
    data = original(name)
    made = {method: run_anonymizer(method, data, {}, 3, {}).release for method in METHODS[name]}
    if name == "2017":
        n_rows = data.sheet.n_rows
        assert made["month-deletions"].deleted.sum() == int(n_rows * 0.3)
        assert made["year-pseudonyms"].user.n_labels == data.sheet.user.n_labels
        assert made["month-pseudonyms"].user.n_labels > data.sheet.user.n_labels
        # 0.39 to 0.40 with four seeds.
        assert (made["month-days"].day != data.sheet.day).mean() > 0.3
    else:
        spread = made["intervals"]
        assert (spread.price.high - spread.price.low == 99).all()
        assert (spread.item.size <= 10).all() and (spread.item.size > 1).any()
        assert 0 < made["starred-rows"].deleted.sum() < data.n_rows
