"""The kit of a round as a download. That of a format is stored: the same round, library and texts give the
same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import tempfile
from pathlib import Path
from typing import IO, Any

from django.http import FileResponse, Http404

from contest import access
from contest.files.storage import open_made, published
from contest.kit.games import game_kit
from contest.kit.library import Library, library
from contest.kit.notebook import notebook
from contest.kit.packing import packed, texts
from contest.models import Attack, Round
from contest.pages.games.data import has_kit
from contest.services.datasets import load_original
from games.formats.attacks import attack
from games.formats.guessing import find_game
from games.formats.limits import upper_limits
from games.formats.measures import measure
from games.formats.methods import SAMPLE_SEED, run_anonymizer, samples_of
from games.formats.ranking import find_ranking
from games.formats.rules import FileRules
from games.formats.texts import FORMAT_TEXTS
from scoring.rules import Limit


def kit_answer(user: access.Viewer, round_: Round) -> FileResponse:
    """The kit as a download; 404 before somebody may read anything of a game's round."""
    if round_.game_id is not None and not has_kit(user, round_):
        raise Http404
    name = f"{round_.contest.slug}-{round_.slug}-kit.zip"
    return FileResponse(open_kit(user, round_), as_attachment=True, filename=name)


def open_kit(user: access.Viewer, round_: Round) -> IO[bytes]:
    """The kit as a zip. Ask `access` first who may see the round.

    That of a format is the same for all, and stored. That of a game holds what one team may read now, so it
    is made for each download and stored nowhere.
    """
    return open_stored_kit(round_) if round_.game_id is None else io.BytesIO(game_kit(user, round_))


def open_stored_kit(round_: Round) -> IO[bytes]:
    """Built where it is not stored yet."""
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
    spec, samples = round_.dataset.spec, samples_of(round_.dataset.format)
    context = {
        "contest": round_.contest,
        "round": round_,
        "about": about,
        "limits": [{**limit, "described": measure(limit["measure"])} for limit in round_.limits],
        "wheel": made_of.wheel_name,
        "samples": samples,
        "upload_names": spec.upload_names,
        "text": FORMAT_TEXTS[spec.name],
        "sentences": FORMAT_TEXTS[spec.name].sentences(FileRules(**round_.file_rules)),
        "ranking": find_ranking(round_.ranking),
        "attacks": [attack(name) for name in about["attacks"]],
    }
    return texts("kit", lambda: context) | {
        "round.json": json.dumps(about, indent=2, ensure_ascii=False).encode() + b"\n",
        "notebook.ipynb": notebook(samples[-1]),
        "reidentify.py": find_game(spec.name).template.read_bytes(),
    }


def _build(round_: Round, about: dict[str, Any], made_of: Library, words: dict[str, bytes]) -> bytes:
    files = dict(words)
    for name, sha256 in about["data"].items():
        with published.open(sha256) as source:
            files[f"data/{name}"] = source.read()
    return packed(round_, files | _samples(round_), made_of)


def _samples(round_: Round) -> dict[str, bytes]:
    """Entries as house methods make them from the round's data."""
    original, spec = load_original(round_.dataset), round_.dataset.spec
    limits = upper_limits(Limit(**limit) for limit in round_.limits)
    files = {}
    for method in samples_of(spec.name):
        made = run_anonymizer(method, original, limits, SAMPLE_SEED, {})
        with tempfile.TemporaryDirectory() as folder:
            spec.write_entry(Path(folder), made.release)
            for name in spec.upload_names:
                files[f"samples/{method}/{name}"] = (Path(folder) / name).read_bytes()
    return files
