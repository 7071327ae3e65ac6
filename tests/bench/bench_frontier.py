"""The risk–loss frontier in the paper's size, 34 stores × 102 weeks × 5 brands, beside its Table 5."""

from __future__ import annotations

import time

import numpy as np
from scipy.stats import kendalltau

from anonymizers.engines.bayes_synthetic.gibbs import sample
from anonymizers.engines.bayes_synthetic.model import FlexiblePrior, Sums
from datasets.store_panel import StorePanel
from kakurenbo.panel_frontier import as_text
from kakurenbo.pos_frontier import KAPPAS, Protected, compare
from tests.pos.panels import COLUMNS, paper_like

TABLE_5 = {
    "unprotected": (2.250, 0.796, 0.0),
    "random noise": (2.269, 0.797, 0.053),
    "rounding": (2.260, 0.795, 0.046),
    "top coding": (2.277, 0.787, 0.093),
    "20 % swapping": (1.471, 0.425, 0.243),
    "50 % swapping": (1.025, 0.180, 0.445),
    "market level": (0.0, 0.0, 0.437),
}
"""MLP, ALP and MAPD of the elasticities: Schneider et al. (2017), Table 5."""
PROPOSED = (1.566, 0.478, 0.084)
"""The same of the proposed method at κ = 1."""
FIGURES = ("MLP", "ALP", "MAPD β")


def main() -> None:
    spent = time.process_time()
    rows = {row.name: row for row in compare(paper_like(9), COLUMNS, 1)}
    print(as_text(list(rows.values())).split("\n\n")[0])
    print(f"{time.process_time() - spent:.0f} s CPU")
    order(rows)
    domination(rows)
    shrinkage()


def figures(row: Protected) -> tuple[float, float, float]:
    return row.mlp, row.alp, row.loss.mapd_beta


def order(rows: dict[str, Protected]) -> None:
    """Kendall's τ with Table 5, the proposed method standing at the κ whose ALP is nearest to the printed."""
    kappa = min(KAPPAS, key=lambda kappa: abs(rows[f"κ = {kappa:g}"].alp - PROPOSED[1]))
    printed = np.array([*TABLE_5.values(), PROPOSED])
    ours = np.array([figures(rows[name]) for name in [*TABLE_5, f"κ = {kappa:g}"]])
    agreement = [float(kendalltau(ours[:, column], printed[:, column])[0]) for column in range(3)]
    words = ", ".join(f"{name} {value:.2f}" for name, value in zip(FIGURES, agreement, strict=True))
    print(f"order of the eight methods against Table 5, Kendall's τ (proposed at κ = {kappa:g}): {words}")


def domination(rows: dict[str, Protected]) -> None:
    """What the paper says of Figure 4: some κ dominates both swappings, no benchmark dominates any κ."""
    ours = {name: row for name, row in rows.items() if row.method == "bayes-synthetic"}

    def beats(one: Protected, other: Protected) -> bool:
        return one.mlp < other.mlp and one.loss.mapd_beta < other.loss.mapd_beta

    for name in ("20 % swapping", "50 % swapping"):
        better = [kappa for kappa, row in ours.items() if beats(row, rows[name])]
        print(f"{name} is dominated by: {', '.join(better) or 'no κ'}")
    pairs = [(name, kappa) for name in TABLE_5 for kappa, row in ours.items() if beats(rows[name], row)]
    print(f"benchmarks that dominate a κ: {', '.join(f'{a} over {b}' for a, b in pairs) or 'none'}")


def shrinkage() -> None:
    """Figure 6: posterior means of one brand as κ grows far."""
    panel = StorePanel.of(paper_like(9, n_brands=1), COLUMNS)
    sums = Sums.of(panel.log_response, panel.predictors, panel.subject.codes, np.zeros(34, dtype=np.int64))
    for kappa in (0.01, 1.0, 4.0, 15.0, 100.0, 1000.0, 10_000.0):
        draws = sample(sums, FlexiblePrior(kappa, np.array([kappa])), np.random.default_rng(1))
        effects = draws.fixed[..., 1:].mean(axis=(0, 1))
        random = np.abs(draws.random.mean(axis=(0, 1))).mean()
        print(f"κ = {kappa:<7g} β, ln γ: {np.round(effects, 3).tolist()}  mean |u|: {random:.4f}")


if __name__ == "__main__":
    main()
