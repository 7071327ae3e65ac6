"""The compiled loop of the tree: score a node's splits, keep the first that holds, continue with both sides.

Units (people, or records where every record stands alone) are in one array per number attribute, sorted once;
a split moves the left units to the front of each stretch without disturbing the order. So a level of the
tree costs O(units × attributes), and the whole tree O(N log N) as long as splits are near the median.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BALANCE_VARIANCE, WIDEST, NARROWING = 0, 1, 2
"""How a node orders its candidate splits: least Δg/v first (gh-tree), widest range first (Mondrian), or first
what narrows the cells most, cutting where that is so instead of at the median."""
TOLERANCE = 1e-12
"""Thresholds such as 0.1 + 0.2 must not refuse what holds with equality."""


@njit(cache=True)
def spread(order, lo, hi, numbers, within, weight, total):  # type: ignore[no-untyped-def]
    """Variance over records of one attribute in a stretch of its order; people may vary within themselves."""
    mean = 0.0
    for at in range(lo, hi):
        unit = order[at]
        mean += weight[unit] * numbers[unit]
    mean /= total
    squares = 0.0
    for at in range(lo, hi):
        unit = order[at]
        gap = numbers[unit] - mean
        squares += weight[unit] * gap * gap
        if len(within):
            squares += within[unit]
    return squares / total


@njit(cache=True)
def median_cut(order, lo, hi, numbers, strict, weight, total):  # type: ignore[no-untyped-def]
    """Where to cut so that the records left are nearest to half; with two such places, the later one.

    Returns the place, the records left, and their sum of squared counts. Place ``lo`` means no cut exists. A
    strict attribute is cut between different values only.
    """
    best, best_gap, left, squares = lo, total, 0, 0
    best_left, best_squares = 0, 0
    for at in range(lo, hi - 1):
        count = weight[order[at]]
        left += count
        squares += count * count
        if strict and numbers[order[at]] == numbers[order[at + 1]]:
            continue
        gap = abs(2 * left - total)
        if gap <= best_gap:
            best, best_gap, best_left, best_squares = at + 1, gap, left, squares
        elif 2 * left > total:
            break
    return best, best_left, best_squares


@njit(cache=True)
def _narrowing_cut(order, lo, hi, numbers, strict, weight, total, k):  # type: ignore[no-untyped-def]
    """Where to cut so that Σ records × width of both sides is least; returns the place and what is gained.

    A side takes at least k records and, unless the node is small, a quarter of them: the depth of the tree
    stays O(log N).
    """
    low, high = numbers[order[lo]], numbers[order[hi - 1]]
    least = max(k, total // 4) if total > 8 * k else k
    best, best_cost, left = lo, total * (high - low), 0
    for at in range(lo, hi - 1):
        left += weight[order[at]]
        if left > total - least:
            break
        here, there = numbers[order[at]], numbers[order[at + 1]]
        if left < least or (strict and here == there):
            continue
        cost = left * (here - low) + (total - left) * (high - there)
        if cost < best_cost:
            best, best_cost = at + 1, cost
    return best, total * (high - low) - best_cost


@njit(cache=True)
def balance_change(total, squares, left, left_squares):  # type: ignore[no-untyped-def]
    """Δg of a split, equation (4): Σ_s S_s/(n_s·n) − S/n², with S the sum of squared counts."""
    right, right_squares = total - left, squares - left_squares
    return (left_squares / left + right_squares / right - squares / total) / total


@njit(cache=True)
def _balanced(records, squares, loosest):  # type: ignore[no-untyped-def]
    """Whether g = 1 − S/n² is at least g*; ``loosest`` is 1 − g*."""
    return squares <= (loosest * (1.0 + TOLERANCE) + TOLERANCE) * records * records


@njit(cache=True)
def _number_candidates(node, state, columns, rule, found):  # type: ignore[no-untyped-def]
    """The median split of every number attribute that varies in the node."""
    lo, hi, total, squares = node
    orders, _, _, _ = state
    numbers, within, strict, _, _, weight = columns
    count = 0
    for j in range(len(numbers)):
        order = orders[j]
        width = numbers[j][order[hi - 1]] - numbers[j][order[lo]]
        if width <= 0.0:
            continue
        if rule[0] == WIDEST:
            found[count, 0] = -width
            found[count, 1] = j
            found[count, 2] = -1
            count += 1
            continue
        if rule[0] == NARROWING:
            cut, gain = _narrowing_cut(order, lo, hi, numbers[j], strict[j], weight, total, rule[3])
            if cut > lo:
                found[count, 0] = -gain
                found[count, 1] = j
                found[count, 2] = cut
                count += 1
            continue
        cut, left, left_squares = median_cut(order, lo, hi, numbers[j], strict[j], weight, total)
        if cut == lo:
            continue
        variance = spread(order, lo, hi, numbers[j], within[j], weight, total)
        found[count, 0] = balance_change(total, squares, left, left_squares) / variance
        found[count, 1] = j
        found[count, 2] = cut
        count += 1
    return count


@njit(cache=True)
def _category_candidates(node, state, columns, rule, found, count):  # type: ignore[no-untyped-def]
    """One split for each category in the node: its people against all others."""
    lo, hi, total, squares = node
    _, members, _, tally = state
    numbers, _, _, categories, sizes, weight = columns
    for c in range(len(categories)):
        for code in range(sizes[c]):
            tally[code, 0] = 0
            tally[code, 1] = 0
        for at in range(lo, hi):
            records = weight[members[at]]
            code = categories[c][members[at]]
            tally[code, 0] += records
            tally[code, 1] += records * records
        present = 0
        for code in range(sizes[c]):
            present += tally[code, 0] > 0
        for code in range(sizes[c]):
            left, left_squares = tally[code, 0], tally[code, 1]
            if left == 0 or left == total:
                continue
            share = left / total
            step = 1.0 / max(sizes[c] - 1.0, 1.0)
            if rule[0] == WIDEST:
                score = -(present - 1.0) * step + abs(share - 0.5) * 1e-6
            elif rule[0] == NARROWING:
                score = -step * (total * (present - 1.0) - (total - left) * (present - 2.0))
            else:
                score = balance_change(total, squares, left, left_squares) / (share * (1.0 - share))
            found[count, 0] = score
            found[count, 1] = len(numbers) + c
            found[count, 2] = code
            count += 1
            if present == 2:
                # The other category against this one is the same split.
                break
    return count


@njit(cache=True)
def _mark(node, state, columns, attribute, where):  # type: ignore[no-untyped-def]
    """Put side 1 on the units that go left; returns units, records and squares on the left."""
    lo, hi, _, _ = node
    orders, members, side, _ = state
    numbers, _, _, categories, _, weight = columns
    units, records, squares = 0, 0, 0
    for at in range(lo, hi):
        if attribute < len(numbers):
            unit = orders[attribute][at]
            left = at < where
        else:
            unit = members[at]
            left = categories[attribute - len(numbers)][unit] == where
        side[unit] = left
        if left:
            count = weight[unit]
            units += 1
            records += count
            squares += count * count
    return units, records, squares


@njit(cache=True)
def _commonest(lo, hi, members, side, wanted, pairs, counter):  # type: ignore[no-untyped-def]
    """On one side: most people who share a sensitive value, and most records that show one."""
    start, values, times = pairs
    people, records = 0, 0
    for at in range(lo, hi):
        unit = members[at]
        if side[unit] == wanted:
            for pair in range(start[unit], start[unit + 1]):
                value = values[pair]
                counter[value, 0] += 1
                counter[value, 1] += times[pair]
                people = max(people, counter[value, 0])
                records = max(records, counter[value, 1])
    for at in range(lo, hi):
        unit = members[at]
        if side[unit] == wanted:
            for pair in range(start[unit], start[unit + 1]):
                counter[values[pair], 0] = 0
                counter[values[pair], 1] = 0
    return people, records


@njit(cache=True)
def _holds(node, state, pairs, counter, rule, left):  # type: ignore[no-untyped-def]
    """Whether both sides of the marked split satisfy g*, h*, k, K and l."""
    lo, hi, total, squares = node
    _, members, side, _ = state
    _, loosest, h, k, people, diversity = rule
    for wanted in (True, False):
        units, records, own = left if wanted else (hi - lo - left[0], total - left[1], squares - left[2])
        if units < max(people, 1) or records < k or not _balanced(records, own, loosest):
            return False
    if h < 1.0 or diversity > 1.0:
        for wanted in (True, False):
            units, records = (left[0], left[1]) if wanted else (hi - lo - left[0], total - left[1])
            most, shown = _commonest(lo, hi, members, side, wanted, pairs, counter)
            if most > h * units * (1.0 + TOLERANCE) or shown * diversity > records * (1.0 + TOLERANCE):
                return False
    return True


@njit(cache=True)
def _move(order, lo, hi, side, spare):  # type: ignore[no-untyped-def]
    """Bring the left units of a stretch to its front, both sides keeping their order; returns the border."""
    border, kept = lo, 0
    for at in range(lo, hi):
        unit = order[at]
        if side[unit]:
            order[border] = unit
            border += 1
        else:
            spare[kept] = unit
            kept += 1
    for at in range(kept):
        order[border + at] = spare[at]
    return border


@njit(cache=True)
def _choose(node, state, columns, pairs, counter, rule, found):  # type: ignore[no-untyped-def]
    """The first candidate that holds, best score first: (attribute, place), its units marked; or (−1, −1)."""
    numbers, _, strict, _, _, weight = columns
    count = _number_candidates(node, state, columns, rule, found)
    count = _category_candidates(node, state, columns, rule, found, count)
    for _ in range(count):
        best = 0
        for other in range(1, count):
            if found[other, 0] < found[best, 0]:
                best = other
        found[best, 0] = np.inf
        attribute, where = int(found[best, 1]), int(found[best, 2])
        if where < 0:
            lo, hi, total, _ = node
            where = median_cut(
                state[0][attribute], lo, hi, numbers[attribute], strict[attribute], weight, total
            )[0]
            if where == lo:
                continue
        left = _mark(node, state, columns, attribute, where)
        if _holds(node, state, pairs, counter, rule, left):
            return attribute, where
    return -1, -1


@njit(cache=True)
def _size(lo, hi, members, weight):  # type: ignore[no-untyped-def]
    records, squares = 0, 0
    for at in range(lo, hi):
        count = weight[members[at]]
        records += count
        squares += count * count
    return records, squares


@njit(cache=True)
def _leaf(nodes, at, lo, hi):  # type: ignore[no-untyped-def]
    nodes[at, 0], nodes[at, 1] = lo, hi
    nodes[at, 2], nodes[at, 3], nodes[at, 4] = -1, -1, -1


@njit(cache=True)
def grow(orders, members, columns, pairs, n_values, rule, fewest):  # type: ignore[no-untyped-def]
    """Split until nothing more holds. Rearranges ``members`` so that every node is a stretch of it.

    ``columns`` = (numbers, within, strict, categories, sizes, weight); ``rule`` = (criterion, 1 − g*, h*, k,
    K, l); a node of fewer than 2·``fewest`` units is not tried. Returns one row per node: lo, hi, attribute
    (−1 of a leaf), place, left child; the right child is the next row. Parents come before children.
    """
    numbers, _, _, _, sizes, weight = columns
    n = len(members)
    side, spare = np.zeros(n, dtype=np.bool_), np.empty(n, dtype=np.int32)
    n_codes = 0
    for size in sizes:
        n_codes += size
    tally = np.zeros((n_codes, 2), dtype=np.int64)
    counter = np.zeros((n_values, 2), dtype=np.int64)
    found = np.empty((len(numbers) + n_codes, 3), dtype=np.float64)
    nodes = np.empty((2 * (n // max(fewest, 1)) + 1, 5), dtype=np.int64)
    _leaf(nodes, 0, 0, n)
    waiting = np.empty(len(nodes), dtype=np.int64)
    waiting[0] = 0
    count, n_waiting = 1, 1
    state = (orders, members, side, tally)
    while n_waiting:
        # The left side comes next: small stretches are finished while they are still in the cache.
        n_waiting -= 1
        at = waiting[n_waiting]
        lo, hi = nodes[at, 0], nodes[at, 1]
        if hi - lo < 2 * fewest:
            continue
        total, squares = _size(lo, hi, members, weight)
        node = (lo, hi, total, squares)
        attribute, where = _choose(node, state, columns, pairs, counter, rule, found)
        if attribute < 0:
            continue
        for j in range(len(orders)):
            _move(orders[j], lo, hi, side, spare)
        border = _move(members, lo, hi, side, spare)
        nodes[at, 2], nodes[at, 3], nodes[at, 4] = attribute, where, count
        _leaf(nodes, count, lo, border)
        _leaf(nodes, count + 1, border, hi)
        waiting[n_waiting], waiting[n_waiting + 1] = count + 1, count
        n_waiting += 2
        count += 2
    return nodes[:count]
