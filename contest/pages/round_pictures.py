"""The pictures of a round beside its map: the map over a measure, strips, the attacker × entry matrix."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from contest.board.matrix import Matrix
from contest.board.queries import BoardRow
from contest.board.utility_risk_map import measure_label, spot_of
from contest.charts.chart import Chart, thousands
from contest.charts.heat import matrix_chart
from contest.charts.scatter import risk_map
from contest.charts.strips import Mark, Strip, strips


def measure_map(rows: Sequence[BoardRow], measure: str) -> Chart | None:
    """Safety over one measure, with its limit; None where no entry has that measure."""
    found = [(row, cell) for row in rows for cell in row.measures if cell.name == measure]
    if not found:
        return None
    described = found[0][1]
    spots = [spot_of(row, cell.value, row.safety) for row, cell in found if row.safety is not None]
    unit = f", {described.unit}" if described.unit else ""
    return risk_map(
        f"map-{measure}",
        _("%(measure)s and safety of all entries") % {"measure": described.title},
        spots,
        x_label=measure_label(described.title, unit, described),
        higher_is_better=described.better == "higher",
        limit=described.limit,
    )


def measure_strips(rows: Sequence[BoardRow]) -> Chart:
    """One strip per measure, one point per entry on it."""
    limits = {cell.name: Strip(cell.title, cell.bound, cell.best) for row in rows for cell in row.measures}
    marks = []
    for row in rows:
        values = {cell.name: cell.value for cell in row.measures}
        marks.append(Mark(row.team_name, [values.get(name) for name in limits], row.is_mine, row.is_house))
    return strips("strips", _("What every entry uses of the limits"), list(limits.values()), marks)


def matrix_picture(table: Matrix) -> Chart:
    """Every attack on every entry, as the percentage found."""
    values = [
        [None if cell is None or cell.rate is None else 100 * cell.rate for cell in row.cells]
        for row in table.rows
    ]
    judged = [
        (value, row.attack.label, entry.team.name)
        for row, line in zip(table.rows, values, strict=True)
        for value, entry in zip(line, table.entries, strict=True)
        if value is not None
    ]
    summary = _("No attack has been judged yet.")
    if judged:
        share, attack, team = max(judged)
        summary = _(
            "Attacks: %(attacks)s, entries: %(entries)s; people found in percent. The most is %(share)s %% "
            "by %(attack)s on %(team)s."
        ) % {
            **thousands(attacks=len(table.rows), entries=len(table.entries)),
            "share": f"{share:.0f}",
            "attack": attack,
            "team": team,
        }
    return matrix_chart(
        "matrix",
        _("People found by every attack on every entry, %"),
        summary,
        _("Attack"),
        [row.attack.label for row in table.rows],
        [entry.team.name for entry in table.entries],
        values,
    )
