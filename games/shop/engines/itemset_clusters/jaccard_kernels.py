"""Compiled inner loops of the search for few clusters of item sets.

Customers are the rows of a sparse 0/1 matrix (``indptr``, ``indices``), centres the rows of a dense one
(``centres``, int8). ``distance[k, i]`` is the Jaccard distance of customer i to centre k. For every customer
the nearest and the second nearest centre are kept, as in fast p-median algorithms: then the loss of dropping
any centre is known, and a changed centre costs one pass over the customers.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from arithmetic.elementary import log_of

SLOTS = 48
"""How many centres one proposal may change before it is cut short; it bounds what must be stored."""


@njit(cache=True)
def fill_distances(indptr, indices, centre, row):  # type: ignore[no-untyped-def]
    """Jaccard distance of every customer to one centre."""
    size = 0
    for item in range(len(centre)):
        size += centre[item]
    for i in range(len(indptr) - 1):
        common = 0
        for entry in range(indptr[i], indptr[i + 1]):
            common += centre[indices[entry]]
        union = indptr[i + 1] - indptr[i] + size - common
        row[i] = 1.0 - common / union if union > 0 else 0.0


@njit(cache=True)
def holds(indptr, indices, i, item):  # type: ignore[no-untyped-def]
    """Whether customer i has the item; the indices of a row are sorted."""
    low, high = indptr[i], indptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low < indptr[i + 1] and indices[low] == item


@njit(cache=True)
def toggle_gains(indptr, indices, members, centre, common, union, gain):  # type: ignore[no-untyped-def]
    """For every item of the members: by how much toggling it in the centre lowers the sum of distances.

    Adding x turns I/U into (I+1)/U for owners of x and into I/(U+1) for the others; removing turns it into
    (I−1)/U and I/(U−1). So every gain is a constant for all members plus a term for each owner.
    """
    add_for_all, remove_for_all = 0.0, 0.0
    for item in range(len(gain)):
        gain[item] = 0.0
    for a in range(len(members)):
        i = members[a]
        shared, size = common[a], union[a]
        if size == 0:
            add_for_all += 1.0
            continue
        grown = shared / (size * (size + 1.0))
        shrunk = shared / (size * (size - 1.0)) if size > 1 else 0.0
        add_for_all += grown
        remove_for_all += shrunk
        for entry in range(indptr[i], indptr[i + 1]):
            item = indices[entry]
            gain[item] += -1.0 / size - shrunk if centre[item] else 1.0 / size + grown
    for item in range(len(gain)):
        gain[item] += remove_for_all if centre[item] else -add_for_all


@njit(cache=True)
def climb(indptr, indices, members, centre):  # type: ignore[no-untyped-def]
    """Improve one centre for its members by toggling the best item until none helps."""
    size = 0
    for item in range(len(centre)):
        size += centre[item]
    common, union = np.zeros(len(members)), np.zeros(len(members))
    for a in range(len(members)):
        i = members[a]
        for entry in range(indptr[i], indptr[i + 1]):
            common[a] += centre[indices[entry]]
        union[a] = indptr[i + 1] - indptr[i] + size - common[a]
    gain = np.zeros(len(centre))
    while True:
        toggle_gains(indptr, indices, members, centre, common, union, gain)
        best = 0
        for item in range(len(gain)):
            if gain[item] > gain[best]:
                best = item
        if gain[best] < 1e-9 or (centre[best] and size == 1):
            return
        step = -1 if centre[best] else 1
        centre[best] += step
        size += step
        for a in range(len(members)):
            if holds(indptr, indices, members[a], best):
                common[a] += step
            else:
                union[a] += step


@njit(cache=True)
def rank_all(distance, n_centres, near, second):  # type: ignore[no-untyped-def]
    """Find the nearest and the second nearest centre of every customer; ties go to the smaller number."""
    for i in range(distance.shape[1]):
        rank_one(distance, n_centres, i, near, second)


@njit(cache=True)
def rank_one(distance, n_centres, i, near, second):  # type: ignore[no-untyped-def]
    first, other = 0, -1
    for k in range(1, n_centres):
        if distance[k, i] < distance[first, i]:
            first, other = k, first
        elif other < 0 or distance[k, i] < distance[other, i]:
            other = k
    near[i], second[i] = first, other


@njit(cache=True)
def rank_changed(distance, n_centres, changed, near, second, dirty):  # type: ignore[no-untyped-def]
    """Bring the ranking up to date after some centres moved; marks the clusters whose members changed."""
    is_changed = np.zeros(n_centres, dtype=np.bool_)
    for k in changed:
        is_changed[k] = True
    for i in range(distance.shape[1]):
        before = near[i]
        if is_changed[before] or (second[i] >= 0 and is_changed[second[i]]):
            rank_one(distance, n_centres, i, near, second)
        else:
            for k in changed:
                if distance[k, i] < distance[near[i], i]:
                    near[i], second[i] = k, near[i]
                elif second[i] < 0 or distance[k, i] < distance[second[i], i]:
                    second[i] = k
        if near[i] != before:
            dirty[before] = True
            dirty[near[i]] = True


@njit(cache=True)
def drop_losses(distance, n_centres, near, second):  # type: ignore[no-untyped-def]
    """By how much the sum of distances grows if a centre is dropped, for every centre."""
    losses = np.zeros(n_centres)
    for i in range(distance.shape[1]):
        fallback = distance[second[i], i] if second[i] >= 0 else 1.0
        losses[near[i]] += fallback - distance[near[i], i]
    return losses


@njit(cache=True)
def total_distance(distance, near):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(near)):
        total += distance[near[i], i]
    return total


@njit(cache=True)
def settle(indptr, indices, centres, distance, n_centres, near, second, dirty, rounds):  # type: ignore[no-untyped-def]
    """Alternate between better centres for the members and nearer centres for the customers."""
    for _ in range(rounds):
        changed = np.flatnonzero(dirty[:n_centres])
        if len(changed) == 0:
            return
        order = np.argsort(near)
        starts = np.searchsorted(near[order], np.arange(n_centres + 1))
        for k in changed:
            dirty[k] = False
            if starts[k + 1] > starts[k]:
                climb(indptr, indices, order[starts[k] : starts[k + 1]], centres[k])
                fill_distances(indptr, indices, centres[k], distance[k])
        rank_changed(distance, n_centres, changed, near, second, dirty)


@njit(cache=True)
def drop(centres, distance, n_centres, near, second, dirty, k):  # type: ignore[no-untyped-def]
    """Remove centre k by moving the last one into its place; returns the new number of centres."""
    last = n_centres - 1
    for i in range(len(near)):
        if near[i] == k or second[i] == k:
            near[i] = -1
    centres[k] = centres[last]
    distance[k] = distance[last]
    for i in range(len(near)):
        if near[i] < 0:
            rank_one(distance, last, i, near, second)
            dirty[near[i]] = True
        else:
            near[i] = k if near[i] == last else near[i]
            second[i] = k if second[i] == last else second[i]
    dirty[last] = False
    return last


@njit(cache=True)
def propose(indptr, indices, centres, distance, n_centres, near, second, k, seed, kept):  # type: ignore[no-untyped-def]
    """Move centre k onto a customer's item set and settle nearby; remembers what it overwrote.

    Returns how many centres were overwritten; ``kept`` holds their numbers, centres and distances.
    """
    numbers, old_centres, old_distance = kept
    dirty = np.zeros(n_centres, dtype=np.bool_)
    used = 1
    numbers[0] = k
    old_centres[0] = centres[k]
    old_distance[0] = distance[k]
    centres[k] = 0
    for entry in range(indptr[seed], indptr[seed + 1]):
        centres[k, indices[entry]] = 1
    fill_distances(indptr, indices, centres[k], distance[k])
    rank_changed(distance, n_centres, numbers[:1], near, second, dirty)
    dirty[k] = True
    for _ in range(12):
        changed = np.flatnonzero(dirty)
        if len(changed) == 0 or used + len(changed) > SLOTS:
            break
        for c in changed:
            dirty[c] = False
            members = np.flatnonzero(near == c)
            if len(members) == 0:
                continue
            numbers[used] = c
            old_centres[used] = centres[c]
            old_distance[used] = distance[c]
            used += 1
            climb(indptr, indices, members, centres[c])
            fill_distances(indptr, indices, centres[c], distance[c])
        rank_changed(distance, n_centres, changed, near, second, dirty)
    return used


@njit(cache=True)
def undo(centres, distance, kept, used):  # type: ignore[no-untyped-def]
    """Put back what a proposal overwrote, the latest first."""
    numbers, old_centres, old_distance = kept
    for slot in range(used - 1, -1, -1):
        centres[numbers[slot]] = old_centres[slot]
        distance[numbers[slot]] = old_distance[slot]


@njit(cache=True)
def choose(losses, distance, near, current, rng):  # type: ignore[no-untyped-def]
    """A centre that is cheap to drop (best of five drawn) and a customer drawn by distance to its centre."""
    k = rng.integers(0, len(losses))
    for _ in range(4):
        other = rng.integers(0, len(losses))
        if losses[other] < losses[k]:
            k = other
    left = rng.random() * current
    for i in range(len(near)):
        left -= distance[near[i], i]
        if left <= 0.0:
            return k, i
    return k, len(near) - 1


@njit(cache=True)
def improve(indptr, indices, centres, distance, n_centres, near, second, target, steps, cooling, rng):  # type: ignore[no-untyped-def]
    """Move centres until the sum of distances is within the target; returns the number of steps taken.

    A proposal that makes things worse by δ is accepted with probability exp(−δ / heat), where the heat
    falls to nothing over the steps, by ``cooling`` per step.
    """
    n, m = len(near), centres.shape[1]
    numbers = np.empty(SLOTS + 1, dtype=np.int64)
    kept = (
        numbers,
        np.empty((SLOTS + 1, m), dtype=np.int8),
        np.empty((SLOTS + 1, n), dtype=np.float32),
    )
    old_near, old_second = near.copy(), second.copy()
    current = total_distance(distance, near)
    for step in range(steps):
        if current <= target:
            return step
        losses = drop_losses(distance, n_centres, near, second)
        k, seed = choose(losses, distance, near, current, rng)
        old_near[:] = near
        old_second[:] = second
        used = propose(indptr, indices, centres, distance, n_centres, near, second, k, seed, kept)
        proposed = total_distance(distance, near)
        heat = cooling * (steps - step)
        if proposed < current - heat * log_of(rng.random()):
            current = proposed
        else:
            undo(centres, distance, kept, used)
            near[:] = old_near
            second[:] = old_second
    return steps
