"""Every result that the platform promises to be the same everywhere, on small tables made here."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anonymizers.release import CannotProtect
from anonymizers.table_registry import TABLE_METHODS, run_table_method
from contest.board.ranking import RANKINGS, Played, Result, rank, rank_overall
from datasets.store_panel import StorePanel
from games.contract.declaration import Column
from games.loading import load_folder
from games.rehearsal import Rehearsal
from games.seek.synthesis import GENERATORS
from games.shop.attacks.registry import run_attack
from games.shop.data.generate import generate
from games.shop.formats import find_format
from games.shop.gallery.examples import METHODS
from games.shop.guessing import find_game
from games.shop.measures.registry import measures_of
from games.shop.methods.registry import EVERY_ANONYMIZER, run_anonymizer
from games.tables.attacks import assigned, densities, nearest_record, rows_of
from games.tables.methods import TABLE_HIDERS, hidden_table
from games.tables.shape import shape_of
from scoring.examples import eight_patients
from scoring.masking.relations import linear_regression, poisson_regression
from scoring.panel.brand_choice import brand_choice
from scoring.panel.choice_data import ChoiceData
from scoring.panel.risk_report import risk_report
from scoring.registry import RISKS, risk
from scoring.run import measure_pair
from scoring.store_panel.scanpro import scanpro
from tests.conftest import ROOT

TEXTS = ("brand", "disease")
NUMBERS = ("age", "zip", "income", "spent", "visits")
Found = Iterator[tuple[str, Any]]
FEW = {"kmm": {"k": 2, "items": 2}}
"""Settings that small shops can bear, where a method's usual ones ask for more."""


def digest(value: Any) -> str:
    """A hash of all bits of a result: of numbers, texts, arrays, tables and the objects made of them."""
    hashed = hashlib.sha256()
    for part in _parts(value):
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.hexdigest()[:16]


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, pd.DataFrame):
        yield value.to_csv(index=False, lineterminator="\n").encode()
    elif isinstance(value, sparse.sparray | sparse.spmatrix):
        yield from _parts(value.toarray())
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype.str} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, Mapping):
        for key in value:
            yield from (repr(key).encode(), *_parts(value[key]))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from (field.name.encode(), *_parts(getattr(value, field.name)))
    elif isinstance(value, set | frozenset):
        yield from _parts(sorted(value))
    elif isinstance(value, list | tuple | np.ndarray):
        yield str(len(value)).encode()
        for part in value:
            yield from _parts(part)
    elif isinstance(value, np.generic):
        yield repr(value.item()).encode()
    else:
        assert value is None or isinstance(value, str | int | float | bool), type(value)
        yield repr(value).encode()


def entries(n_customers: int, names: set[str] | None) -> Found:
    """Every anonymizer of every format, every measure of what it made, and every attack on it."""
    for format_name, methods in METHODS.items():
        spec, game = find_format(format_name), find_game(format_name)
        original = spec.from_tables(generate(n_customers, seed=1))
        for method in methods:
            if names is not None and method.name not in names:
                continue
            name = f"{format_name} {method.name}"
            try:
                done = run_anonymizer(method.name, original, {}, 1, FEW.get(method.name, {}))
            except CannotProtect as refusal:
                yield name, str(refusal)
                continue
            with tempfile.TemporaryDirectory() as folder:
                spec.write_entry(Path(folder), done.release)
                files = {file: (Path(folder) / file).read_bytes() for file in spec.upload_names}
            yield name, files
            yield f"{name}, report", done.report
            neutral = spec.neutral(original, done.release)
            pair = spec.measured(original, neutral.released, neutral.truth)
            for measure, value in measure_pair(*pair, measures_of(format_name)).items():
                yield f"{measure} of {name}", value
            for attack in game.attacks:
                yield f"{attack.name} on {name}", run_attack(attack.name, original, neutral.released, 1)


def people(n: int) -> pd.DataFrame:
    """A table with columns for every role: a person, a household's weeks, numbers, texts, ties."""
    rng = np.random.default_rng(5)
    base, other = rng.normal(size=n), rng.normal(size=n)
    return pd.DataFrame(
        {
            "person": [f"p{i % (n // 4)}" for i in range(n)],
            "week": np.arange(n) // (n // 4),
            "brand": rng.choice(["a", "b", "c"], size=n),
            "age": rng.integers(20, 60, size=n),
            "zip": rng.integers(0, 5, size=n),
            "disease": rng.choice(["flu", "cold", "none"], size=n),
            "income": base,
            "spent": base + other,
            "squared": base * base + rng.normal(size=n),
            "visits": rng.poisson(3, size=n),
            "units": 1.0 + rng.integers(1, 50, size=n),
            "price": 1.0 + rng.random(n),
        }
    )


def store_panel() -> pd.DataFrame:
    """Eight stores, two brands, twenty weeks, a number in every cell."""
    rng = np.random.default_rng(6)
    n = 8 * 20 * 2
    kind = rng.integers(4, size=n)
    return pd.DataFrame(
        {
            "store": [f"s{i // 40}" for i in range(n)],
            "week": np.arange(n) // 2 % 20,
            "brand": ["b1", "b2"] * (n // 2),
            "units": rng.integers(20, 400, size=n).astype(float),
            "price": rng.integers(200, 400, size=n) / 100,
            "feature": (kind == 1).astype(int),
            "display": (kind == 2).astype(int),
        }
    )


PANEL: dict[str, Any] = {
    "id": "store", "period": "week", "brand": "brand", "response": "units", "price": "price",
    "promotions": ["feature", "display"],
}  # fmt: skip
ROLES: dict[str, Any] = {
    "id": "person", "period": "week", "qid": ["age", "zip"], "sensitive": "disease",
    "confidential": ["spent", "squared", "visits"], "given": ["income", "age", "disease"],
}  # fmt: skip


def table_methods(names: set[str] | None) -> Found:
    """Every method for any table."""
    for method in TABLE_METHODS:
        if names is not None and method.name not in names:
            continue
        if "response" in method.roles:
            table, columns = (
                store_panel(),
                {r: PANEL[r] for r in (*method.roles, *method.optional) if r in PANEL},
            )
        else:
            table = people(240)
            columns = {role: ROLES[role] for role in (*method.roles, *method.optional) if role in ROLES}
        for settings in ({}, {"order": "2"}, {"order": "auto"}):
            if settings and (not method.name.startswith("more") or method.name == "more-mi"):
                continue
            try:
                done = run_table_method(method.name, table, columns, 3, settings)
            except CannotProtect as refusal:
                yield f"table {method.name} {settings}", str(refusal)
                continue
            yield f"table {method.name} {settings}", done.table
            yield f"table {method.name} {settings}, report", done.report


def games() -> Found:
    """What games about tables share: generators, house methods, attacks on rows."""
    table = people(240)
    columns = {
        name: table[name].to_numpy(dtype=object if name in TEXTS else None) for name in (*TEXTS, *NUMBERS)
    }
    for name, generate_rows in GENERATORS.items():
        yield f"generator {name}", generate_rows(columns, columns, 300, 1.0, np.random.default_rng(4))
    kinds = {name: "int" if columns[name].dtype.kind == "i" else "real" for name in NUMBERS}
    declared = [Column(name) if name in TEXTS else Column(name, kinds[name]) for name in columns]  # type: ignore[arg-type]
    hidden = {}
    for hider in TABLE_HIDERS:
        made = hidden_table(hider.name, columns, shape_of(declared, columns), {}, np.random.default_rng(5))
        yield f"hider {hider.name}", made
        hidden[hider.name] = made
    points, released = rows_of([columns, hidden["table-noise"]], list(columns), TEXTS)
    yield "nearest record", nearest_record(points, released)
    yield "assigned", assigned(points, released)
    yield "densities", densities(points, released, points)


def risks() -> Found:
    """Every risk measure, the risk report, and the models behind them."""
    options = {"sensitive": "disease", "group": "k_group"}
    for measure in RISKS:
        qid = ["age", "zip"] if measure.name == "ane" else ["gender", "k_group"]
        needed = {name: options[name] for name in measure.needs}
        yield f"risk {measure.name}", measure.function(eight_patients(), "name", qid, **needed)
        wide = people(400).rename(columns={"brand": "gender", "zip": "k_group", "person": "name"})
        wide["zip"], wide["gender"] = wide["k_group"], np.where(wide["gender"] == "a", "f", "m")
        qid = ["age", "zip"] if measure.name == "ane" else ["gender", "k_group", "visits"]
        yield f"risk {measure.name}, more people", measure.function(wide, "name", qid, **needed)
    panel = store_panel()
    yield "risk lp", risk("lp").function(
        panel, "store", (), response="units", price="price", promotions=["feature", "display"],
        period="week", brand="brand",
    )  # fmt: skip
    report = risk_report(people(400), "person", ["zip", "visits"], "week")
    yield "risk report", report.as_document()
    yield "scanpro", scanpro(StorePanel.of(panel, PANEL))
    table = people(400)
    yield "linear regression", linear_regression(table["spent"], table[["income", "age"]])
    yield "poisson regression", poisson_regression(table["visits"], table[["income", "age"]])
    rng = np.random.default_rng(8)
    begins, choice = np.arange(0, 181, 30), rng.integers(3, size=180)
    data = ChoiceData(begins, choice, rng.random((180, 3, 2)), ("a", "b", "c"), ("x", "y"))
    yield "brand choice", brand_choice(data, np.random.default_rng(9), draws=60, burn_in=20)


def rankings() -> Found:
    rng = np.random.default_rng(4)
    results = [
        Result(i, float(rng.random() * 100), int(rng.integers(100)), 100, float(i % 7), penalty=i % 3 / 10)
        for i in range(60)
    ]
    for rule in RANKINGS:
        yield f"ranking {rule.name}", rank(results, rule)
    totals = [{i: float(rng.random()) for i in range(40)} for _ in range(3)]
    yield (
        "overall ranking",
        rank_overall([Played(w, t) for w, t in zip((0.1, 0.2, 0.7), totals, strict=True)]),
    )


def contests() -> Found:
    """A kit and an archive, less what is made in secret or at a time of day."""
    from contest.kit import build
    from contest.models import Contest, Round
    from tests.archives import archived, members, play

    played: Contest = play()
    with build.open_stored_kit(Round.objects.get(contest=played)) as file:
        yield "kit", file.read()
    for name, content in sorted(members(archived(played)).items()):
        if name.startswith(("files/", "bundle/")) and not name.endswith(".yaml"):
            yield f"archive {name}", content
        elif name.startswith("results/") or name in {"rows/score.jsonl", "rows/portrait.jsonl"}:
            for number, line in enumerate(
                content.decode().splitlines() if "rows" in name else [content.decode()]
            ):
                yield f"archive {name} {number}", _lasting(json.loads(line))


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _lasting(part)
            for key, part in value.items()
            if not key.endswith(("_at", "received", "when"))
        }
    return [_lasting(part) for part in value] if isinstance(value, list) else value


def cohorts(trees: int) -> Found:
    """A round of PWSCUP 2026: its world, what every house method and attack makes, every number, the boards.

    Its penalised logistic regression is scikit-learn's and calls BLAS; none of these entries needs it.
    """
    game = load_folder(ROOT / "games" / "pwscup2026")
    declared = game.declaration
    params = {**declared.rehearsal, "trees": trees}
    played = Rehearsal(game, {}, ("aki", "haru", "natsu", "fuyu", "ame"), params, "portability")
    yield "pwscup2026 world", played.round_files
    yield "pwscup2026 seats", {str(number): files for number, files in played.seat_files.items()}
    for seat, method in enumerate(declared.methods):
        upload = played.anonymize(method.name, seat)
        yield f"pwscup2026 {method.name}", upload
        for measure, value in played.enter(seat, upload).measures.items():
            yield f"{measure} of pwscup2026 {method.name}", value
    for attack in declared.attacks:
        answer = played.attack(attack.name, 0)
        yield f"pwscup2026 {attack.name}", answer
        for cell in played.answer(0, answer, attack.name).cells:
            result = (cell.result.risk, cell.result.baseline, dict(cell.result.numbers))
            yield f"{cell.challenge} of pwscup2026 {attack.name} on {cell.target}", result
    for board in played.boards():
        yield f"pwscup2026 {board.name}", [(row.key, dict(row.values)) for row in board.rows]


def some() -> Found:
    """What rests on floating-point kernels most: quick enough for every run of the tests."""
    chosen = {"more-s", "more-p", "noise", "itemset-clusters", "bayes-synthetic"}
    yield from entries(24, chosen & {method.name for method in EVERY_ANONYMIZER})
    yield from table_methods({"more-p", "more-s", "gadp", "dsp", "mi", "bayes-synthetic", "kmm"})
    yield from games()
    yield from risks()
    yield from rankings()
    yield from cohorts(10)


def everything() -> Found:
    yield from entries(60, None)
    yield from table_methods(None)
    yield from games()
    yield from risks()
    yield from rankings()
    yield from cohorts(200)
    yield from contests()
