"""Messages are codes with values: checked when they are made, stored without words, never read as code."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

from datasets.messages import TEMPLATES, Message, Template, english, message_from
from datasets.problems import PROBLEM_GOT, ROWS, Problem
from datasets.tokens import BAD_HEADER
from games.shop.data.cells import BAD_DATE, BAD_ID
from games.shop.data.check import LINE_COUNT

HOSTILE = ["100 %", "%(n)s", "%s %d", "{n}", "<script>alert(1)</script>", "f or m", "%(place)s: x", "\\", ""]


@pytest.mark.parametrize("values", [{}, {"lines": 3}, {"n": 3, "m": 4}])
def test_a_message_has_just_the_values_of_its_template(values: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="line-count"):
        LINE_COUNT(**values)


def test_a_code_is_taken_once_and_a_lone_percent_sign_is_noticed() -> None:
    before = set(TEMPLATES)
    with pytest.raises(ValueError, match="bad-date"):
        Template("bad-date", "another sentence")
    with pytest.raises((ValueError, TypeError)):
        Template("half", "at least 50 % of %(n)s")
    assert set(TEMPLATES) == before


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_comes_out_as_it_is(value: str) -> None:
    message = BAD_HEADER(header=value)
    assert str(message) == f"no header, or exactly {value}"
    # Whatever the translation does to templates, it never sees a value.
    assert message.words(lambda text: text.upper().replace("HEADER)S", "header)s")) == (
        f"NO HEADER, OR EXACTLY {value}"
    )


@pytest.mark.parametrize(
    "message",
    [
        BAD_DATE(),
        LINE_COUNT(n=np.int64(7)),
        BAD_HEADER(header="%(n)s <b>"),
        Problem("T.csv", 3, "date", "f or m", BAD_DATE()).message,
        Problem("T.csv", None, None, ROWS(n=2), LINE_COUNT(n=3)).message,
        TEMPLATES["not-a-zip"](names=["M.csv", "T.csv"]),
    ],
    ids=lambda message: message.code,
)
def test_what_is_stored_comes_back_the_same(message: Message) -> None:
    stored = json.loads(json.dumps(message.as_data()))
    assert message_from(stored) == message
    assert english(stored) == str(message)
    assert hash(pickle.loads(pickle.dumps(message))) == hash(message)


@pytest.mark.parametrize(
    "data",
    [
        None,
        "bad-date",
        [],
        {},
        {"code": "bad-date"},
        {"code": "bad-date", "values": {"n": 3}},
        {"code": "bad-id", "values": {}},
        {"code": "bad-id", "values": {"n": {"code": "unheard-of", "values": {}}}},
        {"code": "bad-id", "values": {"n": None}},
        {"code": "unheard-of", "values": {}},
        {"code": ["bad-id"], "values": {}},
    ],
)
def test_what_is_no_message_is_not_read_as_one(data: Any) -> None:
    assert message_from(data) is None


def test_a_message_of_another_version_is_shown_by_its_code() -> None:
    assert english({"code": "unheard-of", "values": {"hue": 240}}) == "unheard-of (hue: 240)"
    assert english({"code": "unheard-of", "values": {}}) == "unheard-of"
    assert english("A sentence of version 0.1.") == "A sentence of version 0.1."


def test_a_problem_is_stored_without_words() -> None:
    data = Problem("M.csv", 3, "customer_id", "a b", BAD_ID(n=50)).as_data()
    assert data == {
        "file": "M.csv",
        "line": 3,
        "column": "customer_id",
        "code": "bad-id",
        "got": "a b",
        "expected": {"code": "bad-id", "values": {"n": 50}},
    }


def test_the_code_of_a_problem_does_not_tell_the_variant() -> None:
    problem = Problem("Q.csv", None, None, None, TEMPLATES["line-count.guess"](n=4))
    assert problem.code == "line-count"
    assert str(problem) == "Q.csv: expected 4 lines, one per row of M′. [line-count]"
    assert PROBLEM_GOT.code not in str(problem)
