"""`kakurenbo anonymize` and `kakurenbo tune` as people call them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from games.shop.data.folder import write_dataset
from kakurenbo.commands import anonymize
from kakurenbo.limits import read_limits
from kakurenbo.main import main
from tests.games.shop.methods.tables import made


@pytest.fixture
def original(tmp_path: Path) -> Path:
    folder = tmp_path / "original"
    write_dataset(folder, made(12))
    return folder


def test_an_entry_that_the_checker_accepts(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    out = tmp_path / "new" / "entry"
    call = ["anonymize", "swap", "--original", str(original), "--out", str(out), "--set", "share=0.5"]
    assert main(call) == 0
    assert "re-itemset finds at most" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == ["M.csv", "P.csv", "T.csv"]
    assert main(["check", "--original", str(original), "--entry", str(out)]) == 0


def test_same_seed_same_bytes(original: Path, tmp_path: Path) -> None:
    for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        out = str(tmp_path / name)
        main(["anonymize", "itemset-clusters", "--original", str(original), "--out", out, "--seed", seed])
    content = {name: (tmp_path / name / "T.csv").read_bytes() for name in "abc"}
    assert content["a"] == content["b"] != content["c"]


def test_a_seed_that_nobody_chose_is_drawn_and_named(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """With a fixed one, everybody could make the entry again and would know who is who."""
    call = ["anonymize", "shuffle", "--original", str(original), "--json", "--out"]
    reports = []
    for name in "ab":
        main([*call, str(tmp_path / name)])
        reports.append(json.loads(capsys.readouterr().out))
    assert reports[0]["seed"] != reports[1]["seed"]
    main([*call, str(tmp_path / "again"), "--seed", str(reports[0]["seed"])])
    for file in ("M.csv", "T.csv", "P.csv"):
        assert (tmp_path / "again" / file).read_bytes() == (tmp_path / "a" / file).read_bytes()


def test_report_as_json_with_limits_from_a_file(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    limits = tmp_path / "limits.yaml"
    limits.write_text("ut-jaccard: 0.01\nrfm: 9\n")
    call = ["anonymize", "swap", "--original", str(original), "--out", str(tmp_path / "e"), "--json"]
    assert main([*call, "--limits", str(limits)]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["valid"] is False and "ut-jaccard" in report["because"][0]
    assert report["measures"]["rfm"]["limit"] == 9
    assert report["parameters"] == {"share": 0.2, "what": "purchase"}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--set", "share=2"], "The 'share' parameter of swap must be a number from 0 to 1. Got 2 instead."),
        (["--set", "share"], "--set: got 'share', expected NAME=VALUE"),
        (["--limits", "nowhere.json"], "Cannot read the limits nowhere.json"),
        (["--seed", "-1"], "--seed: got -1, expected a natural number."),
        (["--original", "nowhere"], "nowhere"),
        (["--out", "."], "exists and is not an empty folder"),
    ],
)
def test_a_wrong_call_is_explained_and_writes_nothing(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture, words: list[str], text: str
) -> None:
    out = tmp_path / "entry"
    call = ["anonymize", "swap", "--original", str(original), "--out", str(out), *words]
    assert main(call) == 2
    assert text in capsys.readouterr().err
    assert not out.exists()


def test_limits_as_a_round_has_them(tmp_path: Path) -> None:
    file = tmp_path / "round.yaml"
    file.write_text("limits:\n- {measure: rfm, operator: '<=', limit: 0.5}\nfile_rules: {}\n")
    assert [(limit.measure, limit.limit) for limit in read_limits(str(file))] == [("rfm", 0.5)]


def test_unknown_measures_in_the_limits_are_named(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    limits = tmp_path / "limits.json"
    for content, text in (
        ('{"beauty": 1}', "measure: got 'beauty', expected one of"),
        ('{"rfm": "low"}', "limit: got 'low', expected a finite number."),
        ('{"e1": 0.5}', "got measure 'e1' of the format 2017, expected one of the format 2016: ut-jaccard"),
        (
            '{"limits": {}, "file_rules": {"max_bytes": -5}}',
            "max_bytes: got '-5', expected an integer",
        ),
        ('{"limits": {}, "file_rules": {"vanished": "x"}}', "got 'x', expected one of charge, ignore."),
    ):
        limits.write_text(content)
        call = ["anonymize", "swap", "--original", str(original), "--out", str(tmp_path / "e")]
        assert main([*call, "--limits", str(limits)]) == 2
        assert text in capsys.readouterr().err


def test_an_interrupt_leaves_no_folder_behind(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(folder: Path, release: object) -> None:
        (folder / "M.csv").write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(anonymize, "write_release", interrupted)
    out = tmp_path / "place" / "entry"
    assert main(["anonymize", "identity", "--original", str(original), "--out", str(out)]) == 130
    assert list((tmp_path / "place").iterdir()) == []


def test_help_lists_methods_and_parameters(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        main(["anonymize", "--help"])
    text = capsys.readouterr().out
    assert "itemset-clusters" in text and "share=0.2" in text and "a number from 0 to 1" in text


def test_list_tells_the_parameters(capsys: pytest.CaptureFixture) -> None:
    assert main(["list", "anonymizers", "--json"]) == 0
    listed = {method["name"]: method for method in json.loads(capsys.readouterr().out)}
    assert [parameter["name"] for parameter in listed["swap"]["parameters"]] == ["share", "what"]


def test_tune_writes_table_csv_and_the_same_picture_twice(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    call = ["tune", "swap", "--original", str(original), "--grid", "share=0,0.3,1", "--attacks", "re-itemset"]
    for name in ("one", "two"):
        main([*call, "--csv", str(tmp_path / f"{name}.csv"), "--svg", str(tmp_path / f"{name}.svg")])
    assert "3 trials" in capsys.readouterr().out
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert ElementTree.parse(tmp_path / "one.svg").getroot().tag.endswith("svg")
    lines = (tmp_path / "one.csv").read_text().splitlines()
    assert len(lines) == 4 and lines[0].startswith("share,what,valid,utility,risk")


def test_tune_stops_at_the_first_valid_entry_that_is_safe_enough(
    original: Path, capsys: pytest.CaptureFixture
) -> None:
    call = [
        "tune",
        "swap",
        "--original",
        str(original),
        "--grid",
        "share=0,0.1,0.2",
        "--attacks",
        "re-itemset",
    ]
    assert main([*call, "--until", "1"]) == 0
    assert "1 trials" in capsys.readouterr().out


def test_tune_refuses_a_wrong_grid_before_it_starts(original: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["tune", "swap", "--original", str(original), "--grid", "share=0.1,9"]) == 2
    assert "Got 9 instead." in capsys.readouterr().err


def test_tune_draws_settings_from_the_declared_ranges(original: Path, capsys: pytest.CaptureFixture) -> None:
    main(["tune", "delete", "--original", str(original), "--trials", "4", "--attacks", "re-itemset"])
    assert "4 trials" in capsys.readouterr().out


def test_installing_warms_every_method_up(capsys: pytest.CaptureFixture) -> None:
    assert main(["warm-up"]) == 0
    assert "Kernels are ready" in capsys.readouterr().out
