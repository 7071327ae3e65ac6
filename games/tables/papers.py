"""The papers' methods for tables (`anonymizers.table`) on a table of declared columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from games.contract.tables import Columns
from games.tables.shape import Cells, Field, Shape

if TYPE_CHECKING:
    import pandas as pd

ROW, SUBJECT = "row", "subject"
"""Columns that are added for a method; the table's own are called c0, c1, …, whatever their names are."""
MOST_SUBJECTS = 50
"""Groups of rows that *bayes-synthetic* gives an effect of their own."""
MOST_GIVEN = 6
"""Further columns that it predicts from; each costs a coefficient."""
LABELS = 20
"""Texts with more labels are not conditioned on: each label would be a coefficient."""
UNCHECKED: Mapping[str, Any] = {"rhat_limit": 10.0, "min_effective": 0.0}
"""A house entry is made in any case; an analyst would refuse chains that have not converged."""


def recoded(
    name: str, table: Columns, shape: Shape, parameters: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Cells]:
    """`mondrian`, `person-k` or `gh-tree`: groups of rows share their means and commonest texts.

    What not even the whole table as one group has, is lowered to what it has.
    """
    frame, names = _frame(table, shape)
    forms = {names[field.name]: "mode" if field.kind == "category" else "mean" for field in _free(shape)}
    output = ",".join(f"{column}={form}" for column, form in forms.items())
    most = {"k": len(frame), "g": 1 - 1 / len(frame)}
    options = {one: min(value, most[one]) for one, value in parameters.items()}
    options |= {"output": output, "ids": "keep", "others": "keep"}
    roles = {"id": ROW, "qid": list(forms)}
    done = _run(name, frame.assign(**{ROW: np.arange(len(frame))}), roles, options, rng)
    return _back(done, table, names, forms)


def masked(
    name: str, table: Columns, shape: Shape, parameters: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Cells]:
    """`more-p`, `more-s`, `gadp`, `c-gadp` or `dsp`: numbers hidden given the texts, which stay."""
    frame, names = _frame(table, shape)
    secret = {names[field.name]: "" for field in _free(shape) if _is_varied(field, table)}
    given = [names[field.name] for field in shape.values() if _is_given(field, table)]
    if not secret:
        return dict(table)
    roles = {"confidential": list(secret)} | ({"given": given} if given else {})
    return _back(_run(name, frame, roles, parameters, rng), table, names, secret)


def redrawn(
    name: str, table: Columns, shape: Shape, parameters: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Cells]:
    """`bayes-synthetic`, number by number: each is the response of a log-linear model with random effects.

    Every number counts from 1 at its smallest value, so that its logarithm exists. The price is the next
    number, some others, from 0 to 1, are promotions, and the subject is the text that best splits the rows.
    """
    import pandas as pd

    varied = [field.name for field in _free(shape) if _is_varied(field, table)]
    found = dict(table)
    if len(varied) < 2:
        return found
    subject = _subject(table, shape)
    scaled = {one: table[one] - table[one].min() for one in varied}
    for place, one in enumerate(varied):
        others = [*varied[place + 1 :], *varied[:place]][: MOST_GIVEN + 1]
        frame = pd.DataFrame(
            {SUBJECT: subject, "response": scaled[one] + 1.0, "price": scaled[others[0]] + 1.0}
        )
        given = {f"d{number}": scaled[other] / scaled[other].max() for number, other in enumerate(others[1:])}
        roles: dict[str, Any] = {"id": SUBJECT, "response": "response", "price": "price"}
        if given:
            roles["promotions"] = list(given)
        # The method spawns generators. One that came through a folder has no seed to spawn from.
        own = np.random.default_rng(rng.integers(0, 2**63, 4))
        done = _run(name, frame.assign(**given), roles, {**parameters, **UNCHECKED}, own)
        found[one] = done["response"].to_numpy() - 1.0 + table[one].min()
    return found


def _run(
    name: str, frame: pd.DataFrame, roles: Mapping[str, Any], parameters: Mapping[str, Any],
    rng: np.random.Generator,
) -> pd.DataFrame:  # fmt: skip
    # Loaded when a table is hidden: whoever only reads a game's declaration starts sooner.
    from anonymizers.parameters import checked
    from anonymizers.table_registry import table_method

    method = table_method(name)
    return method.function(frame, roles, rng, **checked(name, method.parameters, parameters)).table


def _frame(table: Columns, shape: Shape) -> tuple[pd.DataFrame, dict[str, str]]:
    import pandas as pd

    names = {name: f"c{number}" for number, name in enumerate(shape)}
    return pd.DataFrame({names[name]: table[name] for name in shape}), names


def _back(
    done: pd.DataFrame, table: Columns, names: Mapping[str, str], changed: Mapping[str, Any]
) -> dict[str, Cells]:
    return {
        name: done[short].to_numpy() if short in changed else table[name] for name, short in names.items()
    }


def _free(shape: Shape) -> list[Field]:
    return [field for field in shape.values() if not field.is_fixed]


def _is_varied(field: Field, table: Columns) -> bool:
    """Whether it is a number that has several values."""
    cells = table[field.name]
    return field.kind != "category" and not field.is_fixed and bool((cells != cells[0]).any())


def _is_given(field: Field, table: Columns) -> bool:
    return field.kind == "category" and not field.is_fixed and len(np.unique(table[field.name])) <= LABELS


def _subject(table: Columns, shape: Shape) -> Cells:
    """The text with most labels that still group rows, or everybody as one of two where there is none."""
    texts = [field.name for field in shape.values() if field.kind == "category" and not field.is_fixed]
    counts = {name: len(np.unique(table[name])) for name in texts}
    fit = [name for name in texts if 2 <= counts[name] <= MOST_SUBJECTS]
    if fit:
        return table[max(fit, key=lambda name: counts[name])]
    n_rows = len(next(iter(table.values())))
    return np.array(["even", "odd"], dtype=object)[np.arange(n_rows) % 2]
