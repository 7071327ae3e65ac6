"""What the laws found of an uploaded game, in the language of the organiser who reads it."""

from __future__ import annotations

import io

import pytest
from django.test import Client
from django.utils import translation

from contest.language.translation import say
from contest.models import GamePackage, Job
from contest.services.game_packages import upload_game
from datasets.problems import Problem
from games.contract.declaration import Column, File
from games.contract.files import BAD_INTEGER_BETWEEN
from games.contract.messages import in_languages
from games.contract.sentences import sentences
from games.findings import DECLARED_OFF, OTHER_PROBLEMS_FIRST, Finding
from tests.factories import make_contest
from tests.game_versions import mini

PROBLEM = Problem("C.csv", 2, "age", "x", BAD_INTEGER_BETWEEN(low=0, high=120))
WRONG = OTHER_PROBLEMS_FIRST(example="two", got="['bad-integer']", first=PROBLEM.message, expected="[]")


def test_what_was_found_is_stored_as_messages_and_said_in_the_language_of_the_reader() -> None:
    """Whole details, and the problem, the place and what was expected in them."""
    off = DECLARED_OFF(reason=in_languages({"en": "It is old.", "ja": "古いからです。"}))
    stored = Finding("examples", "", False, WRONG, (Finding("two", "", None, off),)).as_data()
    assert Finding("x", "", True).as_data()["detail"] == ""
    assert say(stored["detail"]) == (
        "two: got the problems ['bad-integer'] (C.csv, line 2, column age: got 'x', expected an integer "
        "from 0 to 120. [bad-integer]), expected []."
    )
    with translation.override("ja"):
        said = say(stored["detail"])
        assert "検出された問題" in said and "120" in said
        assert "integer from" not in said and "expected" not in said and "line 2" not in said
        assert say(stored["parts"][0]["detail"]).endswith("古いからです。")


@pytest.mark.django_db
def test_the_page_of_a_game_says_it_in_japanese() -> None:
    contest = make_contest()
    user = contest.organisers.select_related("user").get().user
    package = upload_game(contest, user, io.BytesIO(mini()))
    Job.objects.filter(game=package).delete()
    findings = [Finding("examples", "", False, WRONG).as_data()]
    findings.append({"law": "old", "meaning": "", "holds": False, "detail": "An older sentence."})
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.BROKEN, findings=findings)
    client = Client()
    client.force_login(user)
    client.cookies["django_language"] = "ja"
    page = client.get(f"/contests/{contest.slug}/organise/games/{package.pk}/").content.decode()
    assert "検出された問題" in page
    assert "got the problems" not in page
    assert page.count('lang="en">An older sentence.') == 1, "of earlier versions the English words are shown"


def test_columns_in_any_order_are_a_rule_in_both_languages() -> None:
    file = File(
        "C.csv", "entry", "upload", columns=(Column("age", "int"),), header="required", column_order="free"
    )
    first = next(sentences(file))
    assert "in any order: age" in say(first)
    with translation.override("ja"):
        assert "任意の順序" in say(first)
