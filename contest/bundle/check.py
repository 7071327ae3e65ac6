"""Is a bundle right? Everything wrong with it is told at once, each with its line."""

from __future__ import annotations

import datetime
import difflib
import hashlib
import json
import zoneinfo
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import IO, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import checked
from anonymizers.registry import EVERY_ANONYMIZER, anonymizer
from attacks.games import find_game
from contest.bundle.build import SOURCES, build_bundle
from contest.bundle.reading import BundleProblem, Document, Path
from contest.bundle.spans import faults
from contest.bundle.specification import Bundle, PhaseSpec, named_files, telling
from contest.names.policy import TITLE, BadName, clean_name
from contest.ranking import RANKINGS
from datasets.formats import Format, find_format
from scoring.registry import measures_of

OpenFile = Callable[[str], IO[bytes]]
"""Opens a file beside the bundle by its name; raises `FileNotFoundError` where there is none."""


@dataclass(frozen=True)
class Checked:
    """The bundle, where nothing is wrong with it; else the problems, in the order of their lines."""

    bundle: Bundle | None
    problems: tuple[BundleProblem, ...]

    @property
    def ok(self) -> bool:
        return self.bundle is not None


@lru_cache
def schema() -> dict[str, Any]:
    """The published JSON schema of a bundle."""
    text = (FilePath(__file__).parent / "schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def check_bundle(text: str, file: str = "contest.yaml", open_file: OpenFile | None = None) -> Checked:
    """Check a bundle's text; with ``open_file`` also that its data files are there and have their hashes."""
    document = Document(text, file)
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
                document.add((*path, key), "unknown-key", _one_of(known, key))
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance and f"'{key}' is" in error.message:
                document.add((*path, key), "missing-key", f"a key '{key}'")
    else:
        document.add(path, "bad-value", rules.get("description", "something else"), error.instance)


def _one_of(known: Iterable[str], got: str) -> str:
    """The known names, and first the one that was probably meant."""
    names = list(known)
    near = difflib.get_close_matches(got, names, n=1)
    listed = "one of " + ", ".join(names)
    return f"{near[0]}, or another {listed}" if near else listed


def _check_contest(document: Document) -> None:
    data = document.data
    try:
        clean_name(data["title"], TITLE)
    except BadName as bad:
        expected = "a title of visible letters of one script"
        document.add(("title",), bad.code, expected, data["title"])
    try:
        zoneinfo.ZoneInfo(data["time-zone"])
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        expected = "the name of a time zone, such as Asia/Tokyo"
        document.add(("time-zone",), "unknown-zone", expected, data["time-zone"])
    for name, source in data["data"].items():
        if not 1 <= len(name) <= 120:
            document.add(("data", name), "bad-value", "a name of 1 to 120 characters", name)
        kinds = [kind for kind in SOURCES if kind in source]
        _check_tables(document, source, ("data", name))
        if all(round_["data"] != name for round_ in data["rounds"]):
            document.add(("data", name), "unused-data", "a data set that a round uses", name)
        if len(kinds) != 1:
            expected = "exactly one of " + ", ".join(SOURCES)
            document.add(("data", name), "data-source", expected, ", ".join(kinds) or "none")
    slugs: dict[str, int] = {}
    for place, round_ in enumerate(data["rounds"]):
        first = slugs.setdefault(round_["slug"], place)
        if first != place:
            path: Path = ("rounds", place, "slug")
            document.add(path, "slug-twice", "a slug that no other round has", round_["slug"])
        _check_round(document, round_, ("rounds", place))


def _check_tables(document: Document, source: Mapping[str, Any], path: Path) -> None:
    """A data set of files names just those that its format has."""
    if "files" not in source:
        return
    spec = _format(source)
    wants = {"master": len(spec.data_files) > 1, "knowledge": bool(spec.knowledge_files)}
    for part, wanted in wants.items():
        given = part in source["files"]
        if given and not wanted:
            document.add((*path, "files", part), "file-of-another-format", f"no {part} in {spec.name}")
        if wanted and not given and part == "master":
            document.add((*path, "files", part), "missing-key", f"a key '{part}'")


def _format(source: Mapping[str, Any]) -> Format:
    return find_format(source.get("format", "2016"))


def _check_round(document: Document, round_: Mapping[str, Any], path: Path) -> None:
    names = list(document.data["data"])
    if round_["data"] not in names:
        document.add((*path, "data"), "unknown-data", _one_of(names, round_["data"]), round_["data"])
        return
    spec = _format(document.data["data"][round_["data"]])
    rankings = [ranking.name for ranking in RANKINGS]
    if round_.get("ranking", "2016") not in rankings:
        expected = _one_of(rankings, round_["ranking"])
        document.add((*path, "ranking"), "unknown-ranking", expected, round_["ranking"])
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
            document.add((*path, place), f"unknown-{kind}", _one_of(known, name), name)
        elif name in names[:place]:
            document.add((*path, place), f"{kind}-twice", "a name once", name)


def _check_rules(document: Document, rules: Mapping[str, Any], spec: Format, path: Path) -> None:
    known = [name.replace("_", "-") for name in spec.rules]
    for name in rules:
        if name not in known:
            document.add((*path, name), "rule-of-another-format", _one_of(known, name))


def _check_limits(document: Document, limits: Sequence[Mapping[str, Any]], spec: Format, path: Path) -> None:
    known = [measure.name for measure in measures_of(spec.name)]
    _check_names(document, [limit["measure"] for limit in limits], known, path, "measure")
    for place, limit in enumerate(limits):
        if ("at-most" in limit) == ("at-least" in limit):
            document.add((*path, place), "limit-bound", "either at-most or at-least")


def _check_baseline(document: Document, baseline: Mapping[str, Any], spec: Format, path: Path) -> None:
    method = baseline["method"]
    known = [it.name for it in EVERY_ANONYMIZER if it.format == spec.name]
    if method not in known:
        document.add((*path, "method"), "unknown-method", _one_of(known, method), method)
        return
    given = baseline.get("parameters", {})
    try:
        checked(method, anonymizer(method).parameters, given)
    except ParameterError as error:
        document.add((*path, "parameters"), "bad-parameters", f"other parameters: {error}".rstrip("."))


def _check_phases(document: Document, round_: Mapping[str, Any], path: Path) -> None:
    phases = []
    for kind, span in round_["phases"].items():
        times = []
        for end in ("from", "until"):
            try:
                times.append(datetime.datetime.fromisoformat(span[end]))
            except ValueError:
                document.add((*path, kind, end), "no-such-time", "a time that exists", span[end])
        if len(times) == 2:
            phases.append(PhaseSpec(kind, *times))
    for fault in faults(phases, round_.get("feedback", telling(round_.get("weight", 1.0))["feedback"])):
        phase, before = fault.phase, fault.before
        if fault.code == "phase-has-no-length":
            end, expected = "until", f"a time after the start, {round_['phases'][phase.kind]['from']}"
        else:
            end = "from"
            expected = f"a start not before the end of {before.kind}, {before.ends_at.isoformat()}"
        document.add((*path, phase.kind, end), fault.code, expected, round_["phases"][phase.kind][end])


def _check_files(document: Document, open_file: OpenFile) -> None:
    for name, source in document.data["data"].items():
        for path, file, sha256 in _files(name, source):
            try:
                with open_file(file) as opened:
                    got = _digest(opened)
            except FileNotFoundError:
                document.add(path, "missing-file", f"a file {file} beside the bundle")
                continue
            if sha256 is not None and got != sha256:
                document.add(path, "other-file", f"the file {file} with sha256 {sha256}", got)


def _files(name: str, source: Mapping[str, Any]) -> Iterable[tuple[Path, str, str | None]]:
    for place, file in named_files(source.get("files", {})):
        yield ("data", name, "files", *place), file["name"], file["sha256"]
    retail = source.get("online-retail")
    if retail:
        yield ("data", name, "online-retail", "file"), retail["file"], retail.get("sha256")


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(1024 * 1024):
        digest.update(chunk)
    return digest.hexdigest()
