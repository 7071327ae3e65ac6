"""Invented patients in the shape of the contest's: regions that differ, and people of two of them in a table.

The organisers made theirs with Synthea, so this is the platform's own. Only whole numbers are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .layout import CATEGORIES, COLUMNS, MEANS, RANGES, Integers

N_REGIONS = 12
REGION_COLUMNS = (*CATEGORIES["RACE"], "hispanic", "older", "heavier", "visits")
PER_MILLE = 1000
YOUNGEST, OLDEST = 2, 110
TABLE_AGES = 96
ADULT = 18
Table = dict[str, np.ndarray]
"""Columns by name; the means are whole hundredths."""


def invented_regions(rng: np.random.Generator) -> dict[str, Integers]:
    """Weights of races, the share of hispanics per mille, and how old, heavy and often ill people are."""
    regions = {race: rng.integers(5, 60, N_REGIONS) for race in CATEGORIES["RACE"]}
    common = np.array(CATEGORIES["RACE"])[rng.integers(0, len(CATEGORIES["RACE"]), N_REGIONS)]
    for race in regions:
        regions[race] = regions[race] + 300 * (common == race) + (400 if race == "white" else 0)
    regions["hispanic"] = rng.integers(40, 350, N_REGIONS)
    regions["older"] = rng.integers(0, 11, N_REGIONS)
    regions["heavier"] = rng.integers(0, 400, N_REGIONS)
    regions["visits"] = rng.integers(80, 131, N_REGIONS)
    return {"region": np.arange(N_REGIONS), **regions}


def invented(n: int, regions: Mapping[str, np.ndarray], rng: np.random.Generator) -> list[str]:
    """The rows of n distinct people of two regions."""
    pair = rng.permutation(len(regions["region"]))[:2]
    found: dict[str, None] = {}
    while len(found) < n:
        people = _people(n - len(found), {name: regions[name][pair] for name in REGION_COLUMNS}, rng)
        found.update(dict.fromkeys(rows_of(people)))
    return list(found)


def _people(n: int, regions: Mapping[str, np.ndarray], rng: np.random.Generator) -> Table:
    """People whose illness, which no column holds, depends on age and drives counts, flags and means."""
    place = rng.integers(0, len(regions["older"]), n)
    age = np.minimum(YOUNGEST + rng.integers(0, TABLE_AGES, n) + regions["older"][place], OLDEST)
    illness = (rng.integers(0, 100, n) + rng.integers(0, 100, n)) // 2
    woman = _happens(510, n, rng)
    table: Table = {
        "GENDER": np.where(woman, "F", "M").astype(object),
        "AGE": age,
        "RACE": _races(place, regions, rng),
        "ETHNICITY": np.where(_happens(regions["hispanic"][place], n, rng), "hispanic", "nonhispanic"),
    }
    flags = {
        "asthma_flag": _happens(50 + 60 * (age < ADULT) + illness, n, rng),
        "stroke_flag": _happens(20 + 6 * np.maximum(age - 35, 0) + 3 * illness, n, rng),
        "obesity_flag": _happens(150 + 4 * np.minimum(age, 60) + illness, n, rng),
        "depression_flag": _happens(40 + 40 * woman + 2 * illness, n, rng),
    }
    table |= {name: flag.astype(np.int64) for name, flag in flags.items()}
    table |= _counts(table, illness, regions["visits"][place], rng)
    table |= _means(table, illness, regions["heavier"][place], rng)
    return {name: _inside(name, table[name]) for name in COLUMNS}


def _races(place: Integers, regions: Mapping[str, np.ndarray], rng: np.random.Generator) -> np.ndarray:
    ends = np.cumsum(np.array([regions[race] for race in CATEGORIES["RACE"]]), axis=0).T[place]
    drawn = rng.integers(0, ends[:, -1])
    return np.array(CATEGORIES["RACE"], dtype=object)[(drawn[:, None] >= ends).sum(axis=1)]


def _counts(table: Table, illness: Integers, visits: Integers, rng: np.random.Generator) -> Table:
    """Visits with a long tail; procedures, drugs and devices follow them."""
    n, age = len(illness), table["AGE"]
    tail = rng.integers(0, 100, n)
    encounters = (8 + age // 2 + illness // 3 + 12 * table["stroke_flag"]) * visits // 100
    encounters += encounters * tail * tail // 8000
    procedures = encounters * (150 + rng.integers(0, 150, n) + 50 * table["stroke_flag"]) // 100
    drugs = encounters * (10 + illness + rng.integers(0, 60, n) + 40 * table["depression_flag"]) // 100
    shots = 6 + rng.integers(0, 12, n) + np.where(age < ADULT, 10 + rng.integers(0, 10, n), 0)
    allergic = _happens(90 + 250 * table["asthma_flag"], n, rng)
    return {
        "encounter_count": encounters,
        "num_procedures": procedures,
        "num_medications": drugs,
        "num_immunizations": shots + (age > 65) * rng.integers(0, 6, n),
        "num_allergies": allergic * (1 + rng.integers(0, 4, n) + rng.integers(0, 4, n)),
        "num_devices": age // 12 + illness // 25 + rng.integers(0, 6, n) + 3 * table["stroke_flag"],
    }


def _means(table: Table, illness: Integers, heavier: Integers, rng: np.random.Generator) -> Table:
    """Blood pressure, body mass and weight, in hundredths."""
    n, grown = len(illness), np.minimum(table["AGE"], ADULT)
    systolic = 9500 + 90 * grown + 12 * illness + 9 * table["AGE"] + _bell(3000, n, rng)
    bmi = 1500 + 55 * grown + heavier + 350 * table["obesity_flag"] + _bell(600, n, rng)
    height = 85 + 5 * grown - 8 * (table["GENDER"] == "F") * (grown == ADULT) + rng.integers(0, 15, n)
    return {
        "mean_systolic_bp": systolic,
        "mean_diastolic_bp": systolic * 2 // 3 + _bell(1500, n, rng),
        "mean_bmi": bmi,
        "mean_weight": bmi * height * height // 10_000,
    }


def _bell(width: int, n: int, rng: np.random.Generator) -> Integers:
    """Whole numbers around 0, the sum of four."""
    return rng.integers(-width // 2, width // 2 + 1, (4, n)).sum(axis=0)


def _happens(per_mille: int | Integers, n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, PER_MILLE, n) < per_mille


def _inside(name: str, values: np.ndarray) -> np.ndarray:
    """Legal in every round."""
    spans = [spans[name] for spans in RANGES.values() if name in spans]
    if not spans:
        return values
    scale = 100 if name in MEANS else 1
    low, high = max(span[0] for span in spans), min(span[1] for span in spans)
    return np.clip(values, round(low * scale), round(high * scale))


def rows_of(table: Mapping[str, np.ndarray]) -> list[str]:
    """The lines of a table; hundredths in their shortest form.

    >>> rows_of({"AGE": np.array([7]), "mean_bmi": np.array([2850])})
    ['7,28.5']
    """
    texts = []
    for name, values in table.items():
        if name in MEANS:
            known = {value: hundredths_text(value) for value in np.unique(values).tolist()}
            texts.append([known[value] for value in values.tolist()])
        else:
            texts.append([str(value) for value in values.tolist()])
    return [",".join(row) for row in zip(*texts, strict=True)]


def hundredths_text(value: int) -> str:
    """
    >>> hundredths_text(2800), hundredths_text(7180), hundredths_text(-5)
    ('28', '71.8', '-0.05')
    """
    sign, (whole, rest) = "-" if value < 0 else "", divmod(abs(value), 100)
    return f"{sign}{whole}.{rest:02d}".rstrip("0").rstrip(".")
