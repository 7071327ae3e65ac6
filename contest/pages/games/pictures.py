"""The pictures of entries and answers of a game, in the reader's language: stored numbers become charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext as _

from contest import access
from contest.charts.axes import tick_text
from contest.charts.bars import Series, bars
from contest.charts.chart import Chart
from contest.charts.curves import Curve, curves_chart
from contest.charts.heat import Panel
from contest.charts.panels import panels_chart
from contest.language.declared import title_of
from contest.language.game_words import worded
from contest.models import Attack, AttackRun, Entry, Illustration
from games.contract.declaration import Picture

Plain = Mapping[str, Any]


@dataclass(frozen=True)
class Pictured:
    """The pictures of one thing that somebody may see; what went wrong with them is for organisers."""

    charts: Sequence[Chart] = ()
    data: Sequence[Plain] = ()
    fault: Any = ""
    log: str = ""

    def __bool__(self) -> bool:
        return bool(self.charts or self.fault)


NOTHING = Pictured()


def pictures_of_entry(user: access.Viewer, entry: Entry) -> Pictured:
    declared = access.entry_pictures(user, entry)
    if not declared:
        return NOTHING
    stored = Illustration.objects.filter(entry=entry).first()
    is_told = access.is_organiser(user, entry.round.contest)
    return _pictured(stored, declared, f"entry-{entry.pk}", is_told=is_told)


def pictures_of_answer(user: access.Viewer, attack: Attack, runs: Iterable[AttackRun]) -> dict[int, Pictured]:
    """The pictures of the runs of one attack, by the key of the run."""
    done = [run for run in runs if run.state == AttackRun.State.DONE]
    found: dict[int, Pictured] = {}
    is_told = access.is_organiser(user, attack.round.contest)
    by_challenge = attrgetter("challenge")
    for challenge, group in groupby(sorted(done, key=by_challenge), key=by_challenge):
        declared = access.answer_pictures(user, attack, challenge)
        if not declared:
            continue
        keys = [run.pk for run in group]
        for stored in Illustration.objects.filter(run__in=keys):
            assert stored.run_id is not None
            found[stored.run_id] = _pictured(stored, declared, f"run-{stored.run_id}", is_told=is_told)
    return found


def _pictured(
    stored: Illustration | None, declared: Sequence[Picture], name: str, *, is_told: bool
) -> Pictured:
    if stored is None:
        return NOTHING
    known = {picture.name: picture for picture in declared}
    # An older version of the game may have drawn what this one does not declare, or otherwise.
    plain = [one for one in stored.drawn if one["name"] in known and one["kind"] == known[one["name"]].kind]
    charts = [_chart(known[one["name"]], one, f"{name}-{number}") for number, one in enumerate(plain)]
    fault, log = (stored.fault, stored.log) if is_told else ("", "")
    return Pictured(charts, [_as_data(known[one["name"]], one) for one in plain], fault, log)


def _as_data(picture: Picture, plain: Plain) -> Plain:
    """A picture for programs: its numbers as they are stored, its words in the reader's language."""
    texts = {"title": title_of(picture), "x": worded(picture.x), "y": worded(picture.y)}
    words = {name: worded(text) for name, text in picture.words.items()}
    numbers = {key: value for key, value in plain.items() if key not in ("name", "part", "kind")}
    return {
        "name": plain["name"],
        "part": plain["part"],
        "kind": plain["kind"],
        **texts,
        "words": words,
        "numbers": numbers,
    }


def _chart(picture: Picture, plain: Plain, name: str) -> Chart:
    return _DRAWN[picture.kind](picture, plain, name)


def _word(picture: Picture, label: str) -> str:
    return worded(picture.words.get(label, {})) or label


def _title(picture: Picture, plain: Plain) -> str:
    part = _word(picture, plain["part"])
    return f"{title_of(picture)}: {part}" if part else title_of(picture)


def _summary(picture: Picture, said: str) -> str:
    meaning = worded(picture.meaning)
    ending = "" if not meaning or meaning.endswith((".", "。")) else "." if meaning.isascii() else "。"
    return f"{meaning}{ending} {said}".strip()


def _number(value: float) -> str:
    return tick_text(float(f"{value:.4g}"))


def _bars(picture: Picture, plain: Plain, name: str) -> Chart:
    classes = [_word(picture, label) for label in plain["classes"]]
    series = [Series(_word(picture, one["name"]), one["values"]) for one in plain["series"]]
    if len(series) == 2:
        gaps = [abs(a - b) for a, b in zip(series[0].counts, series[1].counts, strict=True)]
        place = max(range(len(gaps)), key=gaps.__getitem__)
        said = _furthest(classes[place], [(one.name, one.counts[place]) for one in series])
    else:
        place = max(range(len(classes)), key=series[0].counts.__getitem__)
        said = _("The largest is %(what)s with %(value)s.") % {
            "what": classes[place],
            "value": _number(series[0].counts[place]),
        }
    labels = {"x_label": worded(picture.x), "y_label": worded(picture.y)}
    return bars(name, _title(picture, plain), _summary(picture, said), classes, series, **labels)


def _furthest(what: str, pair: Sequence[tuple[str, float]]) -> str:
    """Where two series are furthest apart."""
    (first, before), (second, after) = pair
    return _("Furthest apart at %(what)s: %(first)s %(before)s, %(second)s %(after)s.") % {
        "what": what,
        "first": first,
        "before": _number(before),
        "second": second,
        "after": _number(after),
    }


def _heatmap(picture: Picture, plain: Plain, name: str) -> Chart:
    rows, columns = ([_word(picture, label) for label in plain[key]] for key in ("rows", "columns"))
    panels = [Panel(_word(picture, one["name"]), one["values"]) for one in plain["panels"]]
    cells = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    there = [(i, j) for i, j in cells if all(panel.values[i][j] is not None for panel in panels)]
    said = ""
    if there and len(panels) == 2:
        i, j = max(there, key=lambda cell: abs(_at(panels[0], cell) - _at(panels[1], cell)))
        said = _furthest(f"{rows[i]} × {columns[j]}", [(one.heading, _at(one, (i, j))) for one in panels])
    elif there:
        i, j = max(there, key=lambda cell: abs(_at(panels[0], cell)))
        values = {"what": f"{rows[i]} × {columns[j]}", "value": _number(_at(panels[0], (i, j)))}
        said = _("The largest is %(what)s with %(value)s.") % values
    colours = _("Blue is above zero, red below; the stronger, the further from it.")
    corner = worded(picture.y) or _("Row"), worded(picture.x) or _("Column")
    summary = _summary(picture, f"{colours} {said}".strip())
    return panels_chart(name, _title(picture, plain), summary, corner, rows, columns, panels)


def _at(panel: Panel, cell: tuple[int, int]) -> float:
    value = panel.values[cell[0]][cell[1]]
    assert value is not None
    return value


def _curves(picture: Picture, plain: Plain, name: str) -> Chart:
    curves, points = (
        [Curve(_word(picture, one["name"]), one["x"], one["y"]) for one in plain[key]]
        for key in ("curves", "points")
    )
    said = _marked(points) if points else _apart(picture, curves)
    return curves_chart(
        name,
        _title(picture, plain),
        _summary(picture, said),
        curves,
        points,
        x_label=worded(picture.x),
        y_label=worded(picture.y),
        row_label=_("Curve"),
        steps=picture.steps,
    )


def _marked(points: Sequence[Curve]) -> str:
    places = [
        f"{one.name} ({_number(x)}, {_number(y)})"
        for one in points
        for x, y in zip(one.x, one.y, strict=True)
    ]
    return _("Marked: %(points)s.") % {"points": "; ".join(places)}


def _apart(picture: Picture, curves: Sequence[Curve]) -> str:
    """Where the first two curves are furthest apart, among all places of both."""
    if len(curves) < 2:
        ends = {"name": curves[0].name, "first": _number(curves[0].y[0]), "last": _number(curves[0].y[-1])}
        return _("%(name)s: from %(first)s to %(last)s.") % ends
    found: list[tuple[float, float, float, float]] = []
    for place in sorted({*curves[0].x, *curves[1].x}):
        before, after = (one.at(place, steps=picture.steps) for one in curves[:2])
        if before is not None and after is not None:
            found.append((abs(before - after), place, before, after))
    if not found:
        return ""
    _gap, place, before, after = max(found)
    where = f"{worded(picture.x)} {_number(place)}".strip()
    return _furthest(where, [(curves[0].name, before), (curves[1].name, after)])


_DRAWN = {"bars": _bars, "heatmap": _heatmap, "curves": _curves}
