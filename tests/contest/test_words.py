"""Messages of the numerics are shown in the visitor's language; what they quote stays as it is."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest
from django.utils import timezone, translation

from contest.archive.rows import _checked
from contest.language.translation import say, say_problem
from contest.models import Job
from contest.records.verify import BadArchive
from contest.templatetags.words import say as shown
from datasets.messages import TEMPLATES
from datasets.problems import ROWS, Problem
from datasets.tokens import BAD_HEADER
from games.shop.data.cells import BAD_QUANTITY
from games.shop.data.check import ROWS_DROPPED
from scoring.rules import Limit, evaluate
from tests.conftest import ROOT
from tests.test_architecture import modules

JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
SAME_IN_JAPANESE = {
    "character.other",
    "document.yaml",
    "file.cell",
    "game-check",
    "game-check.languages",
    "game-verdict.broken",
    "remark.advice",
    "remark.file",
}
LOADED = """
import django, json
django.setup()
import config.urls
from datasets.messages import TEMPLATES
print(json.dumps(sorted(TEMPLATES)))
"""


def declared() -> Iterator[str]:
    """The codes of all templates that the sources declare by name."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "Template"):
                continue
            if isinstance(node.args[0], ast.Constant):
                yield node.args[0].value


def test_the_pages_know_every_template() -> None:
    """A stored message may come from any worker; whoever shows it must have loaded its template."""
    answer = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, check=True)
    loaded = set(json.loads(answer.stdout))
    assert len(loaded) > 150
    assert set(declared()) <= loaded


def test_every_template_has_its_japanese_with_the_same_values() -> None:
    import_module("config.urls")
    for template in list(TEMPLATES.values()):
        message = template(**dict.fromkeys(template.names, "<b>100 %(n)s</b>"))
        with translation.override("ja"):
            said = say(message)
        assert said.count("<b>100 %(n)s</b>") == (1 if template.languages else len(template.names)), template
        assert JAPANESE.search(said) or template.code in SAME_IN_JAPANESE, template


@pytest.mark.parametrize("cell", ["f or m", "at least one row", "%(n)s rows", "5 rows", "{n}", "100 %"])
def test_a_quoted_cell_stays_as_it_is(cell: str) -> None:
    """Also one that equals a sentence of ours."""
    problem = Problem("T.csv", 17, "quantity", cell, BAD_QUANTITY())
    with translation.override("ja"):
        said = say_problem(json.loads(json.dumps(problem.as_data())))
        sentence = say(problem.message)
    assert said["got"] == cell
    assert JAPANESE.search(said["expected"]) and JAPANESE.search(sentence)
    assert cell in sentence and "T.csv" in sentence and "17" in sentence and "bad-quantity" in sentence


def test_a_count_that_we_word_is_said_too() -> None:
    problem = Problem("M.csv", None, None, ROWS(n=399), ROWS_DROPPED(n=400))
    with translation.override("ja"):
        said = say_problem(problem.as_data())
    assert "rows" not in said["got"] and "399" in said["got"]
    assert "400" in said["expected"] and "rows" not in said["expected"]


def test_a_broken_limit_is_said_in_japanese() -> None:
    verdict = evaluate({}, [Limit("ut-jaccard", "<=", 0.7)])
    with translation.override("ja"):
        (sentence,) = (say(reason.as_data()) for reason in verdict.because)
    assert "ut-jaccard" in sentence and "0.7" in sentence
    assert "measured" not in sentence


def test_what_version_0_1_stored_is_still_shown() -> None:
    old = {"file": "T.csv", "line": 1, "column": None, "code": "ragged-row", "got": "2 cells"}
    with translation.override("ja"):
        said = say_problem({**old, "expected": "7 cells: customer_id,date"})
        assert (said["expected"], said["got"]) == ("7 cells: customer_id,date", "2 cells")
        assert say("ut-jaccard is 0.8, the limit is <= 0.7.") == "ut-jaccard is 0.8, the limit is <= 0.7."
        assert JAPANESE.search(say("An error on our side."))


def test_in_english_and_for_unknown_texts_nothing_changes() -> None:
    assert say("at least one row") == "at least one row"
    with translation.override("ja"):
        assert say("a text that nobody knows %(n)s 100 %") == "a text that nobody knows %(n)s 100 %"
        assert say("") == say(None) == shown(None) == ""
        assert say({"code": "unheard-of", "values": {"n": 1}}) == "unheard-of (n: 1)"


@pytest.mark.django_db
def test_a_row_stores_code_and_values_and_finds_them_again() -> None:
    message = BAD_HEADER(header='a,"b" %(n)s é')
    job = Job.objects.create(kind=Job.Kind.HOUSE, reason=message, rung_at=timezone.now())
    job.refresh_from_db()
    assert job.reason == message.as_data()
    assert Job.objects.get(reason=message) == job
    assert Job.objects.get(reason=job.reason) == job
    Job.objects.update(reason="The worker was stopped.")
    job.refresh_from_db()
    assert job.reason == "The worker was stopped."


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", '{"code": broken', "{}", "A sentence."])
def test_a_text_that_is_no_message_stays_a_text(text: str) -> None:
    job = Job.objects.create(kind=Job.Kind.HOUSE, reason=text, rung_at=timezone.now())
    job.refresh_from_db()
    assert job.reason == text


@pytest.mark.parametrize("stored", [BAD_HEADER(header="a").as_data(), "A sentence of version 0.1.", ""])
def test_an_archive_holds_messages_and_the_sentences_of_before(stored: object) -> None:
    column = Job._meta.get_field("reason")
    assert _checked(column, json.loads(json.dumps(stored)), {}, "row 1") == stored


@pytest.mark.parametrize("value", [{"code": "bad-date"}, {"text": "x", "values": {}}])
def test_an_archive_holds_no_other_mapping_for_a_message(value: object) -> None:
    with pytest.raises(BadArchive):
        _checked(Job._meta.get_field("reason"), value, {}, "row 1")
