"""Which rows of a contest are archived, what of them refers to other rows and files, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, Field, ForeignKey, Model, Q, QuerySet

from contest import models
from contest.declarations.round import BEFORE
from contest.models import Contest, Team, User
from contest.models.question import PUBLIC as PUBLIC_QUESTIONS

PERSON = "person"
"""The table of people: their user names, and nothing else about them."""
Link = tuple[str | None, str, type[Model]]
"""A primary key inside a JSON column: the list that contains it or None, its key, the model that it names."""


@dataclass(frozen=True)
class Table:
    """``files`` are columns with the hash of a file and the store that holds it, ``maps`` those with several
    hashes by name. ``links`` are columns of JSON with primary keys inside. ``private`` is what is blanked
    where a team keeps its work out of the archive, ``blank`` what of a row is blanked anyway. ``before`` is
    what a column means in archives that are older than it, where that is not its default."""

    model: type[Model]
    rows: Callable[[Contest], QuerySet[Any]]
    files: Mapping[str, str] = field(default_factory=dict)
    maps: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    links: Mapping[str, tuple[Link, ...]] = field(default_factory=dict)
    private: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    team: Callable[[Any], Team | None] = lambda row: None
    blank: Callable[[Any], Mapping[str, Any]] = lambda row: {}

    @property
    def name(self) -> str:
        return str(self.model._meta.model_name)

    @property
    def columns(self) -> list[Field[Any, Any]]:
        """The archived columns, in the order of the model: also those that were added later."""
        return [
            column
            for column in self.model._meta.concrete_fields
            if not column.primary_key and column.name not in self.left_out
        ]

    def files_in(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Hash and store of every file that an archived row names."""
        yield from ((row[column], store) for column, store in self.files.items() if row.get(column))
        for column, store in self.maps.items():
            yield from ((sha256, store) for sha256 in row.get(column, {}).values())

    @property
    def references(self) -> dict[str, str]:
        """Column → table whose row number it holds."""
        return {
            column.name: table_name(column.remote_field.model)
            for column in self.columns
            if isinstance(column, ForeignKey)
        }


def table_name(model: type[Model]) -> str:
    return PERSON if model is User else str(model._meta.model_name)


def _of_rounds(model: type[Model], path: str) -> Callable[[Contest], QuerySet[Any]]:
    return lambda contest: model._default_manager.filter(**{f"{path}contest": contest}).order_by("pk")


def _datasets(contest: Contest) -> QuerySet[Any]:
    return models.Dataset.objects.filter(rounds__contest=contest).distinct().order_by("pk")


def _games(contest: Contest) -> QuerySet[Any]:
    """The games that were uploaded with a contest, and the installed ones that its rounds are played by."""
    boards = models.StoredBoard.objects.filter(round__contest=contest).values("game")
    used = Q(contest=contest) | Q(rounds__contest=contest) | Q(pk__in=boards)
    return models.GamePackage.objects.filter(used).distinct().order_by("pk")


def _boards(contest: Contest) -> QuerySet[Any]:
    """A board on trial stands for nothing."""
    counted = models.StoredBoard.objects.filter(round__contest=contest)
    return counted.exclude(view=models.StoredBoard.View.TRIAL).order_by("round_id", "view", "position")


def _illustrations(contest: Contest) -> QuerySet[Any]:
    of_entry = Q(entry__round__contest=contest)
    found = models.Illustration.objects.filter(of_entry | Q(run__entry__round__contest=contest))
    return found.select_related("entry__team", "run__attack__team").order_by("pk")


def _questions(contest: Contest) -> QuerySet[Any]:
    """What everybody could read; the others are in `PARTLY_ARCHIVED`."""
    found = models.Question.objects.filter(PUBLIC_QUESTIONS, contest=contest)
    return found.select_related("team").order_by("pk")


def _private_words(question: models.Question) -> Mapping[str, Any]:
    """Of a private question whose answer was for everybody, the words and the team stay private; of an open
    one, an answer that was for its team alone."""
    if question.visibility != models.Question.Visibility.OPEN:
        return {"team": None, "body": ""}
    if question.answered_to == models.Question.Audience.TEAM:
        return {"answer": "", "answered_to": "", "answered_by": None, "answered_at": None, "title": ""}
    return {}


def _teams(contest: Contest) -> QuerySet[Any]:
    """A team that became part of another comes after it; that other one is never part of a third."""
    return Team.objects.filter(contest=contest).order_by(F("merged_into").asc(nulls_first=True), "pk")


TABLES = (
    Table(
        models.Contest,
        lambda contest: Contest.objects.filter(pk=contest.pk),
        left_out=frozenset({"look_key"}),
    ),
    Table(
        models.Dataset,
        _datasets,
        maps={"files": "entries"},
        left_out=frozenset({"created_at", "files_key"}),
    ),
    Table(
        models.GamePackage,
        _games,
        files={"zip_sha256": "vault"},
        left_out=frozenset({"created_at", "log"}),
    ),
    Table(
        models.Round,
        _of_rounds(models.Round, ""),
        left_out=frozenset({"full_version", "build_log"}),
        before=BEFORE,
    ),
    Table(models.Phase, _of_rounds(models.Phase, "round__")),
    Table(models.Team, _teams, left_out=frozenset({"look_key"})),
    Table(models.Membership, _of_rounds(models.Membership, "team__")),
    Table(models.Announcement, _of_rounds(models.Announcement, "")),
    Table(
        models.Question,
        _questions,
        left_out=frozenset({"asked_by"}),
        private={"team": None},
        team=lambda question: question.team,
        blank=_private_words,
    ),
    Table(models.Award, _of_rounds(models.Award, "")),
    Table(
        models.Attack,
        lambda contest: _of_rounds(models.Attack, "round__")(contest).select_related("team"),
        files={"program_sha256": "attacks", "upload_sha256": "attacks"},
        private={"note": "", "problems": [], "remarks": []},
        team=lambda attack: attack.team,
    ),
    Table(
        models.Entry,
        lambda contest: _of_rounds(models.Entry, "round__")(contest).select_related("team"),
        files={
            "upload_sha256": "vault",
            "program_sha256": "attacks",
            "inputs_sha256": "attacks",
            "made_sha256": "attacks",
        },
        maps={"published": "entries"},
        private={"note": "", "problems": [], "remarks": [], "program_log": ""},
        team=lambda entry: entry.team,
    ),
    Table(models.Seat, _of_rounds(models.Seat, "round__")),
    Table(models.Sealed, _of_rounds(models.Sealed, "round__"), files={"sha256": "vault"}),
    Table(models.Score, _of_rounds(models.Score, "entry__round__")),
    Table(models.Portrait, _of_rounds(models.Portrait, "entry__round__")),
    Table(
        models.AttackRun,
        lambda contest: _of_rounds(models.AttackRun, "entry__round__")(contest).select_related(
            "attack__team"
        ),
        files={"answer_sha256": "attacks", "evidence_sha256": "vault"},
        private={"log": ""},
        team=lambda run: run.attack.team,
    ),
    Table(
        models.Illustration,
        _illustrations,
        left_out=frozenset({"log"}),
        private={"drawn": [], "fault": ""},
        team=lambda made: made.entry.team if made.entry else made.run.attack.team,
    ),
    Table(
        models.Standing,
        _of_rounds(models.Standing, "round__"),
        links={"places": (("", "team", models.Team),)},
    ),
    Table(
        models.StoredBoard,
        _boards,
        links={"rows": (("", "team", models.Team), ("", "entry", models.Entry))},
        left_out=frozenset({"counted"}),
    ),
    Table(
        models.StillBoard,
        _of_rounds(models.StillBoard, "round__"),
        links={"rows": (("", "team_id", models.Team), ("", "entry_id", models.Entry))},
    ),
    Table(models.Reveal, _of_rounds(models.Reveal, "round__")),
    Table(models.Commitment, _of_rounds(models.Commitment, "round__")),
    Table(
        models.Rescore,
        _of_rounds(models.Rescore, "round__"),
        links={"preview": (("", "entry", models.Entry),)},
    ),
    Table(models.HouseOrder, _of_rounds(models.HouseOrder, "round__")),
    Table(
        models.AuditEvent,
        lambda contest: models.AuditEvent.objects.filter(contest=contest).order_by("number", "pk"),
    ),
)
"""In the order in which they are written: what a row refers to comes before it."""

NOT_ARCHIVED = {
    "user": "people are archived by their names alone; e-mail and password stay where they are",
    "organiser": "who imports a contest runs it",
    "invitation": "a secret",
    "apitoken": "a secret",
    "announcementmail": "who received an e-mail is nobody's business later",
    "accounttoken": "a secret",
    "mail": "e-mails are between the site and a person",
    "login": "a secret",
    "identity": "who somebody is elsewhere is between the site and that person",
    "knock": "who tried what too often concerns nobody after a day",
    "webhook": "where news are sent is a matter of this installation",
    "delivery": "news that were sent are over",
    "job": "of work that is done the outcome is enough",
    "trial": "a version that is made live is in the audit log, with its reason; others change nothing",
    "teamorder": "a secret of its team; what was made of it is archived as its entry or answer",
    "notification": "what one person is told is between the site and that person",
    "notificationchoice": "how somebody wants to be told is a matter of this installation",
    "reminder": "reminders that were sent are over",
    "signal": "evidence is computed again from what is archived",
    "heartbeat": "the processes of one moment",
    "auditchain": "the end of the audit log is known from its rows",
}
"""Models of which an archive holds nothing, and why."""

PARTLY_ARCHIVED = {
    "question": "private and hidden ones are between a team and the organisers; who asked is not archived, "
    "and which team asked only where the team agreed",
}
"""Models of which an archive holds some rows, and why not the others."""
