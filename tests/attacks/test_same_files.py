"""Signals that compare files of any game: copies light up, honest teams and chance do not."""

from __future__ import annotations

import numpy as np

from attacks.signals import same_lines as lines
from attacks.signals.same_cells import CELLS, MISTAKES, Places, same_cells
from attacks.signals.same_lines import Changed, changed, keys_of, lines_of, same_lines

NOTHING = keys_of([])


def rows(numbers: range, width: int = 3) -> bytes:
    cells = ([b"%d" % (number * (column + 7)) for column in range(width)] for number in numbers)
    return b"".join(b",".join(row) + b"\n" for row in cells)


def test_the_share_counts_what_nobody_handed_out() -> None:
    public, mine, theirs = range(100), range(140), range(100, 160)
    known = keys_of(lines_of(rows(public)))
    first, second = (changed(lines_of(rows(it)), known) for it in (mine, theirs))
    evidence = same_lines(first, second)
    # 40 and 60 lines are new, 40 of them in both.
    assert evidence.detail == {"changed": 40, "changed_other": 60, "the_same": 40, "by_chance": 0.0}
    assert evidence.strength == 40 / 60
    assert evidence.is_lit
    assert same_lines(changed(lines_of(rows(public)), known), second).strength == 0.0


def test_a_few_equal_lines_are_no_evidence() -> None:
    few = changed(lines_of(rows(range(lines.FEWEST - 1))), NOTHING)
    assert same_lines(few, few).strength == 0.0


def test_lines_of_one_short_cell_agree_by_chance_unless_their_places_do() -> None:
    ages = np.random.default_rng(1).integers(0, 90, 200)
    content = b"".join(b"%d\n" % age for age in ages)
    for is_kept, lit in ((False, False), (True, True)):
        read = list(lines_of(content, is_kept=is_kept))
        one = changed(read, NOTHING)
        mixed = changed(lines.shuffled(read, np.random.default_rng(0)), NOTHING)
        assert same_lines(one, one, mixed).is_lit is lit


def test_a_sample_of_a_large_entry_gives_nearly_the_same_share() -> None:
    first, second = (list(lines_of(rows(it))) for it in (range(6000), range(2000, 8000)))
    whole = same_lines(*(changed(it, NOTHING) for it in (first, second)))
    assert whole.strength == 4000 / 8000
    sampled = [changed(it, NOTHING, most=1000) for it in (first, second)]
    assert [len(it.keys) for it in sampled] == [1000, 1000]
    # Hashes are fixed, so this is one number for ever: it was 0.513.
    assert abs(same_lines(*sampled).strength - whole.strength) < 0.05
    assert same_lines(*sampled).detail["the_same"] <= 1000


def test_an_empty_side_has_no_share() -> None:
    assert same_lines(Changed(NOTHING), Changed(NOTHING)).strength == 0.0


def vectors(*answers: list[str]) -> tuple[Places, list[np.ndarray]]:
    places = Places()
    made = [
        places.vector({("who", str(row)): cell for row, cell in enumerate(cells) if cell})
        for cells in answers
    ]
    return places, [places.padded(codes) for codes in made]


def test_mistakes_are_what_agrees_beyond_the_people_found() -> None:
    said = [str(100 + row) for row in range(40)]
    other = [*said[:30], *(str(200 + row) for row in range(10))]
    places, (first, second) = vectors(said, other)
    # 30 of 40 agree; both found ten people, so 20 agree without being right, and 10 differ.
    evidence = same_cells(first, second, places.columns, found=(range(10), range(10)))
    assert evidence.kind == MISTAKES
    assert evidence.detail == {"compared": 30, "the_same": 20}
    assert not evidence.is_lit
    copied = same_cells(first, first, places.columns, found=(range(10), range(10)))
    assert copied.detail == {"compared": 30, "the_same": 30}
    # Shuffled, every distinct value meets itself once in 40 cells: (1 − 1/40) / (1 − 1/40).
    assert copied.strength == 1.0
    honest = same_cells(first, first, places.columns, found=(range(35), range(35)))
    assert honest.strength == 0.0  # five cells are too few


def test_without_people_found_only_a_copy_is_reported() -> None:
    said = [str(row) for row in range(100)]
    places, (first, near, far) = vectors(said, [*said[:97], "a", "b", "c"], [*said[:90], *"abcdefghij"])
    assert same_cells(first, near, places.columns).is_lit
    assert same_cells(first, near, places.columns).kind == CELLS
    assert not same_cells(first, far, places.columns).is_lit


def test_what_chance_and_the_house_explain_is_left_out() -> None:
    places, (first, second) = vectors(["0"] * 60, ["0"] * 60)
    assert same_cells(first, second, places.columns).strength == 0.0
    said = [str(row) for row in range(60)]
    places, (first, second, house) = vectors(said, said, said[:55])
    assert same_cells(first, second, places.columns).strength == 1.0
    assert same_cells(first, second, places.columns, [house]).detail == {"compared": 5, "the_same": 5}
    assert same_cells(first, second, places.columns, [house]).strength == 0.0


def test_cells_that_one_side_leaves_out_are_not_compared() -> None:
    places, (first, second) = vectors([str(row) for row in range(30)], ["", "", *map(str, range(2, 30))])
    assert same_cells(first, second, places.columns).detail["compared"] == 28
