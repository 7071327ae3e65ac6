"""Rounds on a site that are played by a game: what commands ask the site about them."""

from __future__ import annotations

import io
import tempfile
import urllib.parse
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from games.contract.boxes import EMPTY, MemoryBox, write_files
from games.contract.values import Seat, Target
from games.rehearsal import Entered
from games.round_folder import ROUND, SEATS, Facts, read_files, write_entry, write_facts
from kakurenbo.client import ApiError
from kakurenbo.main import UsageError
from kakurenbo.place import ChosenRound


def game_of(place: ChosenRound) -> dict[str, Any] | None:
    """The game of a round; None where it is played by a format."""
    try:
        found: dict[str, Any] = place.client.get(f"{place.path}game/")
    except ApiError as error:
        if error.status == 404:
            return None
        raise
    return found


@contextmanager
def packed(path: Path) -> Iterator[Path]:
    """A file to upload: the files of a folder as one zip, anything else as it is."""
    if not path.is_dir():
        if not path.is_file():
            raise UsageError(f"{path} is neither a file nor a folder.")
        yield path
        return
    with tempfile.TemporaryDirectory() as name:
        archive = Path(name, "files.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
            for inside, content in read_files(path).items():
                bundle.writestr(inside, content)
        yield archive


def write_readable(place: ChosenRound, game: Mapping[str, Any], out: Path) -> None:
    """Write what the team may read now as the folder of a round."""
    seats: dict[int, dict[str, bytes]] = {} if game["seat"] is None else {int(game["seat"]): {}}
    files: dict[str, bytes] = {}
    for row in place.client.pages(f"{place.path}files/"):
        name = str(row["name"])
        path = "files/" if row["seat"] is None else f"seats/{row['seat']}/files/"
        content = place.client.read(place.path + path + urllib.parse.quote(name))
        (files if row["seat"] is None else seats.setdefault(int(row["seat"]), {}))[name] = content
    targets = place.client.pages(f"{place.path}targets/")
    for row in targets:
        if row["seat"] is not None:
            seats.setdefault(int(row["seat"]), {})
    write_files(out / ROUND, files)
    for number, own in seats.items():
        write_files(out / SEATS / str(number), own)
    names = str(game["name"]), str(game["version"])
    write_facts(out, Facts(*names, (), tuple(sorted(seats)), params=game["parameters"]))
    if targets:
        _write_targets(place, targets, out)


def _write_targets(place: ChosenRound, targets: list[dict[str, Any]], out: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(place.client.read(f"{place.path}targets.zip"))) as archive:
        keys = sorted((row["key"] for row in targets), key=len, reverse=True)
        files: dict[str, dict[str, bytes]] = {key: {} for key in keys}
        for name in archive.namelist():
            # A key may be a path that begins with another key, so the longest one is meant.
            key = next(key for key in keys if name.startswith(f"{key}/"))
            files[key][name.removeprefix(f"{key}/")] = archive.read(name)
        for row in targets:
            published = MemoryBox(files[row["key"]])
            seat = None if row["seat"] is None else Seat(int(row["seat"]), "", EMPTY, EMPTY)
            target = Target(
                row["key"], row["slot"], row["variant"], row["labels"], seat, EMPTY, published, EMPTY
            )
            write_entry(out, row["key"], Entered(target=target))
