"""A new contest: from a preset with a few decisions, or from a bundle that says everything."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.archive.games import absent_games
from contest.archive.importing import import_upload
from contest.bundle.files import OpenBundle, open_upload_bundle, preset_bundle
from contest.bundle.specification import Bundle
from contest.errors import Refused
from contest.forms.new_contest import ArchiveForm, BundleForm, DataForm, NewContestForm
from contest.pages.games.packages import offered_games
from contest.services.bundles import create_from_bundle, register_data
from contest.services.settings import change_data, require_no_entries
from contest.views.requests import UserRequest
from games.formats.presets import preset_names


def preset(name: str) -> Bundle:
    if name not in preset_names():
        raise Http404
    return preset_bundle(name)


@login_required
@require_safe
def choose(request: UserRequest) -> HttpResponse:
    access.require_may_create(request.user)
    return _choose(request, BundleForm())


def _choose(request: UserRequest, form: BundleForm, status: int = 200, **context: object) -> HttpResponse:
    presets = [{"name": name, "bundle": preset(name)} for name in preset_names()]
    shown = {"presets": presets, "games": offered_games(), "form": form, **context}
    if request.user.is_staff:
        shown.setdefault("archive_form", ArchiveForm())
    return render(request, "contest/organise/new.html", shown, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def from_preset(request: UserRequest, name: str) -> HttpResponse:
    access.require_may_create(request.user)
    form = NewContestForm(preset(name), request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            contest = create_from_bundle(form.described(), request.user, form.open_file())
        except Refused as refusal:
            form.add_error("slug" if refusal.code == "slug-taken" else None, refusal.text)
        else:
            messages.success(request, _created(contest.is_public))
            return redirect("organise", contest.slug)
    context = {"preset": name, "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/organise/new_from_preset.html", context, status=status)


def _created(is_public: bool) -> str:
    if is_public:
        return _("Created; everybody sees the contest.")
    return _("Created; only organisers see the contest until you publish it.")


@login_required
@require_POST
def from_archive(request: UserRequest) -> HttpResponse:
    """Restore the contest of an uploaded archive; it shows what somebody else's site has written."""
    access.require_staff(request.user)
    form = ArchiveForm(request.POST, request.FILES)
    if form.is_valid():
        given = form.cleaned_data
        try:
            contest = import_upload(given["archive"].file, request.user, slug=given["slug"] or None)
        except Refused as refusal:
            form.add_error(
                "slug" if refusal.code in ("slug-taken", "bad-address") else "archive", refusal.text
            )
        else:
            messages.success(request, _("The archive is verified, and its contest is here with all results."))
            for sentence in absent_games(contest):
                messages.warning(request, sentence)
            return redirect("organise", contest.slug)
    return _choose(request, BundleForm(), status=422, archive_form=form)


@login_required
@require_POST
def from_bundle(request: UserRequest) -> HttpResponse:
    """Make the contest of an uploaded bundle; everything wrong with it is reported by line."""
    access.require_may_create(request.user)
    form = BundleForm(request.POST, request.FILES)
    if not form.is_valid():
        return _choose(request, form, status=422)
    upload = form.cleaned_data["bundle"]
    with open_upload_bundle(upload.file, upload.name) as opened:
        return _create(request, form, opened)


def _create(request: UserRequest, form: BundleForm, opened: OpenBundle) -> HttpResponse:
    bundle = opened.checked.bundle
    if bundle is None:
        return _choose(request, form, status=422, problems=opened.checked.problems)
    slug = form.cleaned_data["slug"] or None
    try:
        contest = create_from_bundle(
            bundle,
            request.user,
            opened.open_file,
            slug=slug,
            known_seeds=form.cleaned_data["known_seeds"],
        )
    except Refused as refusal:
        fields = {"slug-taken": "slug", "seeds-named": "known_seeds"}
        form.add_error(fields.get(refusal.code), refusal.text)
        return _choose(request, form, status=422)
    messages.success(request, _("The contest is created as the bundle says."))
    return redirect("organise", contest.slug)


@login_required
@require_http_methods(["GET", "POST"])
def round_data(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Other tables for a round that has no entries yet."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        return redirect("organise_game_data", slug, round_slug)
    form = DataForm(round_.dataset.spec, request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        spec = form.data_spec()
        assert spec is not None
        try:
            require_no_entries(round_)
            dataset = register_data(spec, request.user, form.open_file())
            change_data(round_, request.user, dataset, _("Data chosen by an organiser"))
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            messages.success(request, _("Saved."))
            return redirect("organise_settings", slug)
    context = {"contest": round_.contest, "here": "settings", "round": round_, "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/organise/data.html", context, status=status)
