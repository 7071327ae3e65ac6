"""gh-tree on M and T: what the real contest's customers become."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest

from anonymizers.release import CannotProtect
from games.shop.data.check import check_entry
from games.shop.data.folder import write_release
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData, Release
from games.shop.methods.registry import run_anonymizer
from scoring.risk.g_balance import g_balance
from scoring.risk.gsar import gsar
from scoring.risk.person_k_anonymity import person_k_anonymity


def joined(original: PurchaseData, release: Release) -> pd.DataFrame:
    """T′ with the attributes of M′: the table whose groups are judged."""
    master, rows = release.data.to_frames()
    return rows.merge(master, on="customer_id")


@pytest.mark.parametrize("cells", ["representative", "generalised"])
def test_the_groups_of_the_real_customers_keep_g_and_h(
    real: PurchaseData, cells: str, tmp_path: Path
) -> None:
    done = run_anonymizer("gh-tree", real, {}, 1, {"g": 0.8, "h": 0.85, "cells": cells})
    table = joined(real, done.release)
    qid = ["gender", "birthday", "country"]
    # Groups that happen to show the same cells merge: g can only rise, h only fall (Lemma 1).
    assert g_balance(table, "customer_id", qid).value >= 0.8
    assert gsar(table, "customer_id", qid, sensitive="item_id").value <= 0.85
    assert person_k_anonymity(table, "customer_id", qid).value >= 5, "Theorem 1: 1/(1 − 0.8)"
    write_release(tmp_path, done.release)
    files = {name: io.BytesIO((tmp_path / name).read_bytes()) for name in ("M.csv", "T.csv", "P.csv")}
    rules = FileRules(generalised=cells == "generalised")
    assert check_entry(files, real, rules).verdict.ok
    assert done.report["groups"] > 10 and done.report["least_g"] >= 0.8


def test_more_balance_than_the_shop_has_is_refused(real: PurchaseData) -> None:
    with pytest.raises(CannotProtect, match=r"cannot keep g = 0.999: .* g-balance of 0.9"):
        run_anonymizer("gh-tree", real, {}, 1, {"g": 0.999})
    with pytest.raises(CannotProtect, match="h-affiliation"):
        run_anonymizer("gh-tree", real, {}, 1, {"h": 0.01})
