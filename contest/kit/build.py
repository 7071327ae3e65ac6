"""Builds the kit of a round and stores it: the same round, library and texts give the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tempfile
from pathlib import Path
from typing import IO, Any

from django.template.loader import render_to_string
from django.utils import translation

from anonymizers.registry import ANONYMIZERS_2017, ANONYMIZERS_2018, run_anonymizer
from attacks.games import find_game
from contest.files.storage import open_made, published
from contest.kit.library import Library, library
from contest.kit.notebook import notebook
from contest.models import Attack, Round
from contest.services.datasets import load_original
from datasets.rules import FileRules
from datasets.zip_writer import zipped
from scoring.registry import measure

SAMPLES = {
    "2016": ("identity", "shuffle"),
    "2017": tuple(method.name for method in ANONYMIZERS_2017[:2]),
    "2018": tuple(method.name for method in ANONYMIZERS_2018[:2]),
}
"""House methods of each format whose entries the kit shows."""
SAMPLE_SEED = 20161011
"""Known to everybody, as a sample shows its truth; the seeds of house entries are drawn in secret."""


def open_kit(round_: Round) -> IO[bytes]:
    """The kit as a zip; built where it is not stored yet. Ask `access` first who may see the round."""
    about = describe_round(round_)
    made_of = library()
    words = _words(round_, about, made_of)
    name = f"kits/{_key(about, made_of, words)}.zip"
    return open_made(name, lambda: _build(round_, about, made_of, words))


def describe_round(round_: Round) -> dict[str, Any]:
    """The round as `kakurenbo kit` reads it. The seed of the house attacks is part of it after the reveal."""
    attacks = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE, is_active=True).order_by("pk")
    return {
        "contest": round_.contest.slug,
        "round": round_.slug,
        "limits": round_.limits,
        "file_rules": dataclasses.asdict(FileRules(**round_.file_rules)),
        "ranking": round_.ranking,
        "attacks": list(attacks.values_list("name", flat=True)),
        "seed": round_.seed if round_.revealed_at is not None else None,
        "program_seconds": round_.program_seconds,
        "program_megabytes": round_.program_megabytes,
        "format": round_.dataset.format,
        "data": round_.dataset.files,
    }


def _key(about: dict[str, Any], made_of: Library, words: dict[str, bytes]) -> str:
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    digest.update(made_of.wheel_name.encode() + made_of.versions.encode())
    for name in sorted(words):
        digest.update(name.encode() + b"\0" + words[name] + b"\0")
    return digest.hexdigest()


def _words(round_: Round, about: dict[str, Any], made_of: Library) -> dict[str, bytes]:
    """What people read, in both languages, and the two files that are made of the same facts."""
    spec, samples = round_.dataset.spec, SAMPLES[round_.dataset.format]
    context = {
        "contest": round_.contest,
        "round": round_,
        "about": about,
        "limits": [{**limit, "described": measure(limit["measure"])} for limit in round_.limits],
        "wheel": made_of.wheel_name,
        "samples": samples,
        "upload_names": spec.upload_names,
    }
    texts = {}
    for language, suffix in (("en", ""), ("ja", ".ja")):
        with translation.override(language):
            for name in ("README", "RULES"):
                texts[f"{name}{suffix}.md"] = render_to_string(f"kit/{name}{suffix}.md", context).encode()
    return texts | {
        "round.json": json.dumps(about, indent=2, ensure_ascii=False).encode() + b"\n",
        "notebook.ipynb": notebook(samples[-1]),
        "reidentify.py": find_game(spec.name).template.read_bytes(),
    }


def _build(round_: Round, about: dict[str, Any], made_of: Library, words: dict[str, bytes]) -> bytes:
    files = dict(words)
    for name, sha256 in about["data"].items():
        with published.open(sha256) as source:
            files[f"data/{name}"] = source.read()
    files |= _samples(round_)
    files[f"library/{made_of.wheel_name}"] = made_of.wheel
    files["library/versions.txt"] = made_of.versions.encode()
    folder = f"{about['contest']}-{about['round']}-kit"
    return zipped({f"{folder}/{name}": content for name, content in files.items()})


def _samples(round_: Round) -> dict[str, bytes]:
    """Entries as house methods make them from the round's data."""
    original, spec = load_original(round_.dataset), round_.dataset.spec
    limits = {limit["measure"]: limit["limit"] for limit in round_.limits}
    files = {}
    for method in SAMPLES[spec.name]:
        made = run_anonymizer(method, original, limits, SAMPLE_SEED, {})
        with tempfile.TemporaryDirectory() as folder:
            spec.write_entry(Path(folder), made.release)
            for name in spec.upload_names:
                files[f"samples/{method}/{name}"] = (Path(folder) / name).read_bytes()
    return files
