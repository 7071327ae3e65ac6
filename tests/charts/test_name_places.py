"""Names beside points: inside the picture, none over another, the same for the same points."""

from __future__ import annotations

import numpy as np

from contest.charts.chart import Dot, Words
from contest.charts.name_places import LINE, Wanted, place_names, shortened, width_of
from contest.charts.scatter import Axis, Spot, entry_map

FRAME = (62.0, 0.0, 640.0, 340.0)


def box(words: Words) -> tuple[float, float, float, float]:
    """The room of a name at its largest size, by the meaning of SVG's text-anchor."""
    width = width_of(words.text)
    left = words.x - {"start": 0, "middle": width / 2, "end": width}[words.anchor]
    return left, words.y - LINE + 4, left + width, words.y + 4


def test_names_neither_overlap_nor_leave_the_frame() -> None:
    rng = np.random.default_rng(7)
    for crowd in (1, 3, 8, 20):
        points = [(float(x), float(y)) for x, y in rng.uniform((62, 16), (624, 332), (crowd, 2))]
        names = ["Neko", "狸と狐の合同チーム", "The raccoon dogs of Shikoku", "x"]
        wanted = [Wanted(*point, 6, names[number % 4]) for number, point in enumerate(points)]
        placed = place_names(wanted, points, FRAME)
        assert placed == place_names(wanted, points, FRAME)
        assert placed[0].text == shortened(wanted[0].text), "the first name always has room"
        boxes = [box(words) for words in placed]
        for number, (left, top, right, bottom) in enumerate(boxes):
            assert left >= FRAME[0] - 0.1 and right <= FRAME[2] + 0.1 and top >= -0.1 and bottom <= 340.1
            for other in boxes[:number]:
                apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
                assert apart, (placed[number], other)


def test_a_map_names_its_reader_and_the_five_best_where_there_is_room() -> None:
    spots = [Spot(f"Team {n}", 10.0 * n, 90.0 - 10 * n, rank=n) for n in range(1, 9)]
    spots.append(Spot("Mine", 5.0, 5.0, is_mine=True, rank=9))
    chart = entry_map("m", "Map", spots, Axis("x", high=100), Axis("y", high=100))
    named = [shape.text for shape in chart.shapes if isinstance(shape, Words) and shape.style == "name"]
    assert named == ["Mine", "Team 1", "Team 2", "Team 3", "Team 4", "Team 5"]


def test_axes_hold_negative_numbers_and_leave_out_a_limit_far_away() -> None:
    spots = [Spot("a", -3.0, 2.0), Spot("b", 4.0, 1.0)]
    chart = entry_map("m", "Map", spots, Axis("x"), Axis("y", "lower", limit=1_000_000))
    dots = [shape for shape in chart.shapes if isinstance(shape, Dot)]
    assert dots[0].x < dots[1].x and all(62 <= dot.x <= 640 and 16 <= dot.y <= 332 for dot in dots)
    assert [style for style, _ in chart.legend] == ["team", "front"]
    near = entry_map("m", "Map", spots, Axis("x"), Axis("y", "lower", limit=3))
    assert ("limit", "the limit") in near.legend


def test_without_a_direction_there_is_no_front() -> None:
    spots = [Spot("a", 1.0, 2.0), Spot("b", 2.0, 1.0)]
    chart = entry_map("m", "Map", spots, Axis("x", ""), Axis("y"))
    assert [row[-1] for row in chart.rows] == ["no", "no"]
    assert "front" not in [style for style, _ in chart.legend]
