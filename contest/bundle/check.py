"""Is a bundle valid? Everything wrong with it is reported at once, each with its line."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import checked
from contest.bundle import expectations as expect
from contest.bundle.build import SOURCES, build_bundle
from contest.bundle.declared import ROUND, node_at
from contest.bundle.expectations import A_MAPPING, described, one_of, schema
from contest.bundle.game_rounds import check_game_round, check_zipped_games, game_files
from contest.bundle.spans import faults, may_freeze
from contest.bundle.specification import KNOWLEDGE, Bundle, PhaseSpec, named_files
from contest.declarations.contest import CONTEST
from contest.declarations.phase import ENDS_AT, STARTS_AT
from contest.declarations.round import DEFAULTS, FREEZE, defaults_for
from contest.names.policy import TITLE, BadName, clean_name
from datasets.documents import Document, DocumentProblem, Path
from datasets.setting import NOTHING, BadValue, Setting
from games.formats import OLDEST, TABLE_FIELDS, Format, find_format
from games.formats.guessing import find_game
from games.formats.limits import WrongWay, operator_for
from games.formats.measures import measures_of
from games.formats.methods import EVERY_ANONYMIZER, anonymizer
from games.formats.sources import WAYS

OpenFile = Callable[[str], IO[bytes]]
"""Opens a file beside the bundle by its name; raises `FileNotFoundError` where there is none."""


@dataclass(frozen=True)
class Checked:
    """The bundle, where nothing is wrong with it; else the problems, in the order of their lines."""

    bundle: Bundle | None
    problems: tuple[DocumentProblem, ...]

    @property
    def ok(self) -> bool:
        return self.bundle is not None


def check_bundle(text: str, file: str = "contest.yaml", open_file: OpenFile | None = None) -> Checked:
    """Check a bundle's text; with ``open_file`` also that its data files are there and have their hashes."""
    document = Document(text, file, A_MAPPING())
    if not document.problems:
        _check_schema(document)
    if not document.problems:
        _check_contest(document)
    if not document.problems and open_file is not None:
        _check_files(document, open_file)
    if document.problems:
        return Checked(None, tuple(sorted(document.problems, key=lambda it: (it.line or 0, it.key))))
    return Checked(build_bundle(document.data), ())


def _check_schema(document: Document) -> None:
    for error in Draft202012Validator(schema()).iter_errors(document.data):
        _tell(document, error)


def _tell(document: Document, error: ValidationError) -> None:
    """A problem in our words for what the schema says in its own."""
    path: Path = tuple(error.absolute_path)
    rules = error.schema if isinstance(error.schema, Mapping) else {}
    known = rules.get("properties", {})
    if error.validator == "additionalProperties":
        for key in error.instance:
            if key not in known:
                document.add((*path, key), "unknown-key", one_of(known, key))
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance and f"'{key}' is" in error.message:
                document.add((*path, key), "missing-key", expect.A_KEY(key=key))
    else:
        document.add(path, "bad-value", described(rules), error.instance)


def _check_contest(document: Document) -> None:
    data = document.data
    try:
        clean_name(data["title"], TITLE)
    except BadName as bad:
        document.add(("title",), bad.code, expect.A_TITLE(), data["title"])
    _check_settings(document, CONTEST, data, ())
    for name, source in data.get("data", {}).items():
        if not 1 <= len(name) <= 120:
            document.add(("data", name), "bad-value", expect.A_NAME_OF(n=120), name)
        kinds = [kind for kind in SOURCES if kind in source]
        _check_tables(document, source, ("data", name))
        if all(round_.get("data") != name for round_ in data["rounds"]):
            document.add(("data", name), "unused-data", expect.A_USED_DATA_SET(), name)
        if len(kinds) != 1:
            expected = expect.ONE_SOURCE(names=list(SOURCES))
            document.add(("data", name), "data-source", expected, ", ".join(kinds) or "none")
    slugs: dict[str, int] = {}
    for place, round_ in enumerate(data["rounds"]):
        first = slugs.setdefault(round_["slug"], place)
        if first != place:
            path: Path = ("rounds", place, "slug")
            document.add(path, "slug-twice", expect.ANOTHER_SLUG(), round_["slug"])
        _check_round(document, round_, ("rounds", place))


def _check_settings(
    document: Document, settings: Iterable[Setting], given: Mapping[str, Any], path: Path
) -> None:
    """What a schema cannot say, such as whether there is a time zone or a ranking rule of that name."""
    for setting in settings:
        node = node_at(given, setting.place)
        try:
            if node is not NOTHING:
                setting.checked(node)
        except BadValue as bad:
            document.add((*path, *setting.place), bad.code, bad.expected, bad.got)


def _check_tables(document: Document, source: Mapping[str, Any], path: Path) -> None:
    """A data set of files names exactly those that its format has."""
    if "files" not in source:
        return
    spec = _format(source)
    tables = {file.field for file in spec.table_fields}
    wants = {**{field: field in tables for field in TABLE_FIELDS}, KNOWLEDGE: bool(spec.knowledge_files)}
    for part, wanted in wants.items():
        given = part in source["files"]
        if given and not wanted:
            expected = expect.NO_PART(part=part, name=spec.name)
            document.add((*path, "files", part), "file-of-another-format", expected)
        if wanted and not given and part != KNOWLEDGE:
            document.add((*path, "files", part), "missing-key", expect.A_KEY(key=part))


def _format(source: Mapping[str, Any]) -> Format:
    return find_format(source.get("format", OLDEST))


def _check_round(document: Document, round_: dict[str, Any], path: Path) -> None:
    if "game" in round_:
        check_game_round(document, round_, path)
        _check_phases(document, round_, (*path, "phases"))
        return
    if "preset" in round_:
        document.add((*path, "preset"), "only-with-a-game", expect.ONLY_WITH_A_GAME(key="preset"))
    names = list(document.data.get("data", {}))
    if "data" not in round_:
        document.add((*path, "data"), "missing-key", expect.A_KEY(key="data"))
        return
    if round_["data"] not in names:
        document.add((*path, "data"), "unknown-data", one_of(names, round_["data"]), round_["data"])
        return
    spec = _format(document.data["data"][round_["data"]])
    _check_settings(document, ROUND, round_, path)
    attacks = [attack.name for attack in find_game(spec.name).attacks]
    _check_names(document, round_.get("attacks", []), attacks, (*path, "attacks"), "attack")
    _check_limits(document, round_.get("limits", []), spec, (*path, "limits"))
    _check_rules(document, round_.get("rules", {}), spec, (*path, "rules"))
    for place, baseline in enumerate(round_.get("baselines", [])):
        _check_baseline(document, baseline, spec, (*path, "baselines", place))
    _check_phases(document, round_, (*path, "phases"))


def _check_names(
    document: Document, names: Sequence[str], known: Sequence[str], path: Path, kind: str
) -> None:
    for place, name in enumerate(names):
        if name not in known:
            document.add((*path, place), f"unknown-{kind}", one_of(known, name), name)
        elif name in names[:place]:
            document.add((*path, place), f"{kind}-twice", expect.A_NAME_ONCE(), name)


def _check_rules(document: Document, rules: Mapping[str, Any], spec: Format, path: Path) -> None:
    known = [name.replace("_", "-") for name in spec.rules]
    for name in rules:
        if name not in known:
            document.add((*path, name), "rule-of-another-format", one_of(known, name))


def _check_limits(document: Document, limits: Sequence[Mapping[str, Any]], spec: Format, path: Path) -> None:
    known = [measure.name for measure in measures_of(spec.name)]
    _check_names(document, [limit["measure"] for limit in limits], known, path, "measure")
    for place, limit in enumerate(limits):
        if ("at-most" in limit) == ("at-least" in limit):
            document.add((*path, place), "limit-bound", expect.ONE_BOUND())
        elif "at-most" in limit and limit["measure"] in known and not _may_have_at_most(limit["measure"]):
            document.add((*path, place), "limit-wrong-way", expect.AT_LEAST(measure=limit["measure"]))


def _may_have_at_most(measure: str) -> bool:
    try:
        return operator_for(measure, "<=") == "<="
    except WrongWay:
        return False


def _check_baseline(document: Document, baseline: Mapping[str, Any], spec: Format, path: Path) -> None:
    method = baseline["method"]
    known = [it.name for it in EVERY_ANONYMIZER if it.format == spec.name]
    if method not in known:
        document.add((*path, "method"), "unknown-method", one_of(known, method), method)
        return
    given = baseline.get("parameters", {})
    try:
        checked(method, anonymizer(method).parameters, given)
    except ParameterError as error:
        document.add((*path, "parameters"), "bad-parameters", expect.OTHER_PARAMETERS(problem=error.message))


def _check_phases(document: Document, round_: Mapping[str, Any], path: Path) -> None:
    phases = []
    for kind, span in round_["phases"].items():
        times = [_time(document, span, setting, (*path, kind)) for setting in (STARTS_AT, ENDS_AT)]
        if times[0] is not None and times[1] is not None:
            phases.append(PhaseSpec(kind, times[0], times[1]))
    usual = defaults_for(round_.get("weight", DEFAULTS["weight"]))
    for fault in faults(phases, round_.get("feedback", usual["feedback"])):
        phase, before = fault.phase, fault.before
        if fault.code == "phase-has-no-length":
            end, expected = "until", expect.AFTER_THE_START(start=round_["phases"][phase.kind]["from"])
        else:
            end = "from"
            expected = expect.NOT_BEFORE_THE_END(phase=before.kind, end=before.ends_at.isoformat())
        document.add((*path, phase.kind, end), fault.code, expected, round_["phases"][phase.kind][end])
    _check_freeze(document, round_, phases, path[:-1])


def _check_freeze(
    document: Document, round_: Mapping[str, Any], phases: Sequence[PhaseSpec], path: Path
) -> None:
    (setting,) = [it for it in FREEZE if it.kind == "moment"]
    node = node_at(round_, setting.place)
    try:
        moment = None if node is NOTHING else setting.checked(node)
    except BadValue:
        return  # It is reported with the other settings.
    if moment is not None and not may_freeze(phases, moment):
        document.add((*path, *setting.place), "freeze-outside", expect.WHILE_IT_IS_PLAYED(), node)


def _time(
    document: Document, span: Mapping[str, str], setting: Setting, path: Path
) -> datetime.datetime | None:
    (key,) = setting.place
    try:
        datetime.datetime.fromisoformat(span[key])
        moment: datetime.datetime = setting.checked(span[key])
    except BadValue as bad:
        document.add((*path, key), bad.code, bad.expected, bad.got)
    except ValueError:
        document.add((*path, key), "no-such-time", expect.A_TIME_THAT_EXISTS(), span[key])
    else:
        return moment
    return None


def _check_files(document: Document, open_file: OpenFile) -> None:
    listed = [it for name, source in document.data.get("data", {}).items() for it in _files(name, source)]
    for place, round_ in enumerate(document.data["rounds"]):
        listed += game_files(round_, ("rounds", place, "game"))
    for path, file, sha256 in listed:
        try:
            with open_file(file) as opened:
                got = _digest(opened)
        except FileNotFoundError:
            document.add(path, "missing-file", expect.A_FILE_BESIDE(name=file))
            continue
        if sha256 is not None and got != sha256:
            document.add(path, "other-file", expect.THE_FILE(name=file, sha256=sha256), got)
    if not document.problems:
        check_zipped_games(document, open_file)


def _files(name: str, source: Mapping[str, Any]) -> Iterable[tuple[Path, str, str | None]]:
    for place, file in named_files(source.get("files", {})):
        yield ("data", name, "files", *place), file["name"], file["sha256"]
    for way in WAYS:
        if way.file and way.key in source:
            given = source[way.key]
            yield ("data", name, way.key, "file"), given["file"], given.get("sha256")


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(1024 * 1024):
        digest.update(chunk)
    return digest.hexdigest()
