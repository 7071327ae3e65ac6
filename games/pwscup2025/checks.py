"""What is wrong with an upload beyond what the declaration of its files can say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.contract.declaration import Declaration
from games.contract.tables import read_columns
from games.contract.values import Fault, Target

from .boosted import BadModel, Limits, Model, read_model, version_of
from .layout import RANGES, Texts, lines_in, number_of, texts_in
from .population import LEAST_OF_EACH
from .regression import TARGET


def limits_of(params: Mapping[str, Any]) -> Limits:
    return Limits(version_of(params["newest-model"]), params["most-trees"], params["most-nodes"])


def faults_of(declaration: Declaration, entry: Target, params: Mapping[str, Any]) -> Iterator[Fault]:
    yield from _number_faults(declaration, entry)
    yield from _cell_faults(texts_in(entry.upload, "C.csv"), params)
    try:
        model = model_in(entry, params)
    except BadModel as bad:
        yield Fault(bad.code, "D.json", values=bad.values)
        return
    if model.target != params["target"]:
        yield Fault("model-target", "D.json", values={"column": params["target"]})


def model_in(entry: Target, params: Mapping[str, Any], box: str = "upload") -> Model:
    with getattr(entry, box).open("D.json") as file:
        return read_model(file.read(), limits_of(params))


def _number_faults(declaration: Declaration, entry: Target) -> Iterator[Fault]:
    """The optional files with the number of the seat and of the alternative."""
    assert entry.seat is not None
    wanted = {
        "id.txt": ("another-seat", entry.seat.number + 1),
        "index.txt": ("another-alternative", entry.variant + 1),
    }
    for name, (code, number) in wanted.items():
        if name in entry.upload.names():
            (given,) = read_columns(declaration, entry.upload, name, "entry")["number"]
            if given != number:
                cell = lines_in(entry.upload, name).header
                yield Fault(code, name, 1, "number", cell, {"number": number})


def _cell_faults(table: Texts, params: Mapping[str, Any]) -> Iterator[Fault]:
    ranges = RANGES[params["ranges"]]
    for name, cells in table.items():
        bad = {cell for cell in set(cells) if not _is_legal(cell, ranges.get(name), params["empty-cells"])}
        if bad:
            low, high = ranges.get(name, (0, 0))
            for row, cell in enumerate(cells):
                if cell in bad:
                    values = {"low": low, "high": high} if cell else {}
                    code = "out-of-range" if cell else "empty-cell"
                    yield Fault(code, "C.csv", row + 2, name, cell, values)
    counts = [sum(cell != "" and number_of(cell) == value for cell in table[TARGET]) for value in (0, 1)]
    if min(counts) < LEAST_OF_EACH:
        yield Fault("too-few-of-each", "C.csv", column=TARGET, values={"n": LEAST_OF_EACH})


def _is_legal(cell: str, span: tuple[float, float] | None, empty: str) -> bool:
    if cell == "":
        return empty == "allow"
    return span is None or span[0] <= number_of(cell) <= span[1]
