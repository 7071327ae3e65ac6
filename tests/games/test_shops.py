"""2016, 2017 and 2018 through the contract: the verdicts, bytes and numbers of today's way."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from datasets.problems import BadFiles, Verdict
from datasets.tables import day_number
from games.apart import ApartGame, run_here
from games.contract.boxes import EMPTY, MemoryBox, MemoryOut
from games.formats.presets import preset_text
from games.laws import checked
from games.shop.attacks.registry import run_attack
from games.shop.data.generate import generate
from games.shop.data.online_retail import build_online_retail
from games.shop.data.rules import FileRules
from games.shop.formats import find_format
from games.shop.limit_settings import checked_limits
from games.shop.measures.registry import BY_FORMAT
from games.shop.methods.registry import EVERY_ANONYMIZER, run_anonymizer
from scoring.measure import Measurement
from scoring.rules import evaluate
from scoring.run import measure_pair
from tests.games import shops
from tests.games.shop.data import test_check, test_fuzz, test_pwscup2017, test_pwscup2018
from tests.games.shop.data.conftest import ENTRY
from tests.games.shop.formats.tables import target as case_of
from tests.games.shops import YEARS, game_of, original_of, published, streams, verdict, world_of, written

every_year = pytest.mark.parametrize("year", YEARS)
UPLOADS = {
    "2016": ENTRY,
    "2017": {"AT.csv": test_pwscup2017.RELEASED},
    "2018": {"A.csv": test_pwscup2018.RELEASED},
}
"""A legal entry for each of the small originals."""
FUZZ_ROUNDS = 700
REAL_ROUNDS = 5


def cases(test: Any) -> list[tuple[Any, ...]]:
    """What another test is run on."""
    return next(mark.args[1] for mark in test.pytestmark if mark.name == "parametrize")


def odd_uploads_of_2016() -> Iterator[tuple[FileRules, Mapping[str, bytes]]]:
    names = ["customer_id", "receipt_id", "date", "time", "item_id", "unit_price", "quantity"]
    for column, got, *_ in test_check.BAD_CELLS:
        cells = test_check.ROW.decode().strip().split(",")
        cells[names.index(column)] = got
        yield FileRules(), {"T.csv": test_check.ROW + ",".join(cells).encode() + b"\n" + test_check.ROW}
    for file, old, new, *_ in cases(test_check.test_a_bad_m_or_p_is_told):
        yield FileRules(), {file: ENTRY[file].replace(old, new)}
    for rules, files in cases(test_check.test_what_the_rules_open_is_let_through):
        yield rules, files
    for rules, files, _ in cases(test_check.test_what_the_rules_forbid_is_refused):
        yield rules, files
    for raw in cases(test_fuzz.test_files_of_almost_nothing):
        for name in ENTRY:
            yield FileRules(), {name: raw}
    yield FileRules(), {"M.csv": b"a,x,1950/1/31,Nowhere\n", "T.csv": b"a,1\n", "P.csv": b""}
    # More problems than are listed: the verdict counts them all.
    yield FileRules(), {"T.csv": test_check.ROW.replace(b"24", b"-1") * 300}


def odd_uploads(year: str) -> Iterator[tuple[FileRules, Mapping[str, bytes]]]:
    yield FileRules(), {}
    if year == "2016":
        yield from odd_uploads_of_2016()
        return
    module = {"2017": test_pwscup2017, "2018": test_pwscup2018}[year]
    ((name, released),) = UPLOADS[year].items()
    for old, new, *_ in cases(module.test_a_breach_is_located):
        yield FileRules(), {name: released.replace(old, new)}
    for raw in cases(test_fuzz.test_files_of_almost_nothing):
        yield FileRules(), {name: raw}
    yield FileRules(max_bytes=50), {}
    if year == "2017":
        yield FileRules(least_kept=0.9), {}
        yield FileRules(), {name: b"DEL,,,,,,\n" * 4}


@every_year
def test_every_odd_upload_gets_the_same_verdict_both_ways(year: str) -> None:
    spec, original = find_format(year), original_of(year, shops.SMALL[year])
    codes = set()
    for rules, changed in odd_uploads(year):
        files = {**UPLOADS[year], **changed}
        params = {name: getattr(rules, name) for name in spec.rules}
        today = spec.check_upload(streams(files), original, rules).verdict
        assert verdict(year, world_of(year, shops.SMALL[year], **params), files) == today
        codes |= {problem.code for problem in today.problems}
    assert len(codes) >= 12


@every_year
def test_harmed_uploads_get_the_same_verdict_both_ways(year: str) -> None:
    rng = np.random.default_rng(int(year))
    spec, original = find_format(year), original_of(year, shops.SMALL[year])
    world = world_of(year, shops.SMALL[year])
    outcomes = set()
    for _ in range(FUZZ_ROUNDS):
        files = {name: test_fuzz.harmed(raw, rng) for name, raw in UPLOADS[year].items()}
        today = spec.check_upload(streams(files), original, FileRules()).verdict
        assert verdict(year, world, files) == today, files
        outcomes.add(today.ok)
    assert outcomes == {True, False}


def test_harmed_uploads_of_the_real_size_get_the_same_verdict_both_ways(shared_data: Path) -> None:
    rng, folder = np.random.default_rng(20162), shared_data / "pwscup2016"
    data = {name: (folder / name).read_bytes() for name in ("M.csv", "T.csv")}
    spec, original, world = find_format("2016"), original_of("2016", data), world_of("2016", data)
    whole = test_fuzz.pseudonymised(folder)
    assert verdict("2016", world, whole).ok
    for _ in range(REAL_ROUNDS):
        files = {name: test_fuzz.harmed(raw, rng) for name, raw in whole.items()}
        today = spec.check_upload(streams(files), original, FileRules()).verdict
        assert verdict("2016", world, files) == today


@every_year
def test_a_missing_file_gets_the_same_verdict_both_ways(year: str) -> None:
    spec, original = find_format(year), original_of(year, shops.SMALL[year])
    for name in UPLOADS[year]:
        files = {other: raw for other, raw in UPLOADS[year].items() if other != name}
        today = spec.check_upload(streams(files), original).verdict
        assert today.problems[0].code == "missing-file"
        assert verdict(year, world_of(year, shops.SMALL[year]), files) == today


def test_a_verdict_comes_back_whole_from_a_process_of_its_own() -> None:
    game, world = game_of("2016"), world_of("2016", shops.SMALL["2016"])
    apart = ApartGame(shops.folder_of("2016"), game.declaration, run_here)
    for rules, changed in odd_uploads_of_2016():
        params = {name: getattr(rules, name) for name in find_format("2016").rules}
        entry = shops.entry_of({**ENTRY, **changed})
        there = world._replace(params={**world.params, **params})
        assert list(apart.check(there, entry)) == list(game.check(there, entry))


METHODS = {
    "2016": ("identity", "shuffle", "swap", "cluster", "delete"),
    "2017": tuple(method.name for method in EVERY_ANONYMIZER if method.format == "2017"),
    "2018": tuple(method.name for method in EVERY_ANONYMIZER if method.format == "2018"),
}
PAIRS = [(year, method) for year, methods in METHODS.items() for method in methods]
every_method = pytest.mark.parametrize(("year", "method"), PAIRS)


def shop(year: str) -> tuple[Any, dict[str, bytes]]:
    """An invented shop as the format reads it, and its files."""
    spec = find_format(year)
    data = spec.from_tables(generate(30, seed=7))
    files = written(lambda folder: spec.write_original(folder, data), spec.original_files)
    return original_of(year, files), files


def made_by(game: Any, method: str, world: Any, seed: int) -> dict[str, bytes]:
    out = MemoryOut(game.declaration.files_of("entry", "upload"))
    game.anonymize(method, world, None, {}, np.random.default_rng(seed), out)
    return out.files


@every_method
def test_an_entry_has_the_same_bytes_and_numbers_both_ways(year: str, method: str) -> None:
    """House entry, public form, truth, every measure and the verdict on the limits."""
    spec, game = find_format(year), game_of(year)
    original, files = shop(year)
    world = world_of(year, files)
    upload = made_by(game, method, world, seed=5)
    limits = {limit["measure"]: limit["limit"] for limit in preset_limits(year)}
    release = run_anonymizer(method, original, limits, 5, {}).release
    assert upload == written(lambda folder: spec.write_entry(folder, release), spec.upload_names)

    neutral = spec.check_upload(streams(upload), original, FileRules()).neutral
    assert neutral is not None
    shown = written(lambda folder: spec.write_released(folder, neutral.released), spec.public_files)
    entry = published(year, world, upload)
    assert shops.contents(entry.published) == shown
    assert shops.contents(entry.secret) == {
        "truth.txt": "".join(f"{row + 1}\n" for row in neutral.truth).encode()
    }

    names = [measure.name for measure in BY_FORMAT[year]]
    assert [number.name for number in game.declaration.measures] == names
    tables = spec.measured(original, neutral.released, neutral.truth)
    measured = measure_pair(*tables, BY_FORMAT[year])
    figures = game.measure(world, entry, names)
    assert figures == {name: float(found.value) for name, found in measured.items()}

    today = evaluate(measured, checked_limits(preset_limits(year), year))
    judged = game.verdict(year, figures, world.params)
    assert (judged.utility, not judged.because) == (today.score, today.valid)
    assert {str(reason).split()[0] for reason in today.because} == set(judged.because)


def preset_limits(year: str) -> list[dict[str, Any]]:
    """The limits of the final of the preset, which the game has by default."""
    rounds = yaml.safe_load(preset_text(f"pwscup{year}"))["rounds"]
    return [{"measure": limit["measure"], "limit": limit["at-most"]} for limit in rounds[-1]["limits"]]


@pytest.mark.parametrize(
    ("figures", "limits"),
    [
        ({"ut-jaccard": 0.8, "cmae": 0.1}, {"limit-ut-jaccard": 0.7, "limit-cmae": 0.2}),
        ({"ut-jaccard": None, "cmae": 0.1}, {"limit-ut-jaccard": 0.7, "limit-cmae": 0.2}),
        ({"ut-jaccard": 0.0, "cmae": 0.1}, {"limit-ut-jaccard": 0.0, "least-cmae": 0.2}),
        ({"ut-jaccard": 0.0, "cmae": 0.1}, {"limit-ut-jaccard": -1.0, "least-cmae": 0.1}),
        ({"ut-jaccard": 0.3}, {}),
    ],
)
def test_limits_are_judged_as_by_evaluate(figures: dict[str, Any], limits: dict[str, float]) -> None:
    operators = {"limit": "<=", "least": ">="}
    lines = [
        {"measure": name.partition("-")[2], "operator": operators[name.partition("-")[0]], "limit": bound}
        for name, bound in limits.items()
    ]
    measured = {name: Measurement(value) for name, value in figures.items() if value is not None}
    today = evaluate(measured, checked_limits(lines, "2016"))
    judged = game_of("2016").verdict("2016", figures, limits)
    assert (judged.utility, len(judged.because)) == (today.score, len(today.because))


@pytest.mark.parametrize(("year", "method"), [pair for pair in PAIRS if pair[1] not in ("cluster", "delete")])
def test_every_house_attack_finds_the_same_people_both_ways(year: str, method: str) -> None:
    game, play = game_of(year), shops.play_of(year)
    original, files = shop(year)
    world = world_of(year, files)
    entry = published(year, world, made_by(game, method, world, seed=1))
    neutral = find_format(year).check_upload(streams(shops.contents(entry.upload)), original).neutral
    assert neutral is not None
    case = case_of(play.format, original, neutral)
    assert [attack.name for attack in game.declaration.attacks] == [attack.name for attack in play.attacks]
    seen = entry._replace(upload=EMPTY, secret=EMPTY)
    for attack in play.attacks:
        today = play.judge(run_attack(attack.name, original, neutral.released, 3), case, neutral.truth)
        out = MemoryOut(game.declaration.files_of("answer"))
        game.attack(attack.name, world, None, [seen], np.random.default_rng(3), out)
        answer = MemoryBox(out.files)
        assert list(game.cover(world, None, answer, [seen])) == [("7", game.challenge)]
        result = game.judge(world, game.challenge, None, entry, answer)
        judged = today.judgement
        assert (result.risk, result.baseline, result.interval) == (
            judged.rate,
            judged.baseline,
            (judged.low, judged.high),
        )
        numbers = {name: result.numbers[name] for name in ("hits", "guesses", "of", "expected")}
        assert list(numbers.values()) == [judged.hits, today.guesses, judged.n_released, judged.expected_hits]
        assert result.evidence["found"].tolist() == today.found.tolist()


GUESSES: dict[str, list[bytes]] = {
    "2016": [b"1\n2\n3\n4\n", b"-\n\n1\n1\n", b"1\n5\n2\n3\n", b"1\n", b"1\nx\n1\n1\n", b"", b"1,2\n"],
    "2017": [
        b"11,x,DEL" + b",DEL" * 10 + b"\n12,DEL,y" + b",DEL" * 10 + b"\n",
        b"11" + b",DEL" * 12 + b"\n",
        b"11" + b",DEL" * 11 + b"\n",
        b"nobody" + b",DEL" * 12 + b"\n",
        b"11,nobody" + b",DEL" * 11 + b"\n",
        (b"11" + b",DEL" * 12 + b"\n") * 2,
        b"",
    ],
    "2018": [b"11,7\n", b"12,7\n", b"11\n", b"nobody,7\n", b"11,8\n", b"11,7\n11,7\n", b"", b"\xff,7\n"],
}


@every_year
def test_every_guess_file_gets_the_same_verdict_and_hits_both_ways(year: str) -> None:
    game, play = game_of(year), shops.play_of(year)
    original, world = original_of(year, shops.SMALL[year]), world_of(year, shops.SMALL[year])
    entry = published(year, world, UPLOADS[year])
    neutral = play.format.check_upload(streams(UPLOADS[year]), original).neutral
    case = case_of(play.format, original, neutral)
    rng, name = np.random.default_rng(9), game.answers[0]
    harmed = [test_fuzz.harmed(raw, rng) for raw in GUESSES[year] for _ in range(40)]
    legal = 0
    for raw in GUESSES[year] + harmed:
        guess, today = play.check(io.BytesIO(raw), case)
        files = {f"7/{name}": raw}
        expected = replace_file(today, f"7/{name}")
        assert shops.answer_verdict(year, world, entry, files) == expected, raw
        if guess is not None:
            legal += 1
            result = game.judge(world, game.challenge, None, entry, MemoryBox(files))
            outcome = play.judge(guess, case, neutral.truth)
            assert (result.risk, result.numbers["hits"]) == (outcome.judgement.rate, outcome.judgement.hits)
    assert legal > 5


def replace_file(today: Verdict, name: str) -> Verdict:
    problems = tuple(replace(problem, file=name) for problem in today.problems)
    return Verdict(problems, today.total, tuple(((name, *kind[1:]), n) for kind, n in today.counts))


@every_year
@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"7", b"null", b'{"rows": [9]}', b"\xff", b"[" * 9000,
     b'{"rows": "x", "tie_class": null, "tie_members": []}',
     b'{"rows": [0, 1, 2, 99], "tie_class": null, "tie_members": []}', b"[[[1]]]", b"[99]", b"[0, 99]",
     b'{"rows": [0, 1, 2, 3], "tie_class": [0, 0, 0, 5], "tie_members": [[0]]}',
     b'[[["x"]]]', b'[["a", "b"]]', b"[1e400, 1]", b'{"rows": [1e40], "tie_class": null, "tie_members": []}'],
)  # fmt: skip
def test_a_guess_as_bytes_that_is_none_is_refused(year: str, raw: bytes) -> None:
    world = world_of(year, shops.SMALL[year])
    entry = published(year, world, UPLOADS[year])
    problems = shops.answer_verdict(year, world, entry, {"7/guess.json": raw}).problems
    assert [(problem.file, problem.code) for problem in problems] == [("7/guess.json", "game-check")]


def test_the_answers_of_2017_may_differ_by_knowledge_file() -> None:
    game, world = game_of("2017"), world_of("2017", shops.SMALL["2017"])
    entry = published("2017", world, UPLOADS["2017"])
    right = GUESSES["2017"][0]
    one, nobody = right.splitlines(keepends=True)[0], b"11" + b",DEL" * 12 + b"\n"

    def shares(files: dict[str, bytes]) -> tuple[Any, list[Any]]:
        answer = MemoryBox({f"7/{name}": raw for name, raw in files.items()})
        assert list(game.cover(world, None, answer, [entry])) == [("7", "months")]
        result = game.judge(world, "months", None, entry, answer)
        return result.risk, [result.numbers[name] for name in ("s25", "s50", "s75", "s100")]

    assert shares({"F.csv": right}) == (1.0, [None] * 4)
    four = {"F25.csv": nobody, "F50.csv": one, "F75.csv": one, "F100.csv": right}
    assert shares(four) == (0.5, [0.0, 0.5, 0.5, 1.0])
    assert shares({"F100.csv": right}) == (0.25, [0.0, 0.0, 0.0, 1.0])
    assert shares({"F.csv": one, "F100.csv": right}) == (0.625, [0.5, 0.5, 0.5, 1.0])


def built(year: str, sources: Mapping[str, bytes], **params: Any) -> tuple[Any, dict[str, bytes]]:
    game = game_of(year)
    out = MemoryOut(game.declaration.files_of("round", "build"))
    given = {**game.declaration.defaults, **params}
    return game.build(MemoryBox(sources), given, np.random.default_rng(11), out), out.files


@every_year
def test_data_are_built_as_today_from_a_seed_and_from_tables(year: str) -> None:
    spec = find_format(year)
    data = spec.from_tables(generate(20, seed=2016))
    files = written(lambda folder: spec.write_original(folder, data), spec.original_files)
    facts, invented = built(year, {}, customers=20, seed=2016)
    assert invented == files
    counted = vars(spec.facts(data))
    assert {"first_day", "last_day"} < facts.keys()
    for name, value in facts.items():
        assert counted[name] == (day_number(value) if name.endswith("_day") else value)
    brought = {f"tables/{name}": content for name, content in files.items()}
    assert built(year, brought) == (facts, files)
    assert built(year, {}, customers=20) == built(year, {}, customers=20)
    assert built(year, {}, customers=20) != (facts, files)
    with pytest.raises(BadFiles, match=r"T\.csv, line 1"):
        built(year, {**brought, "tables/T.csv": b"?\n"})


def test_data_are_built_from_the_online_retail_file(shared_data: Path) -> None:
    source = shared_data / "online_retail" / "online_retail.csv.gz"
    _, files = built("2016", {"online-retail.csv.gz": source.read_bytes()}, customers=400, seed=2016)
    spec, data = find_format("2016"), build_online_retail(source, 400, 2016)
    assert files == written(lambda folder: spec.write_original(folder, data), spec.original_files)


@every_year
def test_a_round_that_sets_nothing_is_that_of_the_preset(year: str) -> None:
    preset, defaults = yaml.safe_load(preset_text(f"pwscup{year}")), game_of(year).declaration.defaults
    (data,) = preset["data"].values()
    assert defaults["customers"] == data["generate"]["customers"]
    limits = {f"limit-{limit['measure']}": limit["limit"] for limit in preset_limits(year)}
    bounds = {name: value for name, value in defaults.items() if name.startswith(("limit-", "least-"))}
    assert {name: value for name, value in bounds.items() if value is not None} == limits
    assert game_of(year).declaration.rules[0].name == preset["rounds"][-1]["ranking"]


@every_year
@pytest.mark.slow
def test_the_laws_hold(year: str) -> None:
    findings = checked(shops.folder_of(year))
    assert {finding.law: finding.detail for finding in findings if finding.holds is False} == {}
    # No attack of the registry is blind, no picture is declared; rows of 2017 and 2018 are in the order of T.
    idle = {finding.law for finding in findings if finding.holds is None}
    assert idle == {"blind-is-baseline", "pictures"} | ({"row-order"} if year != "2016" else set())
