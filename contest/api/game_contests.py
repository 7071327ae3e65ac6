"""New contests and rounds by a game: what organisers decide, read by the forms of the pages."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, cast
from zoneinfo import ZoneInfo

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.functional import Promise
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api.closed_shape import ClosedShape
from contest.api.create_contest import MadeShape
from contest.api.games import InstalledGames
from contest.api.organisers_attacks import OrganiserView
from contest.api.setting_fields import AnyField, field_of, fields_of
from contest.api.view import valid
from contest.bundle.declared import CONTEST_NAMED, ROUND
from contest.bundle.expectations import one_of
from contest.declarations.contest import CONTEST
from contest.declarations.game import SAMPLES
from contest.declarations.phase import STARTS_AT
from contest.declarations.round import NAMED
from contest.forms.games.declared import FILE, MOST, PARAMETER, ZIP
from contest.forms.games.rounds import GameContestForm, GameRoundForm
from contest.language.refusals import say_expected
from contest.language.translation import say
from contest.models import GamePackage, User
from contest.play.packages import declaration_of, installed_declarations, installed_package, presets_of
from contest.services.game_contests import add_game_round, create_game_contest
from datasets.archive import ArchiveError
from datasets.archive_tree import read_tree
from datasets.problems import shown
from datasets.zip_writer import zipped
from games.contract.declaration import Declaration
from games.contract.presets import Preset

ROUND_DECLARED = {setting.name: setting for setting in (*NAMED, *ROUND)}


class GameRoundOrder(ClosedShape):
    """What is not sent is as the preset has it, else as the game has it."""

    preset = s.CharField(required=False, max_length=60, help_text="The name of a preset of the game.")
    round_name = field_of(ROUND_DECLARED["name"], required=False)
    round_slug = field_of(ROUND_DECLARED["slug"], required=False)
    starts_at = field_of(
        STARTS_AT, required=False, help_text="When its first phase begins; the others follow."
    )
    hide_days = s.IntegerField(required=False, min_value=1, max_value=365)
    seek_days = s.IntegerField(required=False, min_value=1, max_value=365)
    feedback = field_of(ROUND_DECLARED["feedback"], required=False)
    rule = s.CharField(required=False, max_length=60)
    parameters = s.DictField(required=False, help_text="Values by name.")
    methods = s.ListField(child=s.CharField(max_length=60), required=False, help_text="House entries.")
    attacks = s.ListField(child=s.CharField(max_length=60), required=False, help_text="House attacks.")
    samples = field_of(SAMPLES, required=False)
    files = s.FileField(
        required=False, allow_empty_file=True, help_text="A zip with the files that organisers bring."
    )


class GameContestOrder(GameRoundOrder):
    game = s.CharField(max_length=60, help_text="The name of an installed game.")
    is_public = s.BooleanField(required=False)

    def get_fields(self) -> dict[str, AnyField]:
        named = [setting for setting in CONTEST if setting.name in CONTEST_NAMED or setting.name == "slug"]
        return {**super().get_fields(), **fields_of(named, required=False)}


class AddedRoundOrder(GameRoundOrder):
    """A round by an installed game, or by one that was uploaded to the contest."""

    game = s.CharField(required=False, max_length=60, help_text="The name of an installed game.")
    package = s.IntegerField(required=False, min_value=1, help_text="Else the id of an uploaded one.")


class AddedRound(s.Serializer[Any]):
    slug = s.SlugField()
    name = s.CharField()
    build_state = s.CharField()


class Games(InstalledGames):
    scopes = {"GET": "read", "POST": "organise"}

    @extend_schema(
        summary="Create a contest by an installed game",
        request={"application/json": GameContestOrder, "multipart/form-data": GameContestOrder},
        responses={201: MadeShape},
        auth=[{"token": []}],  # type: ignore[list-item]
    )
    def post(self, request: Request) -> Response:
        if not isinstance(request.user, User):
            self.permission_denied(request)
        access.require_may_create(self.viewer)
        data = self.read(GameContestOrder)
        package = _installed(data.pop("game"))
        declared, preset = declaration_of(package), chosen_preset(package, data)
        given, files = _as_sent(declared, data, data.get("time_zone", "UTC"))
        plain = GameContestForm(declared, preset=preset)
        form = _valid(GameContestForm(declared, {**_initial(plain), **given}, files, preset=preset))
        made = create_game_contest(request.user, package, form.planned(), **form.contest())
        return Response(MadeShape(made).data, 201)


class GameRounds(OrganiserView):
    @extend_schema(
        summary="Add a round by a game to a contest",
        request={"application/json": AddedRoundOrder, "multipart/form-data": AddedRoundOrder},
        responses={201: AddedRound},
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(AddedRoundOrder)
        name, number = data.pop("game", ""), data.pop("package", None)
        package = _installed(name) if number is None else access.game_of(contest, number)
        declared, preset = declaration_of(package), chosen_preset(package, data)
        given, files = _as_sent(declared, data, contest.time_zone)
        plain = GameRoundForm(declared, contest.time_zone, preset=preset)
        sent = {**_initial(plain), **given}
        form = _valid(GameRoundForm(declared, contest.time_zone, sent, files, preset=preset))
        made = add_game_round(contest, self.user, package, form.planned())
        return Response(AddedRound(made).data, 201)


def _installed(name: str) -> GamePackage:
    require_known("game", name, [declared.name for declared in installed_declarations()])
    return installed_package(name)


def chosen_preset(package: GamePackage, data: dict[str, Any]) -> Preset | None:
    """The preset that an order names; an unknown one is refused with the known ones, as bundles do."""
    name = data.pop("preset", None)
    if name is None:
        return None
    presets = {preset.name: preset for preset in presets_of(package)}
    require_known("preset", name, presets)
    return presets[name]


def require_known(field: str, name: str, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        said = say_expected(shown(name), one_of(names, name))
        raise s.ValidationError({field: [s.ErrorDetail(said, code=f"unknown-{field.split('.')[0]}")]})


def _initial(form: GameRoundForm) -> dict[str, Any]:
    """What the page of this form shows before anybody types."""
    shown_first = {name: form.get_initial_for_field(one, name) for name, one in form.fields.items()}
    if not shown_first["rule"] and form.declared.rules:
        shown_first["rule"] = form.declared.rules[0].name
    return {
        name: str(value) if isinstance(value, Promise) else value
        for name, value in shown_first.items()
        if value is not None and value is not False
    }


def _as_sent(
    declared: Declaration, data: Mapping[str, Any], zone: str
) -> tuple[dict[str, Any], MultiValueDict[str, UploadedFile]]:
    """An order as the form of the page reads it: its fields, and its files."""
    given = {name: value for name, value in data.items() if name not in ("parameters", "files")}
    known = [setting.name for setting in declared.parameters]
    for name, value in data.get("parameters", {}).items():
        require_known(f"parameters.{name}", name, known)
        given[PARAMETER + name] = "" if value is None else value
    if isinstance(given.get("starts_at"), datetime.datetime):
        given["starts_at"] = given["starts_at"].astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")
    return given, _files(declared, data["files"]) if "files" in data else MultiValueDict()


def _files(declared: Declaration, archive: UploadedFile) -> MultiValueDict[str, UploadedFile]:
    """The parts of a zip under the names of the form's fields; where a game has several files, as one zip."""
    try:
        rest = dict(read_tree(cast(BinaryIO, archive.file), MOST, archive.name or "files.zip"))
    except ArchiveError as error:
        raise s.ValidationError({"files": [say(error.verdict.problems[0].message)]}) from None
    expected = declared.files_of("round", "organiser")
    parts: dict[str, list[UploadedFile]] = {}
    for file in expected:
        if "{" not in file.name and file.name in rest:
            parts[FILE + file.name] = [SimpleUploadedFile(file.name, rest.pop(file.name))]
    if rest and not any("{" in file.name for file in expected):
        require_known("files", next(iter(rest)), [file.name for file in expected])
    if rest:
        parts[ZIP] = [SimpleUploadedFile("files.zip", zipped(rest))]
    return MultiValueDict(parts)


def _valid(form: Any) -> Any:
    """A valid form; its problems have the names of the order's fields."""
    try:
        return valid(form)
    except s.ValidationError as error:
        assert isinstance(error.detail, dict)
        found = {_named(name): said for name, said in error.detail.items()}
        raise s.ValidationError(found) from None


def _named(field: str) -> str:
    if field.startswith(PARAMETER):
        return f"parameters.{field.removeprefix(PARAMETER)}"
    return "files" if field == ZIP or field.startswith(FILE) else field
