"""The shop games through the contract, as a ratio to the formats and measures that they call."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from games.contract.values import World
from games.shop.data.generate import generate
from games.shop.data.rules import FileRules
from games.shop.formats import Format, find_format
from games.shop.measures.registry import measure
from games.shop.methods.registry import run_anonymizer
from games.shop.presets import PWSCUP2016, PWSCUP2017, PWSCUP2018
from scoring.rules import Limit, evaluate
from scoring.run import measure_pair
from tests.games.shops import game_of, original_of, published, streams, verdict, world_of, written

SHOPS: dict[str, tuple[int, str, tuple[Limit, ...]]] = {
    "2016": (400, "swap", PWSCUP2016),
    "2017": (500, "month-deletions", PWSCUP2017),
    "2018": (1000, "intervals", PWSCUP2018),
}
"""Customers, a method that makes the entry, and the limits."""
ROUNDS = 7
MOST = 1.1


def main() -> None:
    for year, (customers, method, limits) in SHOPS.items():
        spec = find_format(year)
        data = spec.from_tables(generate(customers, int(year)))
        files = written(
            lambda folder, spec=spec, data=data: spec.write_original(folder, data), spec.original_files
        )
        release = run_anonymizer(method, data, {}, 1, {}).release
        upload = written(
            lambda folder, spec=spec, release=release: spec.write_entry(folder, release), spec.upload_names
        )
        _compare(year, spec, files, upload, limits)


def _compare(
    year: str, spec: Format, files: dict[str, bytes], upload: dict[str, bytes], limits: tuple[Limit, ...]
) -> None:
    original = original_of(year, files)
    world = world_of(year, files)
    game_of(year).original(world)
    parts = {
        "reading the data": (
            lambda: original_of(year, files),
            lambda: game_of(year).original(world_of(year, files)),
        ),
        "refusing": (
            lambda: spec.check_upload(streams(_broken(upload)), original),
            lambda: verdict(year, world, _broken(upload)),
        ),
        "checking, publishing and scoring": (
            lambda: _today(spec, original, upload, limits),
            lambda: _through_the_contract(year, world, upload, limits),
        ),
    }
    for name, (today, ours) in parts.items():
        ratio, noise = _ratios(today, ours)
        print(
            f"{year}, {name}: {ratio:.2f} x today's way (wanted: {MOST}; itself: {noise:.2f} x)", flush=True
        )


def _broken(upload: dict[str, bytes]) -> dict[str, bytes]:
    """Every line of one file has a problem."""
    name = max(upload, key=lambda name: len(upload[name]))
    return {**upload, name: upload[name].replace(b",", b",?")}


def _today(spec: Format, original: Any, upload: dict[str, bytes], limits: tuple[Limit, ...]) -> float:
    """What a worker does with an upload: check, store the public form and the truth, read it, measure it."""
    neutral = spec.check_upload(streams(upload), original, FileRules()).neutral
    assert neutral is not None
    truth = "".join(f"{row + 1}\n" for row in neutral.truth.tolist()).encode()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        spec.write_released(folder, neutral.released)
        stored = {name: (folder / name).read_bytes() for name in spec.public_files}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, content in stored.items():
            (folder / name).write_bytes(content)
        released = spec.read_released(folder)
    tables = spec.measured(original, released, np.array(truth.split(), dtype=np.int64) - 1)
    return evaluate(measure_pair(*tables, [measure(limit.measure) for limit in limits]), limits).score


def _through_the_contract(
    year: str, world: World, upload: dict[str, bytes], limits: tuple[Limit, ...]
) -> float | None:
    game, entry = game_of(year), published(year, world, upload)
    figures = game.measure(world, entry, [limit.measure for limit in limits])
    return game.verdict(year, figures, world.params).utility


def _ratios(today: Callable[[], Any], ours: Callable[[], Any]) -> tuple[float, float]:
    """Ours and today's way once more, each to today's way, by the best CPU times of runs in turns.

    The second says how much of the first is noise.
    """
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        for place, function in enumerate((today, ours, today)):
            start = time.process_time()
            function()
            best[place] = min(best[place], time.process_time() - start)
    return best[1] / best[0], best[2] / best[0]


if __name__ == "__main__":
    main()
