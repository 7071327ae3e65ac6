"""Boards of a round without a hiding phase: scores of tasks become places, in one of four declared ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from games.contract.values import Board, Cell, Figures, Row
from games.seek.roc import Floats, Labels
from games.seek.statistics import BY_NAME, STATISTICS, total_weight, tpr_at_most, tpr_interpolated

WON = "won"
Tasks = Mapping[str, Sequence[str]]
"""The tasks of a track that count, by group."""


class Answer(NamedTuple):
    """What an attacker said about a task, and the truth."""

    scores: Floats
    labels: Labels


Answers = Mapping[str, Answer]
"""Of one attacker, by task."""


def scored(params: Mapping[str, Any], scores: Floats, labels: Labels) -> float:
    """The score of an answer by the statistic of the round; too unsure an answer counts as a constant one."""
    statistic, fpr = BY_NAME[params["statistic"]], params["fpr"]
    if total_weight(scores) < params["least-weight"]:
        return statistic.constant(fpr)
    return statistic.value(scores, labels, fpr)


def pooled(answers: Sequence[Answer]) -> Answer:
    """The points of several tasks as those of one."""
    return Answer(*(np.concatenate([getattr(one, part) for one in answers]) for part in Answer._fields))


def collected(cells: Iterator[Cell], tasks: Tasks) -> dict[str, dict[str, Answer]]:
    """The answers to these tasks by attacker."""
    counted = {key for keys in tasks.values() for key in keys}
    found: dict[str, dict[str, Answer]] = {}
    for cell in cells:
        if cell.target in counted:
            evidence = cell.result.evidence
            answer = Answer(evidence["scores"], evidence["labels"])
            found.setdefault(cell.attacker, {})[cell.target] = answer
    return found


class Track:
    """A contest with a ranking of its own: its tasks by group, and what each attacker answered."""

    def __init__(
        self, name: str, tasks: Tasks, answers: Mapping[str, Answers], unranked: frozenset[str],
        params: Mapping[str, Any], rates: Mapping[str, float] = {},
    ) -> None:  # fmt: skip
        self.name, self.tasks, self.params, self.unranked, self.rates = name, tasks, params, unranked, rates
        self.answers = dict(sorted(answers.items()))
        self.keys = [key for group in sorted(tasks) for key in sorted(tasks[group])]
        self.constant = BY_NAME[params["statistic"]].constant(params["fpr"])
        self.scores = {
            attacker: {key: scored(params, *answer) for key, answer in given.items()}
            for attacker, given in self.answers.items()
        }

    def boards(self, rule: str) -> Iterator[Board]:
        yield RULES[rule](self)
        yield self._information()
        yield self._by_task()

    def board(self, columns: Sequence[str], rows: Mapping[str, Figures], order: Sequence[str]) -> Board:
        """Rows by the columns of ``order``, the highest first; the house and the organisers have no place."""
        made = []
        for attacker, values in rows.items():
            chain = tuple(-self._for_rank(name, values[name]) for name in order)
            made.append(Row(attacker, values, None if attacker in self.unranked else chain))
        made.sort(key=lambda row: (row.chain is None, row.chain or (), row.key))
        return Board(self.name, tuple(columns), made)

    def _for_rank(self, name: str, value: float | None) -> float:
        """A score as it is ranked; tasks won are counted, not rounded."""
        decimals = self.params["rank-decimals"]
        value = self.constant if value is None else value
        return value if decimals is None or name == WON else round(value, int(decimals))

    def mean(self, attacker: str) -> float:
        """Over all tasks; one without an answer counts as a constant answer."""
        scores = self.scores[attacker]
        return sum(scores.get(key, self.constant) for key in self.keys) / len(self.keys)

    def by_task(self, attacker: str) -> dict[str, float | None]:
        return {key: self.scores[attacker].get(key) for key in self.keys}

    def group(self, attacker: str, group: str) -> float | None:
        """The score over the points of all tasks of a group together; None where one has no answer."""
        given = self.answers[attacker]
        if not all(key in given for key in self.tasks[group]):
            return None
        return scored(self.params, *pooled([given[key] for key in sorted(self.tasks[group])]))

    def wins(self) -> dict[str, float]:
        """How many tasks each ranked attacker has won; ``tied-wins`` says what a shared first place gives."""
        won = dict.fromkeys((one for one in self.scores if one not in self.unranked), 0.0)
        for key in self.keys:
            of_task = {one: self.scores[one][key] for one in won if key in self.scores[one]}
            best = [one for one, score in of_task.items() if score == max(of_task.values())]
            worth = {"all": 1.0, "shared": 1 / max(1, len(best)), "none": float(len(best) == 1)}
            for one in best:
                won[one] += worth[self.params["tied-wins"]]
        return won

    def _information(self) -> Board:
        """Every statistic over all points that an attacker answered, for information only."""
        rows, fpr = [], self.params["fpr"]
        for attacker, given in self.answers.items():
            together = pooled([given[key] for key in sorted(given)])
            values = {one.name: one.function(*together, fpr) for one in STATISTICS}
            values["tpr-other"] = tpr_at_most(*together, self.params["other-fpr"])
            values |= {name: tpr_interpolated(*together, rate) for name, rate in self.rates.items()}
            rows.append(Row(attacker, values, None))
        columns = (*(one.name for one in STATISTICS), "tpr-other", *self.rates)
        return Board(f"{self.name}-information", columns, rows)

    def _by_task(self) -> Board:
        """How hard each task is: the best and the mean score, and how many answered it."""
        rows = []
        for key in self.keys:
            of_task = [scores[key] for scores in self.scores.values() if key in scores]
            mean = sum(of_task) / len(of_task) if of_task else None
            values = {"best": max(of_task, default=None), "mean": mean, "answers": float(len(of_task))}
            rows.append(Row(key, values, None))
        return Board(f"{self.name}-tasks", ("best", "mean", "answers"), rows)


def _by_wins(track: Track) -> Board:
    won = track.wins()
    rows = {one: {WON: won.get(one), "mean": track.mean(one), **track.by_task(one)} for one in track.answers}
    return track.board((WON, "mean", *track.keys), rows, (WON, "mean"))


def _by_mean(track: Track) -> Board:
    rows = {one: {"mean": track.mean(one), **track.by_task(one)} for one in track.answers}
    return track.board(("mean", *track.keys), rows, ("mean",))


def _by_pool(track: Track) -> Board:
    """One pool of all points; an attacker that left a group out has the score of a constant answer."""
    rows: dict[str, Figures] = {}
    for one, given in track.answers.items():
        whole = all(key in given for key in track.keys)
        together = pooled([given[key] for key in track.keys]) if whole else None
        rows[one] = {"score": scored(track.params, *together) if together else track.constant}
    return track.board(("score",), rows, ("score",))


def _by_best_group(track: Track) -> Board:
    rows: dict[str, Figures] = {}
    for one in track.answers:
        groups = {group: track.group(one, group) for group in sorted(track.tasks)}
        best = max((score for score in groups.values() if score is not None), default=None)
        rows[one] = {"score": best, **groups}
    return track.board(("score", *sorted(track.tasks)), rows, ("score",))


RULES: Mapping[str, Callable[[Track], Board]] = {
    "tasks-won": _by_wins,
    "mean": _by_mean,
    "pooled": _by_pool,
    "best-group": _by_best_group,
}
