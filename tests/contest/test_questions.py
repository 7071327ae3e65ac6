"""Questions of teams: who reads what, how they are answered, moved, archived and limited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client

from contest import access
from contest.archive.importing import import_archive, set_archive_consent
from contest.declarations.question import MAX_QUESTION, QUESTIONS_AN_HOUR
from contest.errors import Refused
from contest.models import Announcement, AuditEvent, Contest, Mail, Notification, Question, Round, Team, User
from contest.pages.public_log import changes, public_events
from contest.pages.questions import shown_question
from contest.services.questions import Answer, answer_question, ask_question, change_visibility
from contest.services.team_status import merge_teams, remove_team
from tests.archives import archived, members, play
from tests.factories import make_contest, make_round, make_team, make_user

pytestmark = pytest.mark.django_db
ALL, TEAM = Question.Audience.ALL, Question.Audience.TEAM


@pytest.fixture(autouse=True)
def fresh() -> None:
    cache.clear()


@pytest.fixture
def contest() -> Contest:
    contest = make_contest(make_user("oni"), slug="demo")
    make_round(contest)
    for name in ("Tanuki", "Kitsune"):
        make_team(contest, name, make_user(name.lower()))
    make_user("visitor")
    return contest


def person(name: str) -> User:
    return User.objects.get(username=name)


def asked(contest: Contest, body: str = "May we use *pandas*?", **fields: Any) -> Question:
    team = Team.objects.get(contest=contest, name="Tanuki")
    return ask_question(contest, team, person("tanuki"), body, **fields)


def page(name: str, contest: Contest, path: str = "questions/") -> str:
    client = Client()
    if name:
        client.force_login(person(name))
    answer = client.get(f"/contests/{contest.slug}/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def seen_by(contest: Contest, body: str) -> set[str]:
    return {name for name in ("", "tanuki", "kitsune", "oni") if body in page(name, contest)}


def test_a_private_question_is_seen_by_its_team_and_the_organisers_alone(contest: Contest) -> None:
    asked(contest, "Our secret plan")
    assert seen_by(contest, "Our secret plan") == {"tanuki", "oni"}


def test_an_open_question_is_seen_by_everybody_with_the_name_of_the_team(contest: Contest) -> None:
    asked(contest, "Open words", openly=True)
    assert seen_by(contest, "Open words") == {"", "tanuki", "kitsune", "oni"}
    assert "Tanuki" in page("", contest)


def test_a_removed_team_is_not_named(contest: Contest) -> None:
    asked(contest, "Open words", openly=True)
    remove_team(Team.objects.get(name="Tanuki"), person("oni"), "gone")
    body = page("", contest)
    assert "Open words" in body
    assert "Tanuki" not in body
    with pytest.raises(Refused, match="removed team"):
        asked(contest)


def test_an_answer_to_the_team_alone_is_read_by_nobody_else(contest: Contest) -> None:
    question = asked(contest, openly=True)
    answer_question(question, person("oni"), Answer("Quiet reply", TEAM))
    assert seen_by(contest, "Quiet reply") == {"tanuki", "oni"}


def test_an_answer_for_everybody_shows_the_organisers_words_and_not_the_teams(contest: Contest) -> None:
    question = asked(contest, "Our secret plan")
    with pytest.raises(Refused, match="in your own words"):
        answer_question(question, person("oni"), Answer("Yes.", ALL))
    answer_question(question, person("oni"), Answer("Everybody may.", ALL, title="Are libraries allowed?"))
    assert seen_by(contest, "Everybody may.") == {"", "tanuki", "kitsune", "oni"}
    assert seen_by(contest, "Are libraries allowed?") >= {"", "kitsune"}
    assert seen_by(contest, "Our secret plan") == {"tanuki", "oni"}
    assert "Tanuki" not in page("", contest)


def test_an_answer_becomes_an_announcement_and_an_item_of_the_faq(contest: Contest) -> None:
    answer = Answer("Yes, *all*.", ALL, title="Libraries?", is_faq=True, is_announced=True)
    answered = answer_question(asked(contest), person("oni"), answer)
    made = Announcement.objects.get()
    assert (made.title, made.body, answered.announcement) == ("Libraries?", "Yes, *all*.", made)
    body = page("", contest)
    assert "Frequent questions" in body
    assert "Yes, <em>all</em>." in body
    for bad in (Answer("No.", TEAM, is_faq=True), Answer("No.", TEAM, is_announced=True)):
        with pytest.raises(Refused, match="Only an answer for everybody"):
            answer_question(answered, person("oni"), bad)


def test_the_team_is_notified_in_the_page_and_by_mail(contest: Contest) -> None:
    answer_question(asked(contest), person("oni"), Answer("Yes."))
    notice = Notification.objects.get()
    assert (notice.user.username, notice.kind, notice.read_at) == ("tanuki", "answer", None)
    assert list(Mail.objects.filter(kind="answer").values_list("to", flat=True)) == ["tanuki@example.org"]
    assert "1 new answer" in page("tanuki", contest, "")
    assert "new answer" not in page("kitsune", contest, "")
    client = Client()
    client.force_login(person("tanuki"))
    client.post(f"/contests/{contest.slug}/questions/read/")
    notice.refresh_from_db()
    assert notice.read_at is not None
    assert "new answer" not in page("tanuki", contest, "")


def test_organisers_see_in_their_tabs_how_many_questions_wait(contest: Contest) -> None:
    question = asked(contest)
    asked(contest)
    assert '<span class="badge now">2 ' in page("oni", contest, "organise/")
    answer_question(question, person("oni"), Answer("Yes."))
    assert '<span class="badge now">1 ' in page("oni", contest, "organise/")


def test_abuse_is_hidden_with_a_reason_and_an_open_question_is_taken_private(contest: Contest) -> None:
    question = asked(contest, "Rude words", openly=True)
    with pytest.raises(Refused, match="needs a reason"):
        change_visibility(question, person("oni"), "hidden", " ")
    change_visibility(question, person("oni"), "hidden", "It insults a team.")
    assert seen_by(contest, "Rude words") == {"tanuki", "oni"}
    assert "It insults a team." in page("tanuki", contest)
    assert not access.open_questions_of(contest).exists()
    with pytest.raises(Refused, match="hidden question"):
        answer_question(question, person("oni"), Answer("No.", ALL, title="Rude"))
    event = AuditEvent.objects.get(verb="question.moved")
    assert (event.before, event.after) == ({"visibility": "open"}, {"visibility": "hidden"})
    assert event.reason == "It insults a team."
    change_visibility(question, person("oni"), "private", "Not so bad.")
    assert seen_by(contest, "Rude words") == {"tanuki", "oni"}


def test_nobody_opens_what_was_asked_privately(contest: Contest) -> None:
    with pytest.raises(Refused, match="asked privately"):
        change_visibility(asked(contest), person("oni"), "open", "Of use to all.")


def test_a_private_question_with_a_public_answer_has_a_title_in_the_database_too(contest: Contest) -> None:
    question = asked(contest)
    answer_question(question, person("oni"), Answer("Yes.", ALL, title="May we?"))
    with pytest.raises(IntegrityError), transaction.atomic():
        Question.objects.filter(pk=question.pk).update(title="")


def test_the_log_says_nothing_of_private_words(contest: Contest) -> None:
    question = asked(contest, "Our secret plan")
    answer_question(question, person("oni"), Answer("Quiet reply", TEAM))
    events = AuditEvent.objects.filter(verb__startswith="question.")
    assert [event.verb for event in events] == ["question.answered", "question.asked"]
    assert events[0].after == {"to": "team"}
    assert events[1].actor is None
    log = [change.text for change in changes(contest, list(public_events(contest)))]
    assert "A question was answered for everybody." not in log
    answer_question(question, person("oni"), Answer("All may.", ALL, title="May we?"))
    log = [(change.text, change.detail) for change in changes(contest, list(public_events(contest)))]
    assert log[0] == ("A question was answered for everybody.", "May we?")


def test_questions_are_limited_in_length_and_number(contest: Contest) -> None:
    for body in (" ", "x" * (MAX_QUESTION + 1)):
        with pytest.raises(Refused):
            asked(contest, body)
    for _ in range(QUESTIONS_AN_HOUR):
        asked(contest)
    with pytest.raises(Refused, match="Too many attempts"):
        asked(contest)


def test_markdown_is_cleaned(contest: Contest) -> None:
    asked(contest, "<script>alert(1)</script> [x](javascript:alert(1))", openly=True)
    body = page("", contest)
    assert "<script>alert(1)" not in body
    assert 'href="javascript' not in body


def test_a_question_about_a_hidden_round_is_not_shown_to_others(contest: Contest) -> None:
    round_ = contest.rounds.get()
    asked(contest, "Odd round words", openly=True, round_=round_)
    assert "kitsune" in seen_by(contest, "Odd round words")
    Round.objects.update(is_hidden=True)
    round_.phases.all().delete()
    assert seen_by(contest, "Odd round words") == {"tanuki", "oni"}


def test_of_merged_teams_the_questions_stay_with_the_people(contest: Contest) -> None:
    asked(contest, "Our secret plan")
    source, target = Team.objects.get(name="Tanuki"), Team.objects.get(name="Kitsune")
    merge_teams(source, target, person("oni"), "They asked for it.")
    assert seen_by(contest, "Our secret plan") == {"tanuki", "kitsune", "oni"}


def test_by_the_page_a_team_asks_and_an_organiser_answers(contest: Contest) -> None:
    client = Client()
    client.force_login(person("tanuki"))
    wrong = client.post("/contests/demo/questions/ask/", {"body": "", "openly": "no"})
    assert wrong.status_code == 422
    client.post("/contests/demo/questions/ask/", {"body": "Why?", "openly": "yes", "round": ""})
    question = Question.objects.get()
    assert (question.body, question.visibility, question.asked_by) == ("Why?", "open", person("tanuki"))
    client.force_login(person("oni"))
    path = f"/contests/demo/organise/questions/{question.pk}/"
    refused = client.post(f"{path}answer/", {"answer": "So.", "to": "team", "is_faq": "on"})
    assert refused.status_code == 422
    assert "Only an answer for everybody" in refused.content.decode()
    client.post(f"{path}answer/", {"answer": "So.", "to": "all"})
    client.post(f"{path}move/", {"visibility": "hidden", "reason": "Enough."})
    question.refresh_from_db()
    assert (question.answer, question.answered_to, question.visibility) == ("So.", "all", "hidden")


def test_an_archive_holds_public_questions_and_names_who_agreed(tmp_path: Path) -> None:
    contest = play()
    organiser = contest.organisers.get().user
    team = contest.teams.filter(is_house=False).first()
    member = team.memberships.first().user
    kept = {"private": "Only for you", "public": "For all eyes", "reworded": "In our own words"}
    ask_question(contest, team, member, kept["private"])
    openly = ask_question(contest, team, member, kept["public"], openly=True)
    answer_question(openly, organiser, Answer("Whispered", TEAM))
    reworded = ask_question(contest, team, member, kept["reworded"])
    answer_question(reworded, organiser, Answer("Said aloud", ALL, title="The gist"))
    for consents in (True, False):
        set_archive_consent(team, member, consents)
        content = archived(contest)
        for text in members(content).values():
            assert kept["private"].encode() not in text
            assert kept["reworded"].encode() not in text
            assert b"Whispered" not in text
        path = tmp_path / f"{consents}.zip"
        path.write_bytes(content)
        imported = import_archive(path, organiser, slug=f"again-{consents}".lower())
        rows = list(imported.questions.order_by("pk"))
        assert [row.body for row in rows] == [kept["public"], ""]
        assert [row.answer for row in rows] == ["", "Said aloud"]
        names = [row.team.name if row.team else None for row in rows]
        assert names == [team.name if consents else None, None]
        assert {row.asked_by for row in rows} == {None}


def test_what_others_are_shown_of_a_question_is_decided_in_one_place(contest: Contest) -> None:
    question = asked(contest, "Our secret plan")
    answered = answer_question(question, person("oni"), Answer("Yes.", ALL, title="The gist"))
    others = shown_question(answered, None, organises=False)
    assert (others.words, others.team, others.title, others.answer) == ("", "", "The gist", "Yes.")
