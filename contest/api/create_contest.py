"""New contests and other data: the wizard's decisions or a whole bundle, read by the forms of the pages."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import errors
from contest.api.closed_shape import ClosedShape
from contest.api.dataset_serializers import FactShape
from contest.api.organisers_attacks import OrganiserView
from contest.api.setting_fields import AnyField, field_of, fields_of
from contest.api.view import valid
from contest.bundle.declared import CONTEST_NAMED
from contest.bundle.files import open_upload_bundle, preset_bundle
from contest.bundle.specification import KNOWN_SEEDS
from contest.declarations.contest import CONTEST
from contest.declarations.phase import FIRST_START, LAST_START
from contest.forms.new_contest import FILES, STARTS, WAY_NAMES, BundleForm, DataForm, NewContestForm
from contest.services.bundles import create_from_bundle, register_data
from contest.services.settings import change_data, require_no_entries
from games.formats.presets import preset_names
from games.formats.sources import CHOICE, DATA

Shape = s.Serializer[Any]
DECLARED = {setting.name: setting for setting in CONTEST}
UPLOADS = (*FILES, *STARTS, "bundle")


class PresetShape(Shape):
    name = s.CharField()
    title = s.CharField()
    summary = s.CharField()


class DataOrder(ClosedShape):
    """Tables to play on; the files belong to the sources that need them."""

    way = s.ChoiceField(WAY_NAMES, help_text=CHOICE)

    def get_fields(self) -> dict[str, AnyField]:
        """The files are those of the formats; a file that the round's format lacks is refused."""
        own = super().get_fields()
        meanings = {field: file.meaning for field, file in STARTS.items()} | FILES
        files = {
            field: s.FileField(required=False, allow_empty_file=True, help_text=meaning)
            for field, meaning in meanings.items()
        }
        settings = {it.name: field_of(it, required=False, reads_text=True) for it in DATA}
        return {"way": own.pop("way"), **settings, **own, **files}


class RoundDataOrder(DataOrder):
    reason = s.CharField(required=False, max_length=300)


class NewContestOrder(DataOrder):
    """What is not sent stays as in the preset."""

    way = s.ChoiceField(["preset", *WAY_NAMES], default="preset")
    preset = s.ChoiceField(preset_names())
    starts_at = s.DateTimeField(required=False, help_text="When the first phase begins; the others follow.")
    is_public = s.BooleanField(default=False)

    def get_fields(self) -> dict[str, AnyField]:
        named = [setting for setting in CONTEST if setting.name in CONTEST_NAMED]
        return {**super().get_fields(), **fields_of(named, required=False)}

    def validate_starts_at(self, when: Any) -> Any:
        if not FIRST_START <= when.year <= LAST_START:
            span = {"first": FIRST_START, "last": LAST_START}
            raise s.ValidationError(_("Expected a year from %(first)s to %(last)s.") % span, code="no-time")
        return when


class BundleOrder(ClosedShape):
    bundle = s.FileField(
        allow_empty_file=True, help_text="contest.yaml, or a zip with it and its data files."
    )
    slug = field_of(DECLARED["slug"], required=False, help_text="Another address than the bundle’s.")
    known_seeds = s.BooleanField(default=False, help_text=KNOWN_SEEDS)


class MadeShape(Shape):
    slug = s.SlugField()
    title = s.CharField()
    is_public = s.BooleanField()


class ChosenData(Shape):
    name = s.CharField()
    format = s.CharField()
    n_people = s.IntegerField()
    facts = FactShape(many=True)


def split(data: dict[str, Any]) -> tuple[dict[str, Any], MultiValueDict[str, UploadedFile]]:
    """What a form reads as its fields, and what it reads as its files."""
    files = MultiValueDict({name: [data[name]] for name in UPLOADS if name in data})
    return {name: value for name, value in data.items() if name not in UPLOADS}, files


class Presets(OrganiserView):
    @extend_schema(summary="What a new contest can begin from", responses=PresetShape(many=True))
    def get(self, request: Request) -> Response:
        access.require_may_create(self.viewer)
        found = [(name, preset_bundle(name)) for name in preset_names()]
        rows = [{"name": name, "title": it.title, "summary": it.summary} for name, it in found]
        return self.paged(rows, PresetShape)

    @extend_schema(
        summary="Create a contest from a preset, on its data or on other data",
        request={"multipart/form-data": NewContestOrder, "application/json": NewContestOrder},
        responses={201: MadeShape},
    )
    def post(self, request: Request) -> Response:
        access.require_may_create(self.viewer)
        data = self.read(NewContestOrder)
        bundle = preset_bundle(data.pop("preset"))
        if "starts_at" in data:
            zone = ZoneInfo(data.get("time_zone", bundle.time_zone))
            data["starts_at"] = data["starts_at"].astimezone(zone).strftime("%Y-%m-%dT%H:%M:%S")
        fields, files = split(data)
        form = valid(NewContestForm(bundle, {**NewContestForm(bundle).initial, **fields}, files))
        made = create_from_bundle(form.described(), self.user, form.open_file())
        return Response(MadeShape(made).data, 201)


class Bundles(OrganiserView):
    @extend_schema(
        summary="Create the contest of a bundle; everything wrong with it is reported by line",
        request={"multipart/form-data": BundleOrder},
        responses={201: MadeShape},
    )
    def post(self, request: Request) -> Response:
        access.require_may_create(self.viewer)
        fields, files = split(self.read(BundleOrder))
        form = valid(BundleForm(fields, files))
        upload, slug = form.cleaned_data["bundle"], form.cleaned_data["slug"] or None
        with open_upload_bundle(upload.file, upload.name) as opened:
            if opened.checked.bundle is None:
                problems = [problem.as_dict() for problem in opened.checked.problems]
                text = _("The bundle does not describe a contest; `detail` says where.")
                return Response(errors.body("bad-bundle", text, {"problems": problems}), 422)
            made = create_from_bundle(
                opened.checked.bundle,
                self.user,
                opened.open_file,
                slug=slug,
                known_seeds=form.cleaned_data["known_seeds"],
            )
        return Response(MadeShape(made).data, 201)


class RoundData(OrganiserView):
    @extend_schema(
        summary="Play a round on other data; possible until the first entry",
        request={"multipart/form-data": RoundDataOrder, "application/json": RoundDataOrder},
        responses=ChosenData,
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        data = self.read(RoundDataOrder)
        fields, files = split(data)
        form = valid(DataForm(round_.dataset.spec, fields, files))
        require_no_entries(round_)
        asked = form.data_spec()
        assert asked is not None
        dataset = register_data(asked, self.user, form.open_file())
        change_data(round_, self.user, dataset, data.get("reason") or _("Data chosen by an organiser"))
        return Response(ChosenData(dataset).data)
