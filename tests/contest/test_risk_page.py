"""The risk report of a round's data and the pictures of k-MM, as pages."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from anonymizers.engines.kmm.exact import exact
from anonymizers.engines.kmm.panel import panel_problem
from contest.services.datasets import load_original
from scoring.examples import four_panelists
from scoring.risk.sno_unicity import sno_unicity
from tests.factories import make_contest, make_round, make_user, small_data

pytestmark = pytest.mark.django_db


def cells(page: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    plain = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[re.sub(r"<[^>]*>|\s+", " ", cell).strip() for cell in row] for row in plain]


def test_the_page_shows_sno_unicity_counted_by_pandas(client: Client) -> None:
    """QID: week and units of the ten items with most buyers, over receipts that hold one of them."""
    round_ = make_round(make_contest(make_user()), data=small_data(30))
    data = load_original(round_.dataset)
    rows = data.to_frames()[1]
    rows["week"] = (data.transactions.day - data.transactions.day.min()) // 7
    rows["quantity"] = rows["quantity"].astype(int)
    buyers = rows.groupby("item_id")["customer_id"].nunique()
    top = buyers.reindex(data.transactions.item.labels).sort_values(ascending=False, kind="stable").index[:10]
    wide = rows[rows["item_id"].isin(top)].pivot_table(
        index=["customer_id", "receipt_id", "week"], columns="item_id", values="quantity", aggfunc="sum"
    )
    wide = wide.fillna(0).reset_index()
    expected = sno_unicity(wide, "customer_id", ["week", *top]).value
    page = client.get(reverse("risk", args=[round_.contest.slug, round_.slug])).content.decode()
    line = next(row for row in cells(page) if row and row[0] == "10")
    assert line[-1] == f"{100 * expected:.1f}\N{NO-BREAK SPACE}%".replace("\N{NO-BREAK SPACE}", " ")
    assert line[2] == str(wide["customer_id"].nunique())
    assert "<polyline" in page


def test_a_hidden_contest_has_no_risk_page_for_others(client: Client) -> None:
    organiser = make_user()
    round_ = make_round(make_contest(organiser, is_public=False), data=small_data())
    address = reverse("risk", args=[round_.contest.slug, round_.slug])
    assert client.get(address).status_code == 404
    client.force_login(organiser)
    assert client.get(address).status_code == 200
    assert client.post(address).status_code == 405


def test_the_pictured_contingency_table_is_what_k_mm_does(client: Client) -> None:
    panel = panel_problem(four_panelists(), "panelist", ["week", "lays", "ruffles"], 2)
    target = exact(panel.problem, np.random.default_rng(0), 60).target
    page = client.get(reverse("method", args=["tables", "kmm"])).content.decode()
    shown = {row[0]: row[1:] for row in cells(page) if row and row[0].startswith("(")}
    assert len(shown) == panel.problem.n_rows == 6
    for row, values in enumerate(panel.values.itertuples(index=False)):
        name = f"({', '.join(str(value) for value in values)})"
        marks = []
        for person in range(4):
            before, after = (
                int(((places == row) & (panel.problem.person == person)).any())
                for places in (panel.problem.row, target)
            )
            marks.append(str(before) if before == after else f"{before} {after}")
        counts = [str(int((places == row).sum())) for places in (panel.problem.row, target)]
        assert [re.sub(r"\s+", " ", cell) for cell in shown[name]] == [*marks, *counts], name
