"""The loop of a hiding team: try a method's parameters, keep what satisfies the limits, attack, compare."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonymizers.anonymizer import Parameter
from anonymizers.release import CannotProtect
from attacks.evaluate import judge
from games.formats.attacks import run_attack
from games.formats.commands.entries import n_people
from games.formats.commands.measures import MEASURES
from games.formats.commands.methods import Anonymizer
from games.formats.limits import judged, upper_limits
from games.formats.measures import measure
from games.formats.methods import run_anonymizer
from scoring.rules import Limit
from scoring.run import measure_release


@dataclass(frozen=True)
class Trial:
    """One setting of the parameters: utility score, measures, and what each attack found."""

    parameters: Mapping[str, Any]
    valid: bool
    because: str
    utility: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)
    hits: Mapping[str, int] = field(default_factory=dict)
    n_released: int = 0

    @property
    def most_hits(self) -> int:
        return max(self.hits.values(), default=0)

    @property
    def risk(self) -> float:
        """The share of people whom the strongest attack finds; 1 where nothing was released."""
        return self.most_hits / self.n_released if self.n_released else 1.0

    @property
    def strongest(self) -> str:
        return max(self.hits, key=lambda name: self.hits[name]) if self.hits else ""


def settings_of_grid(grid: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    """Every combination of the listed values.

    >>> list(settings_of_grid({"a": ["1", "2"], "b": ["x"]}))
    [{'a': '1', 'b': 'x'}, {'a': '2', 'b': 'x'}]
    """
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def random_settings(method: Anonymizer, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """The defaults, then settings drawn from the declared ranges, without end."""
    yield {}
    while method.parameters:
        yield {parameter.name: _drawn(parameter, rng) for parameter in method.parameters}


def _drawn(parameter: Parameter, rng: np.random.Generator) -> Any:
    if parameter.kind == "choice":
        return parameter.choices[int(rng.integers(len(parameter.choices)))]
    if parameter.kind == "bool":
        return bool(rng.integers(2))
    if parameter.kind == "text" or parameter.low is None or parameter.high is None:
        return parameter.default
    low, high = parameter.low, parameter.high
    # Ranges over several powers of ten are searched on a logarithmic scale around the default.
    if high > 100 * max(low, 1e-9) and parameter.default:
        value = float(np.clip(parameter.default * math.exp(rng.normal()), low, high))
    else:
        value = float(rng.uniform(low, high))
    return round(value) if parameter.kind == "int" else float(f"{value:.4g}")


def try_settings(
    method: Anonymizer,
    original: Any,
    limits: tuple[Limit, ...],
    attacks: Sequence[str],
    seed: int,
    parameters: Mapping[str, Any],
) -> Trial:
    """Make the entry, measure it, and attack it with every attack."""
    try:
        done = run_anonymizer(method.name, original, upper_limits(limits), seed, parameters)
    except CannotProtect as error:
        return Trial(dict(parameters), False, str(error))
    release, used = done.release, dict(done.report["parameters"])
    chosen = [measure(limit.measure) for limit in limits] or list(MEASURES)
    results = measure_release(original, release, chosen)
    verdict = judged(results, limits)
    hits = {
        name: judge(run_attack(name, original, release.data, seed), release.truth, n_people(original)).hits
        for name in attacks
    }
    return Trial(
        parameters=used,
        valid=verdict.valid,
        because=" ".join(map(str, verdict.because)),
        utility=verdict.score,
        measures={name: result.value for name, result in results.items()},
        hits=hits,
        n_released=n_people(release.data),
    )


def search(
    settings: Iterator[dict[str, Any]],
    attempt: Callable[[Mapping[str, Any]], Trial],
    trials: int,
    until: float | None,
) -> Iterator[Trial]:
    """Try settings until there are enough, or one is valid with a risk within ``until``."""
    for parameters in itertools.islice(settings, trials):
        trial = attempt(parameters)
        yield trial
        if until is not None and trial.valid and trial.risk <= until:
            return


def frontier(trials: Sequence[Trial]) -> list[Trial]:
    """The valid trials that no other valid one beats in both utility and risk, by falling utility.

    >>> [t.utility for t in frontier([Trial({}, True, "", u, {}, {"a": h}, 10) for u, h in
    ...     ((50.0, 5), (40.0, 6), (30.0, 2), (50.0, 7))])]
    [50.0, 30.0]
    """
    best: list[Trial] = []
    for trial in sorted((t for t in trials if t.valid), key=lambda t: (-t.utility, t.risk)):
        if not best or trial.risk < best[-1].risk:
            best.append(trial)
    return best


def as_csv(trials: Sequence[Trial]) -> str:
    """All trials, one per line, the frontier marked."""
    kept = {id(trial) for trial in frontier(trials)}
    columns: dict[str, None] = {}
    lines = []
    for trial in trials:
        line = {
            **trial.parameters, "valid": int(trial.valid), "utility": f"{trial.utility:.4f}",
            "risk": f"{trial.risk:.6f}", "strongest": trial.strongest, "frontier": int(id(trial) in kept),
            **{name: f"{value:.6g}" for name, value in trial.measures.items()}, **trial.hits,
            "because": trial.because,
        }  # fmt: skip
        columns |= dict.fromkeys(line)
        lines.append(line)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def as_svg(method: str, trials: Sequence[Trial]) -> str:
    """The utility–risk map of the trials; the same trials give the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for valid, mark, label in ((False, "x", "breaks a limit"), (True, "o", "within the limits")):
            points = [(t.utility, t.risk) for t in trials if t.valid == valid and t.n_released]
            if points:
                axes.scatter(
                    *zip(*points, strict=True), marker=mark, label=label, color="C3" if not valid else "C0"
                )
        line = [(t.utility, t.risk) for t in frontier(trials)]
        if line:
            axes.plot(*zip(*line, strict=True), color="C0", linewidth=1, label="frontier")
        axes.set(xlabel="utility score (higher is better)", ylabel="share found by the strongest attack")
        axes.set(title=f"Utility and risk of {method}", ylim=(-0.02, 1.02))
        if trials:
            axes.legend()
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
