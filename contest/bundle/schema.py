"""The JSON schema of a bundle, made from the declared settings; `manage.py declarations` writes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from contest.bundle.declared import ROUND
from contest.bundle.specification import KNOWLEDGE
from contest.declarations.contest import CONTEST
from contest.declarations.game import SAMPLES
from contest.declarations.phase import ENDS_AT, KINDS, STARTS_AT
from contest.declarations.round import SEED
from datasets.setting import Setting, schema_of
from games.formats import FORMATS, TABLE_FIELDS
from games.formats.limits import LIMIT
from games.formats.rules import RULES
from games.formats.sources import WAYS, Way

Schema = dict[str, Any]
MOST_ROUNDS = 50
GROUPS = {
    "attempts": "a mapping of attempts",
    "programs": "what a team's program may use",
    "board": "when the board stands still, and how results are revealed",
}


def schema_properties(settings: Iterable[Setting]) -> Schema:
    """The properties of settings in a mapping, nested as their keys are."""
    properties: Schema = {}
    for setting in settings:
        *groups, last = setting.place
        node = properties
        for group in groups:
            node = node.setdefault(group, mapping(GROUPS[group], {}))["properties"]
        node[last] = schema_of(setting)
    return properties


def mapping(description: str, properties: Schema, required: Iterable[str] = ()) -> Schema:
    needed = {"required": list(required)} if required else {}
    closed = {"type": "object", "additionalProperties": False}
    return {**closed, **needed, "description": description, "properties": properties}


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def build_schema() -> Schema:
    """The published JSON schema of a bundle."""
    required = ("kakurenbo", "slug", "title", "summary", "time-zone", "rounds")
    version = {"enum": [1, 2], "description": "the number 1 or 2, the version of this format"}
    data = {
        "type": "object",
        "description": "a mapping from the name of a data set to where it comes from",
        "additionalProperties": ref("data"),
    }
    listed = {
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_ROUNDS,
        "description": f"a list of 1 to {MOST_ROUNDS} rounds",
        "items": ref("round"),
    }
    properties = {"kakurenbo": version, **schema_properties(CONTEST), "data": data, "rounds": listed}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kakurenbo contest bundle, versions 1 and 2",
        **mapping("a mapping that describes a contest", properties, required),
        "$defs": {**_data_parts(), **_round_parts()},
    }


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", **more, "description": description}


def _data_parts() -> Schema:
    names = [spec.name for spec in FORMATS]
    listed = _listed([f"'{name}'" for name in names], "or")
    file_name = "the name of a file beside the bundle, without folders"
    sources = {
        "description": _text("a text", maxLength=10_000),
        "format": {"enum": names, "description": f"the name of a contest format in quotes: {listed}"},
        "files": _files(),
        **{way.key: _way(way) for way in WAYS},
    }
    keys = ", ".join(("files", *(way.key for way in WAYS)))
    return {
        "sha256": _text("a sha256 in 64 hexadecimal digits", pattern="^[0-9a-f]{64}$"),
        "file-name": _text(file_name, pattern="^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$"),
        "file": mapping(
            "a name and a sha256", {"name": ref("file-name"), "sha256": ref("sha256")}, ["name", "sha256"]
        ),
        "data": mapping(f"a mapping with one of {keys}", sources),
    }


def _files() -> Schema:
    """The files of a data set: tables, of which each format has the last, and what attackers know."""
    known = list(dict.fromkeys(file.field for spec in FORMATS for file in spec.knowledge_fields))
    described = f"the files {_listed(known, 'and')} of what attackers know"
    shares = mapping(described, {field: ref("file") for field in known}, known)
    tables = {**{field: ref("file") for field in TABLE_FIELDS}, KNOWLEDGE: shares}
    everywhere = [
        field for field in TABLE_FIELDS
        if all(field in [file.field for file in spec.table_fields] for spec in FORMATS)
    ]  # fmt: skip
    return mapping(f"the files {_listed(TABLE_FIELDS, 'and')}, as the format has them", tables, everywhere)


def _way(way: Way) -> Schema:
    file = {"file": ref("file-name"), "sha256": ref("sha256")} if way.file else {}
    return mapping(way.description, {**file, **schema_properties(way.settings)}, way.required)


def _listed(words: Sequence[str], last: str) -> str:
    """Words in a sentence.

    >>> _listed(["a", "b", "c"], "or")
    'a, b or c'
    """
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _round_parts() -> Schema:
    bound = schema_of(LIMIT)
    limit = {"measure": _text("the name of a measure"), "at-most": bound, "at-least": bound}
    baseline = {
        "method": _text("the name of a house anonymizer"),
        "parameters": {"type": "object", "description": "a mapping of parameters"},
        "seed": schema_of(SEED),
    }
    phases = {
        **mapping("a mapping from phases to their times", {kind: ref("phase") for kind, _label in KINDS}),
        "minProperties": 1,
    }
    own = {
        "data": _text("the name of a data set of this bundle"),
        "game": ref("game"),
        "preset": _text("the name of a preset of the game", maxLength=60),
        "phases": phases,
        "rules": ref("rules"),
        "limits": _list("a list of limits", ref("limit")),
        "attacks": _list("a list of house attacks", _text("the name of a house attack")),
        "baselines": _list("a list of house entries", ref("baseline")),
    }
    properties = {**schema_properties(ROUND), **own}
    return {
        "phase": mapping("from and until", schema_properties((STARTS_AT, ENDS_AT)), ["from", "until"]),
        "rules": mapping("a mapping of file rules", schema_properties(RULES)),
        "limit": mapping("a measure with at-most or at-least", limit, ["measure"]),
        "baseline": mapping("a method, its parameters and a seed", baseline, ["method"]),
        "game": mapping("the name of an installed game or a zip of one, and how it is played", _game_parts()),
        "round": mapping("a mapping that describes a round", properties, ["slug", "name", "phases"]),
    }


def _game_parts() -> Schema:
    files = {
        "type": "object",
        "description": "a mapping from the files that organisers bring to files beside the bundle",
        "additionalProperties": ref("file"),
    }
    return {
        "name": _text("the name of an installed game", maxLength=60),
        "zip": ref("file"),
        "rule": _text("the name of a rule of the game", maxLength=60),
        "parameters": {"type": "object", "description": "a mapping of parameters"},
        "files": files,
        **schema_properties((SAMPLES,)),
    }


def _list(description: str, each: Schema) -> Schema:
    return {"type": "array", "description": description, "items": each}
