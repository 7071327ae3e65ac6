"""What the numerics say is known to the phrases, and is shown in the visitor's language."""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from contest import words
from contest.phrases import PHRASES
from datasets.problems import Problem
from scoring.rules import Limit, evaluate
from tests.conftest import ROOT

TELLERS = {"BadCell": 1, "add": 1, "add_rows": 1, "ProgramError": 0, "ParameterError": 0, "BundleProblem": 5}
"""Calls of the numerics that carry a sentence, and which argument it is."""
SOURCES = [
    *sorted((ROOT / "datasets").rglob("*.py")),
    *sorted((ROOT / "contest/bundle").glob("*.py")),
    ROOT / "attacks/sandbox/program.py",
    ROOT / "anonymizers/parameters.py",
]
SCHEMA = ROOT / "contest/bundle/schema.json"
KNOWN = [(phrase, words._pattern(phrase)) for phrase in PHRASES]


def sentences(path: Path) -> Iterator[str]:
    """The sentences of a source file, with a 7 where a value stands."""
    module = importlib.import_module(path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        place = TELLERS.get(ast.unparse(node.func).rsplit(".", 1)[-1])
        if place == 1 and "bundle" in path.parts:
            place = 2
        if place is None or len(node.args) <= place:
            continue
        told = node.args[place]
        if isinstance(told, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "7" for part in told.values]
            yield "".join(str(part) for part in parts)
        elif isinstance(told, ast.Constant) and isinstance(told.value, str):
            yield told.value
        elif isinstance(told, ast.Name) and isinstance(getattr(module, told.id, None), str):
            yield getattr(module, told.id)


def descriptions(node: Any) -> Iterator[str]:
    """What the schema of a bundle says that it expects, at any depth."""
    if isinstance(node, dict):
        if isinstance(node.get("description"), str):
            yield node["description"]
        node = list(node.values())
    for part in node if isinstance(node, list) else []:
        yield from descriptions(part)


SAID = sorted({sentence for path in SOURCES for sentence in sentences(path)} - {"YAML"})


@pytest.mark.parametrize("text", sorted(set(descriptions(json.loads(SCHEMA.read_text(encoding="utf-8"))))))
def test_every_description_of_the_bundle_has_its_phrase(text: str) -> None:
    assert any(pattern.fullmatch(text) for _, pattern in KNOWN), text


def test_many_sentences_are_found() -> None:
    assert len(SAID) > 50


@pytest.mark.parametrize("sentence", SAID)
def test_every_sentence_of_the_numerics_has_its_phrase(sentence: str) -> None:
    variants = [sentence, sentence.replace("7 from", "a date from"), sentence.replace("7:", "7 cells:")]
    assert any(pattern.fullmatch(text) for text in variants for _, pattern in KNOWN), sentence


def test_a_problem_is_told_in_japanese_and_its_quoted_cell_stays() -> None:
    problem = Problem("T.csv", 17, "quantity", "bad-quantity", "5 rows", "a natural number up to 6 digits")
    with translation.override("ja"):
        said = words.say_problem(problem.as_dict())
        sentence = words.say(f"The guess cannot be read. {problem}")
    assert said["got"] == "5 rows"
    assert said["expected"] != problem.expected
    assert "T.csv" in sentence and "17" in sentence and "bad-quantity" in sentence
    assert "expected" not in sentence and "guess" not in sentence


def test_a_count_that_we_word_is_said_too() -> None:
    problem = Problem("M.csv", None, None, "rows-dropped", "399 rows", "at least the 400 rows of T")
    with translation.override("ja"):
        said = words.say_problem(problem.as_dict())
    assert "rows" not in said["got"] and "399" in said["got"]
    assert "400" in said["expected"] and "rows" not in said["expected"]


def test_a_broken_limit_is_told_in_japanese() -> None:
    verdict = evaluate({}, [Limit("ut-jaccard", "<=", 0.7)])
    with translation.override("ja"):
        (sentence,) = (words.say(reason) for reason in verdict.because)
    assert "ut-jaccard" in sentence and "0.7" in sentence
    assert "measured" not in sentence


def test_in_english_and_for_unknown_texts_nothing_changes() -> None:
    assert words.say("at least one row") == "at least one row"
    with translation.override("ja"):
        assert words.say("a text that nobody knows %(n)s 100 %") == "a text that nobody knows %(n)s 100 %"
        assert words.say("") == ""
