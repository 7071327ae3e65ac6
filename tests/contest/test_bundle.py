"""A bundle's text: what is wrong with it is told by line, and what is right is written back the same."""

from __future__ import annotations

import dataclasses
import datetime
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from contest.bundle.check import check_bundle
from contest.bundle.files import open_bundle, open_zip, write_zip
from contest.bundle.schema import build_schema
from contest.bundle.specification import moved
from contest.bundle.writing import bundle_text
from games.formats.presets import preset_names, preset_text
from games.shop.presets import PWSCUP2016
from kakurenbo.main import main
from tests.conftest import ROOT

SMALL = """\
kakurenbo: 1
slug: small
title: Small
summary: A contest for tests.
time-zone: Asia/Tokyo
data:
  Shop:
    generate: {customers: 12, seed: 7}
rounds:
- slug: final
  name: Final
  data: Shop
  phases:
    anonymise: {from: 2027-08-01T10:00:00+09:00, until: 2027-08-31T17:00:00+09:00}
    attack: {from: 2027-09-01T00:00:00Z, until: 2027-09-03T00:00:00Z}
  limits:
  - {measure: ut-jaccard, at-most: 0.7}
  attacks: [re-itemset]
  baselines:
  - {method: swap, parameters: {share: 0.3}, seed: 4}
  feedback: none
"""


def told(text: str) -> list[tuple[int | None, str, str]]:
    return [(problem.line, problem.key, problem.code) for problem in check_bundle(text).problems]


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_valid_and_written_back_the_same(name: str) -> None:
    first = check_bundle(preset_text(name))
    assert first.problems == ()
    assert first.bundle is not None
    text = bundle_text(first.bundle)
    again = check_bundle(text)
    assert again.bundle == first.bundle
    assert again.bundle is not None
    assert bundle_text(again.bundle) == text


def test_the_preset_of_2016_has_the_limits_of_2016() -> None:
    bundle = check_bundle(preset_text("pwscup2016")).bundle
    assert bundle is not None
    assert [round_.limits for round_ in bundle.rounds] == [PWSCUP2016, PWSCUP2016]
    assert bundle.rounds[-1].settings["ranking"] == "2016"


def test_the_published_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(build_schema())


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "code"),
    [
        ("title: Small", "titel: Small", 3, "titel", "unknown-key"),
        ("title: Small", "title: ''", 3, "title", "bad-value"),
        ("slug: small", "slug: Sm all", 2, "slug", "bad-value"),
        ("kakurenbo: 1", "kakurenbo: 3", 1, "kakurenbo", "bad-value"),
        ("Asia/Tokyo", "Asia/Tokio", 5, "time-zone", "unknown-zone"),
        ("Asia/Tokyo", "../../etc/passwd", 5, "time-zone", "unknown-zone"),
        ("customers: 12", "customers: none", 8, "data.Shop.generate.customers", "bad-value"),
        ("  data: Shop", "  data: Shopp", 12, "rounds[0].data", "unknown-data"),
        ("T10:00:00+09:00", "T10:00:00", 14, "rounds[0].phases.anonymise.from", "bad-value"),
        ("2027-08-01T10", "2027-02-30T10", 14, "rounds[0].phases.anonymise.from", "no-such-time"),
        ("2027-08-31T17", "2026-08-31T17", 14, "rounds[0].phases.anonymise.until", "phase-has-no-length"),
        ("from: 2027-09-01", "from: 2027-08-30", 15, "rounds[0].phases.attack.from", "phases-overlap"),
        ("measure: ut-jaccard", "measure: ut-jacard", 17, "rounds[0].limits[0]", "unknown-measure"),
        ("at-most: 0.7", "at-most: .nan", 17, "rounds[0].limits[0].at-most", "not-finite"),
        ("at-most: 0.7", "at-most: 0.7, at-least: 0", 17, "rounds[0].limits[0]", "limit-bound"),
        ("[re-itemset]", "[re-itemset, re-itemset]", 18, "rounds[0].attacks[1]", "attack-twice"),
        ("method: swap", "method: swop", 20, "rounds[0].baselines[0].method", "unknown-method"),
        ("share: 0.3", "share: 3", 20, "rounds[0].baselines[0].parameters", "bad-parameters"),
        ("feedback: none", "feedback: some", 21, "rounds[0].feedback", "bad-value"),
        ("feedback: none", "ranking: 2016", 21, "rounds[0].ranking", "bad-value"),
        ("feedback: none", "ranking: '2015'", 21, "rounds[0].ranking", "unknown-ranking"),
        ("feedback: none", "slug: final", 21, "rounds[0].slug", "key-twice"),
        ("feedback: none", "2016: x", 21, "rounds[0].2016", "key-not-text"),
        ("feedback: none", "rules: {drop_rows: true}", 21, "rounds[0].rules.drop_rows", "unknown-key"),
        ("    generate:", "    description: x #", 7, "data.Shop", "data-source"),
        ("feedback: none", "name: [", 22, "", "not-yaml"),
        ("title: Small", "title: !!python/object:os.system x", 3, "", "not-yaml"),
        ("title: Small", "title: &a Small\nx: *a", 4, "", "alias"),
    ],
)
def test_a_problem_is_told_with_its_line(old: str, new: str, line: int, key: str, code: str) -> None:
    assert old in SMALL
    assert (line, key, code) in told(SMALL.replace(old, new, 1))


def test_all_problems_are_told_at_once_in_the_order_of_lines() -> None:
    text = SMALL.replace("title: Small", "titel: Small").replace("[re-itemset]", "7")
    assert told(text) == [
        (1, "title", "missing-key"), (3, "titel", "unknown-key"), (18, "rounds[0].attacks", "bad-value")
    ]  # fmt: skip
    assert str(check_bundle(text).problems[1]).startswith("contest.yaml, line 3, titel: expected title, or")


@pytest.mark.parametrize("text", ["", "- a", "just words", "[" * 5000, "a: " * 3000, "\x00", "? {a: b}\n: c"])
def test_what_is_no_bundle_is_refused_without_a_crash(text: str) -> None:
    assert not check_bundle(text).ok


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_no_change_of_a_bundle_makes_the_check_crash(data: st.DataObject) -> None:
    lines = SMALL.splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    junk = data.draw(
        st.sampled_from(["", "x", "- 1", "  a: {b: c}", "  - [", "'", "1e999", "~", "0x_", "1:2:3"])
    )
    lines[place] = data.draw(st.sampled_from([junk, lines[place] + junk, junk + lines[place]]))
    check_bundle("\n".join(lines))


def test_moving_a_contest_keeps_every_distance() -> None:
    bundle = check_bundle(SMALL).bundle
    assert bundle is not None
    start = datetime.datetime(2030, 1, 1, tzinfo=datetime.UTC)
    later = moved(bundle, start)
    assert later.starts_at == start
    pairs = zip(bundle.rounds[0].phases, later.rounds[0].phases, strict=True)
    assert {new.starts_at - old.starts_at for old, new in pairs} == {start - bundle.starts_at}
    assert dataclasses.replace(later, rounds=bundle.rounds) == bundle


def with_files(sha256: str) -> str:
    file = f"{{name: M.csv, sha256: {sha256}}}"
    return SMALL.replace(
        "generate: {customers: 12, seed: 7}", f"files: {{master: {file}, transactions: {file}}}"
    )


def test_data_files_must_be_there_with_their_hash(tmp_path: Path) -> None:
    # sha256 of b"abc", FIPS 180-2 appendix B.1.
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    path = tmp_path / "contest.yaml"
    path.write_text(with_files(abc))
    codes = [problem.code for problem in open_bundle(path).checked.problems]
    assert codes == ["missing-file", "missing-file"]
    (tmp_path / "M.csv").write_bytes(b"abd")
    assert [problem.code for problem in open_bundle(path).checked.problems] == ["other-file", "other-file"]
    (tmp_path / "M.csv").write_bytes(b"abc")
    assert open_bundle(path).checked.ok
    write_zip(tmp_path / "all.zip", with_files(abc), {"M.csv": io.BytesIO(b"abc")})
    with open_bundle(tmp_path / "all.zip") as opened:
        assert opened.checked.ok
        with opened.open_file("M.csv") as file:
            assert file.read() == b"abc"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"title: x"])
def test_a_zip_that_is_none_is_a_problem_not_a_crash(content: bytes) -> None:
    with open_zip(io.BytesIO(content), "x.zip") as opened:
        assert [problem.code for problem in opened.checked.problems] == ["bad-archive"]


def test_a_zip_without_a_bundle_says_so() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("other.yaml", "x")
    archive.seek(0)
    with open_zip(archive, "x.zip") as opened:
        assert [problem.code for problem in opened.checked.problems] == ["missing-file"]


def test_the_command_checks_a_bundle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    assert main(["contest", "check", str(path)]) == 0
    path.write_text(SMALL.replace("swap", "swop"))
    assert main(["contest", "check", str(path)]) == 1
    printed = capsys.readouterr().out
    assert "small.yaml, line 20, rounds[0].baselines[0].method: got 'swop', expected swap" in printed
    assert main(["contest", "check", "--json", str(path)]) == 1
    assert json.loads(capsys.readouterr().out)["problems"][0]["line"] == 20
    assert main(["contest", "check", str(tmp_path / "none.yaml")]) == 2


def test_checking_loads_no_django() -> None:
    code = (
        "import sys; from kakurenbo.main import main; main(['contest', 'check', 'pwscup2016']);"
        "sys.exit(bool({'django', 'celery'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "valid\n"), done.stderr


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_names_no_seed_that_must_be_secret(name: str) -> None:
    bundle = check_bundle(preset_text(name)).bundle
    assert bundle is not None
    assert not bundle.names_seeds
