"""The command line of attacks: what is printed, what is written, and that P is opened only on request."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from games.shop.data.folder import write_dataset, write_release
from games.shop.data.tables import Release
from kakurenbo.main import main
from tests.games.shop.attacks.tables import random_customers, reordered


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(1)
    original = random_customers(rng, 12)
    truth = rng.permutation(12)
    released = reordered(original, truth, rng.permutation(original.transactions.n_rows))
    write_dataset(tmp_path / "original", original)
    write_release(tmp_path / "entry", Release(released, truth))
    return tmp_path / "original", tmp_path / "entry"


def call(folders: tuple[Path, Path], name: str, *more: str) -> int:
    return main(["attack", name, "--original", str(folders[0]), "--entry", str(folders[1]), *more])


def test_a_guess_is_written_and_judged(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    out = tmp_path / "Q.csv"
    (folders[1] / "P.csv").rename(tmp_path / "P.csv")
    assert call(folders, "re-master", "--out", str(out)) == 0
    assert len(out.read_text().splitlines()) == 12
    (tmp_path / "P.csv").rename(folders[1] / "P.csv")
    capsys.readouterr()
    assert main(["judge", "--entry", str(folders[1]), "--guess", str(out), "--json"]) == 0
    judged = json.loads(capsys.readouterr().out)
    truth = (folders[1] / "P.csv").read_text().split()
    assert judged["hits"] == sum(a == b for a, b in zip(out.read_text().split(), truth, strict=True))


def test_json_holds_rows_from_1_and_the_judgement(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture
) -> None:
    assert call(folders, "re-itemset", "--json", "--judge") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["attack"] == "re-itemset"
    assert min(found["guess"]) >= 1
    assert found["judged"]["n_released"] == 12


def test_an_unknown_attack_is_a_usage_error(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture
) -> None:
    assert call(folders, "re-magic") == 2
    assert "re-itemset" in capsys.readouterr().err


def test_a_bad_guess_is_told_by_line(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("1\n" * 11 + "99\n")
    assert main(["judge", "--entry", str(folders[1]), "--guess", str(bad)]) == 1
    assert "bad.csv, line 12" in capsys.readouterr().out


def test_a_missing_entry_is_a_usage_error(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    assert call((folders[0], tmp_path / "nowhere"), "re-itemset") == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.slow
def test_all_attacks_in_one_table(folders: tuple[Path, Path], capsys: pytest.CaptureFixture) -> None:
    assert call(folders, "all", "--judge") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 12 and lines[1].startswith("re-itemset")
