"""The data of a round: a generated world or one that organisers bring, and what each seat gets of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.problems import MISSING_FILE, BadFiles, Findings
from games.contract.declaration import Declaration
from games.contract.seating import commitment
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import Box, Out, World

from .challenge import ASKED, TOLD, drawn, null_floor
from .cohorts import planned, planned_reference
from .layout import HOUSE, N_COHORTS, RELEASED, by_record, chosen, size
from .population import ORDINARY, background_of, checks, hazards_of, with_outcomes
from .reference import as_bytes, reference_of

BROUGHT = "brought/"
BROUGHT_SALT = "brought-salt.txt"
ALL_COHORTS = (*range(N_COHORTS), HOUSE)
PER_COHORT = (
    "B_{}.csv", "pool_ids_{}.csv", "utility_ref_{}.json", "aia_challenge_{}.csv", "aia_truth_{}.csv",
)  # fmt: skip
RARE_IN_BACKGROUND = 0.01
SECRET_BYTES = 12

Table = dict[str, npt.NDArray[Any]]


class Worlds:
    """Makes the files of a round and of its seats."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        salt = f"pwscup2026-{rng.bytes(SECRET_BYTES).hex()}"
        if BROUGHT_SALT in sources.names():
            salt = _brought_salt(sources)
        for name, text in (("salt.txt", salt), ("seed.txt", rng.bytes(SECRET_BYTES).hex())):
            with out.create(name) as file:
                file.write(text.encode())
        if any(name.startswith(BROUGHT) for name in sources.names()):
            background, cohorts = self._brought(sources)
        else:
            background, cohorts = generated(params, rng)
        write_table(out, "A_bg.csv", background)
        for number, cohort in enumerate(cohorts):
            write_table(out, f"cohorts/B_{number}.csv", cohort)
        return {"cohorts": N_COHORTS, "people-per-cohort": size(cohorts[0]),
                "background": size(background), "commitment": commitment(salt)}  # fmt: skip

    def _brought(self, sources: Box) -> tuple[Table, list[Table]]:
        """A world of the organisers is whole; `BadFiles` names the first file that it lacks."""
        per_cohort = [name.format(number) for number in ALL_COHORTS for name in PER_COHORT]
        for name in (f"{BROUGHT}{name}" for name in ("A_bg.csv", *per_cohort)):
            if name not in sources.names():
                found = Findings(name)
                found.add(MISSING_FILE(name=name))
                raise BadFiles(found.verdict())
        cohorts = []
        for number in ALL_COHORTS:
            table = by_record(self._read(sources, f"{BROUGHT}B_{number}.csv"))
            ids = by_record(self._read(sources, f"{BROUGHT}pool_ids_{number}.csv"))
            if table["record_id"].tolist() != ids["record_id"].tolist():
                raise ValueError(
                    f"{BROUGHT}pool_ids_{number}.csv: got other values of record_id, "
                    f"expected those of {BROUGHT}B_{number}.csv."
                )
            cohorts.append(table | {name: ids[name] for name in ("is_rare", "pool_id")})
        return dict(self._read(sources, f"{BROUGHT}A_bg.csv")), [_ordered(cohort) for cohort in cohorts]

    def _read(self, box: Box, name: str) -> Columns:
        return read_columns(self.declaration, box, name, "round")

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        cohort = self._read(world.secret, f"cohorts/B_{seat}.csv")
        columns = ("record_id", *RELEASED)
        write_table(out, "B.csv", {name: cohort[name] for name in columns})
        write_table(out, "B_self.csv", {name: cohort[name] for name in (*columns, "is_rare")})
        write_table(out, "pool_ids.csv", {name: cohort[name] for name in ("record_id", "pool_id", "is_rare")})
        with out.create("token.txt") as file:
            file.write(rng.bytes(SECRET_BYTES).hex().encode() + b"\n")
        is_brought = f"{BROUGHT}B_{seat}.csv" in world.secret.names()
        (self._copy if is_brought else self._draw)(world, seat, cohort, rng, out)

    def _copy(self, world: World, seat: int, cohort: Columns, rng: np.random.Generator, out: Out) -> None:
        with (
            world.secret.open(f"{BROUGHT}utility_ref_{seat}.json") as source,
            out.create("utility_ref.json") as file,
        ):
            file.write(source.read())
        for name, columns in (("aia_challenge", ASKED), ("aia_truth", TOLD)):
            table = self._read(world.secret, f"{BROUGHT}{name}_{seat}.csv")
            write_table(out, f"{name}.csv", {column: table[column] for column in columns})
        floor = 0.0
        if f"{BROUGHT}aia_floor.csv" in world.secret.names():
            floors = self._read(world.secret, f"{BROUGHT}aia_floor.csv")
            floor = float(floors["aia_floor"][floors["team_id"] == seat].sum())
        write_table(out, "floor.csv", {"aia_floor": [floor]})

    def _draw(self, world: World, seat: int, cohort: Columns, rng: np.random.Generator, out: Out) -> None:
        params, background = world.params, self._read(world.public, "A_bg.csv")
        with out.create("utility_ref.json") as file:
            file.write(as_bytes(reference_of(cohort, background, params["bootstrap"], rng)))
        hazards = hazards_of(background, params["onset"], params["death"])
        asked, truth = drawn(cohort, params["challenge"], params["challenge-rare"], hazards, rng)
        write_table(out, "aia_challenge.csv", asked)
        write_table(out, "aia_truth.csv", truth)
        how, n = params["floor"], size(cohort)
        floor = null_floor(how, asked, truth, background, n, params["within"], rng)
        write_table(out, "floor.csv", {"aia_floor": [floor]})


def generated(params: Mapping[str, Any], rng: np.random.Generator) -> tuple[Table, list[Table]]:
    """The background and the cohorts of an invented world."""
    people = background_of(params["background"], RARE_IN_BACKGROUND, rng)
    hazards = hazards_of(people, params["onset"], params["death"])
    background = with_outcomes(people, hazards, rng)
    plan = planned(params["alone"], params["shared"], rng)
    population = with_outcomes(checks(plan.kinds, plan.homes, rng), hazards, rng)
    is_rare = (plan.kinds != ORDINARY).astype(np.int64)
    population |= {"is_rare": is_rare, "pool_id": np.arange(len(is_rare))}
    cohorts = [
        _ordered({"record_id": np.arange(len(ids)), **chosen(population, ids)}) for ids in plan.cohorts
    ]
    reference = planned_reference(plan, params["alone"], params["shared"], rng)
    own = with_outcomes(checks(reference.kinds, reference.homes, rng), hazards, rng)
    own["is_rare"] = (reference.kinds != ORDINARY).astype(np.int64)
    own["pool_id"] = len(is_rare) + np.arange(len(reference.kinds))
    known, order = chosen(population, reference.known), rng.permutation(len(reference.known) + size(own))
    mixed = {name: np.concatenate([known[name], own[name]])[order] for name in own}
    cohorts.append(_ordered({"record_id": np.arange(len(order)), **mixed}))
    return {"record_id": np.arange(size(background)), **background}, cohorts


def _brought_salt(sources: Box) -> str:
    """A salt whose hash the organisers have published already, without the end of its line."""
    with sources.open(BROUGHT_SALT) as file:
        text = file.read().decode("utf-8").strip()
    if not text.isprintable() or not text:
        raise ValueError(f"{BROUGHT_SALT}: got {text[:40]!r}, expected one line of text, the salt.")
    return text


def _ordered(cohort: Columns) -> Table:
    return {name: cohort[name] for name in ("record_id", *RELEASED, "is_rare", "pool_id")}
