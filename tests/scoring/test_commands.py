"""The commands score, risk and list as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from games.shop.data.folder import write_dataset, write_release
from games.shop.data.tables import Release
from games.shop.measure_examples import tea_and_cake
from kakurenbo.main import main
from scoring.examples import eight_patients, four_panelists


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """An original with two customers, and an entry from which the first one's cake is deleted."""
    original, released, truth = tea_and_cake()
    write_dataset(tmp_path / "original", original)
    write_release(tmp_path / "entry", Release(released, truth))
    return tmp_path / "original", tmp_path / "entry"


def score(folders: tuple[Path, Path], *more: str) -> int:
    return main(["score", "--original", str(folders[0]), "--entry", str(folders[1]), *more])


def test_score_prints_measures_limits_and_verdict(folders, capsys) -> None:
    assert score(folders) == 0
    shown = capsys.readouterr()
    assert "ut-jaccard" in shown.out and "<= 0.7" in shown.out and shown.out.endswith("valid\n")
    assert shown.err == "", "no progress bar where stderr is no terminal"


def test_score_as_json_has_values_details_and_no_problems(folders, capsys) -> None:
    assert score(folders, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["valid"] is True and result["problems"] == []
    assert result["measures"]["ut-jaccard"]["value"] == 0.25
    assert result["measures"]["subset"]["value"] == 1.5
    assert result["measures"]["subset"]["detail"]["set_size"] == 2


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_limit_that_breaks_makes_the_entry_invalid(folders, tmp_path: Path, capsys, suffix: str) -> None:
    text = {"json": '{"ut-jaccard": 0.2}', "yaml": "limits:\n  ut-jaccard: 0.2\n"}[suffix]
    (tmp_path / f"limits.{suffix}").write_text(text)
    words = ("--limits", str(tmp_path / f"limits.{suffix}"), "--measure", "UT-Jaccard")
    assert score(folders, *words, "--json") == 1
    result = json.loads(capsys.readouterr().out)
    assert result["valid"] is False
    assert result["problems"] == [
        {"code": "limit", "text": "ut-jaccard is 0.25, the limit is <= 0.2."},
    ]
    assert list(result["measures"]) == ["ut-jaccard"]
    assert score(folders, *words) == 1
    assert "broken" in capsys.readouterr().out


def test_an_entry_that_breaks_the_file_rules_is_invalid_and_not_measured(folders, capsys) -> None:
    (folders[1] / "P.csv").write_text("1\n1\n")
    assert score(folders, "--json") == 1
    result = json.loads(capsys.readouterr().out)
    assert result["measures"] == {} and result["valid"] is False
    assert result["problems"][0]["file"] == "P.csv"


def test_file_rules_of_a_round_allow_dropped_customers_and_set_who_pays(folders, tmp_path, capsys) -> None:
    (folders[1] / "M.csv").write_text("y,m,1980/1/1,Spain\n")
    (folders[1] / "T.csv").write_text("y,2,2011/1/2,9:30,tea,1.5,4\n")
    (folders[1] / "P.csv").write_text("2\n")
    values = {}
    for vanished in ("charge", "ignore"):
        rules = {"limits": {"ut-jaccard": 0.7}, "file_rules": {"drop_customers": True, "vanished": vanished}}
        (tmp_path / "round.json").write_text(json.dumps(rules))
        words = ("--limits", str(tmp_path / "round.json"), "--measure", "ut-jaccard", "--json")
        assert score(folders, *words) == 0
        values[vanished] = json.loads(capsys.readouterr().out)["measures"]["ut-jaccard"]["value"]
    assert values == {"charge": 0.5, "ignore": 0.0}


def test_the_golden_numbers_of_2017_and_2018_from_the_command(shared_data: Path, tmp_path, capsys) -> None:
    (tmp_path / "AT.csv").write_bytes((shared_data / "pwscup2017" / "AT_sample.csv").read_bytes())
    words = ["--preset", "pwscup2017", "--json"]
    assert score((shared_data / "pwscup2017", tmp_path), *words) == 0
    values = {n: m["value"] for n, m in json.loads(capsys.readouterr().out)["measures"].items()}
    assert {name: round(value, 6) for name, value in values.items()} == {
        "e1": 0.946782,
        "e2": 0.947189,
        "e3a": 0.21,
        "e3b": 0.657265,
        "e4": 0,
        "e5": 0,
        "e6": 0.5,
    }
    (tmp_path / "A.csv").write_bytes((shared_data / "pwscup2018" / "A_invalid_item_test.csv").read_bytes())
    assert score((shared_data / "pwscup2018", tmp_path), "--preset", "pwscup2018") == 1
    assert "unknown-item" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--measure", "nothing"), "There is no measure 'nothing'"),
        (("--limits", "no-such-file"), "Cannot read the limits no-such-file"),
        (("--original", "no-such-folder"), "Cannot read no-such-folder"),
    ],
)
def test_bad_calls_exit_with_2_and_say_why(folders, capsys, words, told: str) -> None:
    assert score(folders, *words) == 2
    assert told in capsys.readouterr().err


def test_limits_that_are_no_limits_are_refused(folders, tmp_path: Path, capsys) -> None:
    for text in (
        "[1, 2]",
        "{ut-jaccard: much}",
        "ut-jaccard: .nan",
        "\x00",
        "{limits: {}, file_rules: {x: 1}}",
    ):
        (tmp_path / "limits").write_text(text)
        assert score(folders, "--limits", str(tmp_path / "limits")) == 2
        assert capsys.readouterr().err.startswith("kakurenbo: ")


@pytest.fixture
def patients(tmp_path: Path) -> str:
    eight_patients().to_csv(tmp_path / "patients.csv", index=False)
    return str(tmp_path / "patients.csv")


def test_risk_of_the_four_panelists(tmp_path: Path, capsys) -> None:
    four_panelists().to_csv(tmp_path / "panel.csv", index=False)
    words = ["risk", "sno-unicity", str(tmp_path / "panel.csv"), "--id", "panelist"]
    assert main([*words, "--qid", "week,lays,ruffles", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 1.0
    assert main([*words, "--qid", "week,lays,ruffles"]) == 0
    assert "found by iteration: [1, 2, 1]" in capsys.readouterr().out


def test_risk_with_groups_and_sensitive_columns(patients: str, capsys) -> None:
    words = [
        "risk",
        "gsar",
        patients,
        "--id",
        "name",
        "--qid",
        "gh_group",
        "--sensitive",
        "disease",
        "--json",
    ]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 0.5
    assert main(["risk", "g-balance", patients, "--id", "name"]) == 0
    assert "0.819945" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nothing", "--id", "name"), "There is no risk measure 'nothing'"),
        (("unicity", "--id", "name"), "needs quasi-identifiers"),
        (("unicity", "--id", "who", "--qid", "age"), "no column 'who'"),
        (("gsar", "--id", "name", "--qid", "age"), "needs --sensitive"),
        (("unicity", "--id", "name", "--qid", "age", "--group", "zip"), "takes no --group"),
    ],
)
def test_bad_risk_calls_exit_with_2_and_say_why(patients: str, capsys, words, told: str) -> None:
    assert main(["risk", words[0], patients, *words[1:]]) == 2
    assert told in capsys.readouterr().err


def test_a_table_that_cannot_be_read_exits_with_2(tmp_path: Path, capsys) -> None:
    (tmp_path / "empty.csv").write_text("")
    for name in ("empty.csv", "absent.csv"):
        assert main(["risk", "unicity", str(tmp_path / name), "--id", "a", "--qid", "b"]) == 2
    assert "Cannot read" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["measures", "risks"])
def test_list_shows_every_name(kind: str, capsys) -> None:
    assert main(["list", kind]) == 0
    text = capsys.readouterr().out
    assert main(["list", kind, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert all(line["name"] in text and line["documentation"] for line in listed)
    assert {"measures": "ut-jaccard", "risks": "unicity"}[kind] in {line["name"] for line in listed}
