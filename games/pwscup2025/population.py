"""Who is in a team's data and who is not: the members, the others, and the rows that a model is tested on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from games.contract.values import Box, Out

from .generator import invented
from .layout import COLUMNS, HEADER, lines_in
from .regression import TARGET

LEAST_OF_EACH = 2
"""Rows with asthma and rows without it that a stratified split needs."""


class Alternative(NamedTuple):
    """The rows of a table that a team may choose, and those of the population that are not in it."""

    members: list[str]
    others: list[str]


def check_sizes(params: Mapping[str, Any]) -> None:
    members, population, tested = params["members"], params["population"], params["test-rows"]
    if tested % 2 or tested > 2 * members:
        raise ValueError(f"test-rows: got {tested}, expected an even number up to {2 * members}.")
    if population < members + max(tested // 2, 1):
        raise ValueError(f"population: got {population}, expected at least {members + max(tested // 2, 1)}.")


def check_brought(sources: Box, params: Mapping[str, Any]) -> None:
    """The organisers' tables have distinct rows, as many as is said, and members of the population."""
    for name in sources.names():
        if not name.startswith("pool/"):
            continue
        rows = lines_in(sources, name).rows
        wanted = params["population" if name.startswith("pool/A") else "members"]
        if len(rows) != wanted:
            raise ValueError(f"{name}: got {len(rows)} rows, expected {wanted}.")
        if len(set(rows)) < len(rows):
            raise ValueError(f"{name}: got {len(rows) - len(set(rows))} equal rows, expected distinct ones.")
        if name.startswith("pool/B"):
            _check_members(sources, name, rows)


def _check_members(sources: Box, name: str, rows: list[str]) -> None:
    population = name.replace("pool/B", "pool/A")
    if population not in sources.names():
        raise ValueError(f"{name}: got no {population}, expected the population of its members.")
    strangers = len(set(rows) - set(lines_in(sources, population).rows))
    if strangers:
        raise ValueError(f"{name}: got {strangers} rows that {population} lacks, expected none.")


def alternative(
    number: int, brought: Box, regions: Mapping[str, np.ndarray], params: Mapping[str, Any],
    rng: np.random.Generator,
) -> Alternative:  # fmt: skip
    """Members and others of a population that organisers brought under this number, or of an invented one."""
    known = brought.names()
    if f"pool/A{number}.csv" in known:
        rows = lines_in(brought, f"pool/A{number}.csv").rows
        if f"pool/B{number}.csv" in known:
            members = lines_in(brought, f"pool/B{number}.csv").rows
            inside = set(members)
            _require_both_values(number, members)
            return Alternative(list(members), [row for row in rows if row not in inside])
    else:
        rows = invented(params["population"], regions, rng)
    order = rng.permutation(len(rows))
    drawn = [rows[place] for place in order]
    _require_both_values(number, drawn[: params["members"]])
    return Alternative(drawn[: params["members"]], drawn[params["members"] :])


def rows_to_test(found: Alternative, n: int, rng: np.random.Generator) -> list[str]:
    """As many members as others, in an order that tells nothing."""
    half = n // 2
    drawn = [found.members[place] for place in rng.permutation(len(found.members))[:half]]
    drawn += [found.others[place] for place in rng.permutation(len(found.others))[:half]]
    return [drawn[place] for place in rng.permutation(len(drawn))]


def population(found: Alternative, rng: np.random.Generator) -> tuple[list[str], list[int]]:
    """Everybody in an order that tells nothing, and for each row whether it is a member's."""
    rows = found.members + found.others
    order = rng.permutation(len(rows))
    return [rows[place] for place in order], [int(place < len(found.members)) for place in order]


def write_rows(out: Out, name: str, rows: list[str]) -> None:
    with out.create(name) as file:
        file.write("\n".join([HEADER, *rows, ""]).encode())


def _require_both_values(number: int, rows: list[str]) -> None:
    """The regression needs rows with its target and rows without it."""
    place = COLUMNS.index(TARGET)
    values = [row.split(",")[place] for row in rows]
    for value in ("0", "1"):
        if values.count(value) < LEAST_OF_EACH:
            raise ValueError(
                f"alternative {number}, {TARGET}: got {values.count(value)} rows with {value} among "
                f"{len(rows)} members, expected at least {LEAST_OF_EACH}: use more members."
            )
