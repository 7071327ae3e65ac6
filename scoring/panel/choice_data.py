"""Trips as a brand choice model reads them: one brand per trip, panelists with enough trips, mix by brand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from datasets.tables import Integers

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChoiceData:
    """Trip t chose brand ``choice[t]`` where brand j had the mix ``mix[t, j]``; trips are sorted by panelist.

    The trips of panelist i are ``begins[i]`` up to ``begins[i + 1]``.
    """

    begins: Integers
    choice: Integers
    mix: Floats
    brands: tuple[str, ...]
    variables: tuple[str, ...]

    @property
    def n_panelists(self) -> int:
        return len(self.begins) - 1

    @property
    def n_trips(self) -> int:
        return len(self.choice)

    @property
    def names(self) -> tuple[str, ...]:
        """The coefficients: a constant for every brand but the first, then the variables of the mix."""
        return (*self.brands[1:], *self.variables)


def choice_data(
    table: pd.DataFrame, id: str, brands: Sequence[str], mix: Mapping[str, Sequence[str]], least: int = 5
) -> ChoiceData:
    """Filter trips as Appendix C does: exactly one brand bought, by panelists with at least ``least`` such.

    ``brands`` are columns of units; ``mix`` gives for every variable its columns, one per brand.

    >>> trips = pd.DataFrame({"who": list("AAB"), "tea": [1, 0, 2], "cake": [0, 1, 1],
    ...                       "p_tea": [1.0, 1.1, 1.2], "p_cake": [2.0, 2.0, 2.0]})
    >>> data = choice_data(trips, "who", ["tea", "cake"], {"price": ["p_tea", "p_cake"]}, least=2)
    >>> data.choice.tolist(), data.mix[:, :, 0].tolist(), data.names
    ([0, 1], [[1.0, 2.0], [1.1, 2.0]], ('cake', 'price'))
    """
    for name, columns in mix.items():
        if len(columns) != len(brands):
            raise ValueError(
                f"The variable {name!r} needs one column per brand: {len(brands)}. Got {len(columns)}."
            )
    units = table[list(brands)].to_numpy(dtype=np.float64)
    values = np.stack([table[list(columns)].to_numpy(dtype=np.float64) for columns in mix.values()], axis=2)
    single = np.flatnonzero((units > 0).sum(axis=1) == 1)
    person = np.asarray(pd.factorize(table[id].iloc[single], sort=True)[0], dtype=np.int64)
    enough = np.bincount(person, minlength=1)[person] >= least
    single, person = single[enough], person[enough]
    if not len(single):
        raise ValueError(f"No panelist has {least} trips with exactly one brand: there is nothing to model.")
    order = np.argsort(person, kind="stable")
    rows = single[order]
    if not np.isfinite(values[rows]).all():
        raise ValueError("The marketing mix must be finite numbers on every trip that is modelled.")
    begins = np.append(np.flatnonzero(np.diff(person[order], prepend=-1)), len(rows)).astype(np.int64)
    choice = (units[rows] > 0).argmax(axis=1).astype(np.int64)
    return ChoiceData(begins, choice, np.ascontiguousarray(values[rows]), tuple(brands), tuple(mix))
