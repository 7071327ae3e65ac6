"""A contest from a bundle, and the bundle of a contest: what goes in comes out the same."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from contest.bundle.check import OpenFile
from contest.bundle.declared import CONTEST_PLAIN, PLAIN
from contest.bundle.spans import in_order
from contest.bundle.specification import (
    KNOWLEDGE,
    Baseline,
    Bundle,
    DataSpec,
    GameSpec,
    PhaseSpec,
    RoundSpec,
    named_files,
)
from contest.declarations.round import DEFAULTS
from contest.errors import Refused
from contest.files.storage import published
from contest.language.translation import say
from contest.models import Attack, Contest, Dataset, HouseOrder, Phase, Round, User
from contest.names.lookalikes import look_of
from contest.names.policy import TITLE
from contest.names.validation import clean_name, clean_slug
from contest.play.packages import installed_package
from contest.play.table import Table
from contest.records import audit
from contest.services.contests import create_contest, create_round
from contest.services.datasets import register_dataset
from contest.services.game_packages import upload_game
from contest.services.game_rounds import create_game_round
from contest.services.house import request_house_entry
from datasets.problems import BadFiles
from datasets.seeds import secret_seed
from games.formats import find_format
from games.formats.rules import FileRules
from games.formats.sources import WAYS
from scoring.rules import Limit


def create_from_bundle(
    bundle: Bundle, user: User, open_file: OpenFile, *, slug: str | None = None, known_seeds: bool = False
) -> Contest:
    """Create the contest that a checked bundle describes, all of it or nothing.

    Seeds that it does not name are drawn in secret. One that it names is refused without ``known_seeds``.
    """
    slug = slug or bundle.slug
    _require_secret_seeds(bundle, known_seeds)
    _require_good("title", lambda: clean_name(bundle.title, TITLE))
    _require_free(slug)
    sets = {data.name: register_data(data, user, open_file) for data in bundle.data}
    with transaction.atomic():
        _require_free(slug)
        contest = create_contest(
            user,
            slug=slug,
            title=bundle.title,
            summary=bundle.summary,
            time_zone=bundle.time_zone,
            **bundle.settings,
        )
        for position, spec in enumerate(bundle.rounds):
            if spec.game is not None:
                create_game_round_of(contest, user, spec, spec.game, position, open_file)
            else:
                create_round_of(contest, user, spec, sets[spec.data], position)
        audit.record("contest.created_from_bundle", contest, contest=contest, actor=user)
    return contest


def _require_secret_seeds(bundle: Bundle, known_seeds: bool) -> None:
    named = [round_.slug for round_ in bundle.rounds if round_.names_seeds]
    if named and not known_seeds:
        text = _(
            "The bundle names seeds in %(rounds)s: anybody who has them can compute who is who in the house "
            "entries. Leave them out, and secret ones are drawn; or accept it with known_seeds."
        )
        raise Refused("seeds-named", text % {"rounds": ", ".join(named)})


def _require_good(key: str, check: Callable[[], str]) -> None:
    """Refuse what the policy of names refuses, with its key in the bundle."""
    try:
        check()
    except ValidationError as error:
        raise Refused("bad-data", f"{key}: {error.messages[0]}") from None


def _require_free(slug: str) -> None:
    _require_good("slug", lambda: clean_slug(slug))
    if Contest.objects.filter(look_key=look_of(slug)).exists():
        raise Refused(
            "slug-taken",
            _(
                "There is a contest with the address %(slug)r already, or one that looks like it. "
                "Choose another."
            )
            % {"slug": slug},
        )


def create_round_of(
    contest: Contest, user: User, spec: RoundSpec, dataset: Dataset, position: int, reason: str = ""
) -> Round:
    """Make the round that a bundle describes."""
    round_ = create_round(
        contest,
        user,
        dataset=dataset,
        limits=spec.limits,
        attacks=spec.attacks,
        phases=[(Phase.Kind(phase.kind), phase.starts_at, phase.ends_at) for phase in spec.phases],
        file_rules=spec.rules,
        reason=reason,
        slug=spec.slug,
        name=spec.name,
        position=position,
        seed=secret_seed() if spec.seed is None else spec.seed,
        seed_named=spec.seed is not None,
        seeds_known=spec.names_seeds,
        **spec.settings,
    )
    for baseline in spec.baselines:
        request_house_entry(round_, user, baseline.method, dict(baseline.parameters), baseline.seed)
    return round_


def create_game_round_of(
    contest: Contest, user: User, spec: RoundSpec, game: GameSpec, position: int, open_file: OpenFile
) -> Round:
    """Make a round that is played by a game, as a bundle describes it."""
    settings = {name: value for name, value in spec.settings.items() if name != "ranking"}
    with ExitStack() as opened:
        if game.file:
            package = upload_game(contest, user, opened.enter_context(open_file(game.file)))
        else:
            package = installed_package(game.name)
        sources = {name: opened.enter_context(open_file(file["name"])) for name, file in game.files.items()}
        return create_game_round(
            contest,
            user,
            package,
            phases=[(Phase.Kind(phase.kind), phase.starts_at, phase.ends_at) for phase in spec.phases],
            params=game.parameters,
            rule=game.rule,
            sources=sources,
            attacks=spec.attacks,
            baselines=[(it.method, dict(it.parameters), it.seed) for it in spec.baselines],
            samples=game.samples,
            slug=spec.slug,
            name=spec.name,
            position=position,
            seed=secret_seed() if spec.seed is None else spec.seed,
            seed_named=spec.seed is not None,
            seeds_known=spec.names_seeds,
            **settings,
        )


def register_data(data: DataSpec, user: User, open_file: OpenFile) -> Dataset:
    """Build the tables; the files that they are built from are stored as they came, for the export."""
    stored = {}
    for name in data.file_names:
        with open_file(name) as file:
            stored[name] = published.put(file).sha256
    source = {"bundle": dict(data.source), "stored": stored}
    try:
        built = _tables(data, open_file)
    except BadFiles as error:
        raise Refused("bad-data", f"{data.name}: {say(error.verdict.problems[0].message)}") from None
    except (ValueError, OSError) as error:
        raise Refused("bad-data", f"{data.name}: {error}") from None
    return register_dataset(
        data.name, built, format=data.format, description=data.description, user=user, source=source
    )


def _tables(data: DataSpec, open_file: OpenFile) -> Any:
    """The original that a data set describes, in its format."""
    spec = find_format(data.format)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "files" in data.source:
            names = {file.field: file.name for file in spec.original_fields}
            for place, file in named_files(data.source["files"]):
                _copy(open_file, file["name"], folder / names[str(place[-1])])
            return spec.read_original(folder)
        way = next(way for way in WAYS if way.key in data.source)
        for file_name in data.file_names:
            _copy(open_file, file_name, folder / file_name)
        return way.original(spec, data.source[way.key], folder)


def _copy(open_file: OpenFile, name: str, target: Path) -> None:
    with open_file(name) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink)


@dataclass(frozen=True)
class Exported:
    """A contest's bundle, and the files beside it: their names, and their hashes in the public store."""

    bundle: Bundle
    files: Mapping[str, str]


def export_bundle(contest: Contest) -> Exported:
    """The bundle from which this contest could be made again."""
    rounds = list(contest.rounds.select_related("dataset").order_by("position", "pk"))
    sets: dict[str, DataSpec] = {}
    files: dict[str, str] = {}
    names: dict[int, str] = {}
    for round_ in rounds:
        dataset = round_.dataset
        if dataset.pk in names or round_.game_id is not None:
            continue
        # Two different tables may have one name; in a bundle every name is one data set.
        name = dataset.name if dataset.name not in sets else f"{dataset.name[:90]} ({dataset.pk})"
        names[dataset.pk] = name
        source, stored = _source(dataset)
        sets[name] = DataSpec(name, source, dataset.description, dataset.format)
        files |= stored
    bundle = Bundle(
        slug=contest.slug,
        title=contest.title,
        summary=contest.summary,
        time_zone=contest.time_zone,
        settings={it.name: getattr(contest, it.name) for it in CONTEST_PLAIN},
        data=tuple(sets.values()),
        rounds=tuple(round_spec(round_, names.get(round_.dataset_id, "")) for round_ in rounds),
    )
    return Exported(bundle, files)


def _source(dataset: Dataset) -> tuple[dict[str, Any], dict[str, str]]:
    """Where a data set came from as its bundle said; one that came otherwise is given as its files."""
    if dataset.source:
        return dataset.source["bundle"], dataset.source["stored"]
    described = {
        name: {"name": f"{sha256[:12]}-{name}", "sha256": sha256} for name, sha256 in dataset.files.items()
    }
    files: dict[str, Any] = {file.field: described[file.name] for file in dataset.spec.table_fields}
    knowledge = dataset.spec.knowledge_fields
    if knowledge:
        files[KNOWLEDGE] = {file.field: described[file.name] for file in knowledge}
    return {"files": files}, {file["name"]: file["sha256"] for file in described.values()}


def round_spec(round_: Round, data: str) -> RoundSpec:
    """A round as a bundle describes it; ``data`` is the name of its data set there.

    Seeds that were drawn stay out of it: people pass bundles on.
    """
    phases = [PhaseSpec(phase.kind, phase.starts_at, phase.ends_at) for phase in round_.phases.all()]
    settings = {it.name: getattr(round_, it.name) for it in PLAIN}
    if round_.game_id is not None:
        settings["ranking"] = DEFAULTS["ranking"]
    attacks = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE).order_by("pk")
    orders = HouseOrder.objects.filter(round=round_).order_by("pk")
    return RoundSpec(
        slug=round_.slug,
        name=round_.name,
        data=data,
        phases=in_order(phases),
        settings=settings,
        seed=round_.seed if round_.seed_named else None,
        rules=FileRules(**round_.file_rules),
        limits=tuple(Limit(**limit) for limit in round_.limits),
        attacks=tuple(attacks.values_list("name", flat=True)),
        baselines=tuple(Baseline(order.method, order.parameters, order.seed) for order in orders),
        game=_game_spec(round_) if round_.game_id is not None else None,
    )


def _game_spec(round_: Round) -> GameSpec:
    """How a game is played in a round. What organisers brought is secret and stays out of a bundle, and so
    does the zip of an uploaded game, which may hold secrets: its name and hash say which it was."""
    package, declared = round_.game, Table(round_).declared
    assert package is not None
    zipped = (f"{package.name}-{package.version}.zip", package.zip_sha256)
    file, sha256 = zipped if package.is_uploaded else ("", "")
    name = "" if package.is_uploaded else package.name
    chosen = {key: value for key, value in round_.params.items() if declared.defaults.get(key) != value}
    return GameSpec(name, file, sha256, round_.ranking, chosen)
