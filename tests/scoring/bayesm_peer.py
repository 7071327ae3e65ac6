"""R's ``bayesm::rhierMnlRwMixture`` on the same choices: the peer of `brand_choice`."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from scoring.panel.choice_data import ChoiceData, choice_data

R_PROGRAM = """
suppressMessages(library(bayesm))
words <- commandArgs(TRUE)
d <- read.csv(words[1]); p <- as.integer(words[2]); set.seed(as.integer(words[6]))
x <- as.matrix(d[, grep("^x", names(d))]); first <- d$brand == 0
lgtdata <- lapply(unique(d$panelist), function(i) {
  list(y = d$chosen[first & d$panelist == i] + 1, X = x[d$panelist == i, , drop = FALSE]) })
sink("/dev/null"); start <- proc.time()
out <- rhierMnlRwMixture(Data = list(p = p, lgtdata = lgtdata), Prior = list(ncomp = 1),
                         Mcmc = list(R = as.integer(words[3]), keep = 1, nprint = 0))
used <- proc.time() - start; sink()
mu <- t(sapply(out$nmix$compdraw, function(c) c[[1]]$mu))
v <- t(sapply(out$nmix$compdraw, function(c) diag(crossprod(backsolve(c[[1]]$rooti, diag(ncol(x)))))))
write.table(mu, words[4], row.names = FALSE, col.names = FALSE)
write.table(v, words[5], row.names = FALSE, col.names = FALSE)
cat("seconds", used[["user.self"]] + used[["sys.self"]])
"""


@dataclass(frozen=True, eq=False)
class Peer:
    """Draws of μ and of the variances in V, and the CPU seconds of R's sampler."""

    centres: np.ndarray
    variances: np.ndarray
    seconds: float


def bayesm_is_here() -> bool:
    if shutil.which("Rscript") is None:
        return False
    looked = subprocess.run(
        ["Rscript", "-e", "library(bayesm)"], capture_output=True, check=False, timeout=120
    )
    return looked.returncode == 0


def margarine(folder: Path, brands: int = 4, households: int | None = None) -> ChoiceData:
    """Households with at least five purchases of the first brands of the margarine data, by log price."""
    table = pd.read_csv(folder / "panel" / "margarine_choicePrice.csv")
    columns = list(table.columns[2 : 2 + brands])
    table = table[table["choice"] <= brands]
    if households is not None:
        often = table["hhid"].value_counts()
        table = table[table["hhid"].isin(sorted(often[often >= 5].index)[:households])]
    units = {f"b{j}": (table["choice"] == j + 1).astype(int) for j in range(brands)}
    prices = {f"p{j}": np.log(table[columns[j]]) for j in range(brands)}
    wide = pd.DataFrame({"hhid": table["hhid"], **units, **prices})
    return choice_data(wide, "hhid", list(units), {"log price": list(prices)})


def bayesm_draws(data: ChoiceData, draws: int, folder: Path, seed: int = 1) -> Peer:
    """Run R's sampler on the same design: constants of all brands but the first, then the mix."""
    brands = len(data.brands)
    panelist = np.repeat(np.arange(data.n_panelists), np.diff(data.begins))
    constants = np.vstack([np.zeros(brands - 1), np.eye(brands - 1)])
    design = np.hstack([np.tile(constants, (data.n_trips, 1)), data.mix.reshape(data.n_trips * brands, -1)])
    table = pd.DataFrame(design, columns=[f"x{i}" for i in range(design.shape[1])])
    table.insert(0, "panelist", np.repeat(panelist, brands))
    table.insert(1, "chosen", np.repeat(data.choice, brands))
    table.insert(2, "brand", np.tile(np.arange(brands), data.n_trips))
    table.to_csv(folder / "choices.csv", index=False)
    (folder / "peer.R").write_text(R_PROGRAM)
    files = [str(folder / "mu.txt"), str(folder / "v.txt")]
    words = ["Rscript", str(folder / "peer.R"), str(folder / "choices.csv"), str(brands), str(draws), *files]
    words.append(str(seed))
    run = subprocess.run(words, capture_output=True, text=True, check=False, timeout=1200)
    if run.returncode != 0:
        raise RuntimeError(f"R failed: {json.dumps(run.stderr[-500:])}")
    seconds = float(run.stdout.rsplit("seconds", 1)[1])
    return Peer(np.loadtxt(files[0]), np.loadtxt(files[1]), seconds)
