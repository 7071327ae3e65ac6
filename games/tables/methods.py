"""House methods for any game whose entry is one table: one literal list, run on a declared shape.

A game adds them to its declaration with `with_table_methods` and makes an entry with `hidden_table`. The
cells that come out keep the declared kinds, spans, decimals and domains; no method changes the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from datasets.lookup import find_by_name
from datasets.setting import Kind, Setting
from games.contract.declaration import Declaration, Method, Text
from games.contract.tables import Columns
from games.tables.papers import masked, recoded, redrawn
from games.tables.shape import Cells, Shape, filled, legal_table

Run = Callable[[str, Columns, Shape, Mapping[str, Any], np.random.Generator], Mapping[str, Cells]]


@dataclass(frozen=True)
class TableHider:
    """A house method: what it is called, its parameters, and the function that hides a filled table."""

    name: str
    title: Text
    meaning: Text
    run: Run
    parameters: tuple[Setting, ...] = ()
    of: str = ""
    """The table method that it runs, where that has another name."""

    @property
    def declared(self) -> Method:
        return Method(self.name, self.title, self.meaning, self.parameters)


def swap(
    name: str, table: Columns, shape: Shape, parameters: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Cells]:
    """A share of the cells of every column change places among themselves."""
    made = {}
    for column, cells in table.items():
        chosen = np.flatnonzero(rng.random(len(cells)) < parameters["share"])
        made[column] = cells.copy()
        made[column][chosen] = cells[rng.permutation(chosen)]
    return made


def noise(
    name: str, table: Columns, shape: Shape, parameters: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Cells]:
    """Normal noise of ``scale`` standard deviations on numbers; a share ``scale`` of texts is drawn again."""
    from arithmetic import covariance

    scale, made = parameters["scale"], {}
    for column, cells in table.items():
        n = len(cells)
        if shape[column].kind == "category":
            again = cells[rng.integers(0, n, n)]
            made[column] = np.where(rng.random(n) < scale, again, cells)
        else:
            numbers = cells.astype(float)
            spread = np.sqrt(covariance(numbers[:, None])[0, 0]) if n > 1 else 0.0
            made[column] = numbers + scale * spread * rng.normal(size=n)
    return made


def synthesis(
    name: str, table: Columns, shape: Shape, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Mapping[str, Cells]:
    """Rows that a generator of this name draws; none of them belongs to a row of the original."""
    from games.seek.synthesis import GENERATORS

    return GENERATORS[name](table, table, len(next(iter(table.values()))), 0.0, rng)


def _setting(name: str, kind: Kind, en: str, ja: str, default: Any, **bounds: float) -> Setting:
    """A parameter with its label in both languages."""
    return Setting(name, kind, en, default=default, words={"label": {"en": en, "ja": ja}}, **bounds)  # type: ignore[arg-type]


SHARE = _setting("share", "number", "Share of the cells", "セルの割合", 0.1, least=0, most=1)
SCALE = _setting(
    "scale", "number", "Standard deviations of noise, and share of texts drawn again",
    "ノイズの標準偏差の倍率と、引き直す文字の割合", 0.1, least=0, most=1,
)  # fmt: skip
K = _setting("k", "integer", "Fewest rows of a group", "グループの最小行数", 5, least=1, most=1_000_000)
G = _setting(
    "g", "number", "Least g-balance: 1 − 1/k of k even people", "g-バランスの下限（均等な k 人なら 1 − 1/k）",
    0.8, least=0, most=0.999999,
)  # fmt: skip
ORDER = _setting(
    "order",
    "text",
    "Highest power M: 1 to 4, or auto",
    "最高次数 M（1～4 または auto）",
    "1",
    least=1,
    most=50,
)
KAPPA = _setting(
    "kappa", "number", "0.1 keeps most, 15 shrinks hard", "0.1 ではほとんど残し、15 では強く縮める",
    1.0, least=1e-6, most=1e6,
)  # fmt: skip
CHAINS = (
    _setting("chains", "integer", "Chains, started far apart", "離れた点から始める連鎖の数",
             2, least=2, most=64),
    _setting("burn_in", "integer", "Iterations dropped at its start", "最初に捨てる反復の数",
             100, least=0, most=10**6),
    _setting("draws", "integer", "Draws stored per chain", "連鎖ごとに残す標本の数",
             100, least=4, most=10**6),
)  # fmt: skip

TABLE_HIDERS: tuple[TableHider, ...] = (
    TableHider(
        "table-swap", {"en": "Swapping", "ja": "スワッピング"},
        {"en": "A share of the cells of every column change places.", "ja": "各列のセルの一部を入れ替える。"},
        swap, (SHARE,),
    ),
    TableHider(
        "table-noise", {"en": "Noise", "ja": "ノイズ付加"},
        {"en": "Normal noise on numbers; some texts are drawn again.",
         "ja": "数値に正規ノイズを加え、文字の一部を引き直す。"},
        noise, (SCALE,),
    ),
    TableHider(
        "mondrian", {"en": "Mondrian k-anonymity", "ja": "Mondrian による k-匿名化"},
        {"en": "Groups of at least k rows share their means and commonest texts.",
         "ja": "k 行以上のグループが平均値と最頻値を共有する。"},
        recoded, (K,),
    ),
    TableHider(
        "gh-tree", {"en": "g-balance tree", "ja": "g-バランス木"},
        {"en": "Groups in which nobody stands out by many rows share their means and commonest texts.",
         "ja": "行数で目立つ人のいないグループが平均値と最頻値を共有する。"},
        recoded, (G,),
    ),
    TableHider(
        "more-p", {"en": "Odds-ratio perturbation", "ja": "オッズ比モデルによる摂動"},
        {"en": "Numbers are drawn from odds-ratio models given all other columns.",
         "ja": "他の列を条件とするオッズ比モデルから数値を引き直す。"},
        masked, (ORDER,),
    ),
    TableHider(
        "more-s", {"en": "Odds-ratio shuffling", "ja": "オッズ比モデルによるシャッフル"},
        {"en": "Numbers are shuffled by the ranks of odds-ratio draws; every column keeps its values.",
         "ja": "オッズ比モデルからの抽出の順位で数値を並べ替える。各列の値は保たれる。"},
        masked, (ORDER,),
    ),
    TableHider(
        "c-gadp", {"en": "Copula perturbation", "ja": "コピュラによる摂動"},
        {"en": "Numbers are drawn by normal scores given the texts and turned back by their quantiles.",
         "ja": "文字列を条件に正規スコアを引き、分位点で数値に戻す。"},
        masked,
    ),
    TableHider(
        "bayes", {"en": "Bayesian synthesis", "ja": "ベイズ合成"},
        {"en": "Every number is redrawn from a random-effects model whose prior κ tightens.",
         "ja": "事前分布を κ で強める変量効果モデルから、各数値を引き直す。"},
        redrawn, (KAPPA, *CHAINS), of="bayes-synthetic",
    ),
    TableHider(
        "copula", {"en": "Gaussian copula", "ja": "ガウスコピュラ"},
        {"en": "New rows with the margins of the table and the correlations of its normal scores.",
         "ja": "表の周辺分布と正規スコアの相関をもつ新しい行。"},
        synthesis,
    ),
    TableHider(
        "tree", {"en": "Decision-tree synthesis", "ja": "決定木による合成"},
        {"en": "New rows, column after column from decision trees on the columns before.",
         "ja": "前の列に基づく決定木から列ごとに生成した新しい行。"},
        synthesis,
    ),
)  # fmt: skip


def table_hider(name: str) -> TableHider:
    """The house method of that name; a `KeyError` that lists the known ones otherwise.

    >>> table_hider("mondrian").title["en"]
    'Mondrian k-anonymity'
    """
    return find_by_name(TABLE_HIDERS, name, "method for a table")


def is_table_method(name: str) -> bool:
    return any(hider.name == name for hider in TABLE_HIDERS)


def with_table_methods(
    declaration: Declaration, more: tuple[Setting, ...] = (), without: Collection[str] = ()
) -> Declaration:
    """A declaration with these methods after its own; ``more`` are parameters that all methods of it have."""
    chosen = (hider.declared for hider in TABLE_HIDERS if hider.name not in without)
    added = tuple(replace(method, parameters=(*more, *method.parameters)) for method in chosen)
    return replace(declaration, methods=(*declaration.methods, *added))


def hidden_table(
    name: str, table: Columns, shape: Shape, parameters: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Cells]:
    """The table as a house method hides it, every cell legal. Other games' parameters are left out.

    >>> from games.contract.declaration import Column
    >>> from games.tables.shape import shape_of
    >>> table = {"age": np.array([20, 30, 40, 50]), "sex": np.array(["f", "m", "f", "f"], dtype=object)}
    >>> shape = shape_of([Column("age", "int", (0, 120)), Column("sex", "choice", domain=("f", "m"))], table)
    >>> made = hidden_table("mondrian", table, shape, {"k": 2}, np.random.default_rng(0))
    >>> made["age"].tolist(), made["sex"].tolist()
    ([25, 25, 45, 45], ['f', 'f', 'f', 'f'])
    """
    hider = table_hider(name)
    given = {one.name: parameters.get(one.name, one.default) for one in hider.parameters}
    whole = filled(shape, table)
    return legal_table(shape, hider.run(hider.of or name, whole, shape, given, rng), table)
