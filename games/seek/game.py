"""The verbs that all contests of this kind share: cover, judge, attack, tally. Each game says the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from datasets.problems import LINES, MISSING_FILE, BadFiles, Findings
from games.contract import game as contract
from games.contract.files import ROWS_AS_IN
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import (
    Board,
    Box,
    Cell,
    Drawing,
    Fault,
    Figures,
    Hidden,
    Out,
    Question,
    Result,
    Seat,
    Target,
    World,
)
from games.seek.attacks import answers
from games.seek.boards import Tasks, Track, collected, scored
from games.seek.pictures import roc_pictures
from games.seek.roc import Floats, Labels
from games.seek.signals import Exhibit
from games.seek.statistics import BY_NAME, STATISTICS, tpr_interpolated

CHALLENGE = "member"
OPEN = "open"
"""The label of tasks whose truth is public; they can be answered and count nowhere."""


class SeekGame(contract.Game):
    """Organisers publish releases; teams say for each challenge point how sure they are that it was in."""

    answer_file: str
    """The name of the answer to a task."""
    truth_file: str
    open_truth_file: str
    """The truth about a task: secret until the reveal, or open. Both have the column ``truth_column``."""
    truth_column: str
    points_file: str
    """The public file with one row per challenge point, in the order of the answers."""
    rates: Mapping[str, float] = {}
    """Numbers that are always shown beside the statistics: the interpolated TPR at these FPRs."""

    @abstractmethod
    def group_of(self, key: str, labels: Mapping[str, str]) -> str:
        """The group of a task: answered as a whole or left out as a whole."""

    @abstractmethod
    def track_of(self, labels: Mapping[str, str], params: Mapping[str, Any]) -> str:
        """The ranking that a task counts in, or nothing where it does not count in this round."""

    @abstractmethod
    def exhibit(self, world: World, target: Target, rng: np.random.Generator) -> Exhibit:
        """What the house attacks look at."""

    def table(self, box: Box, name: str, scope: Any = "entry") -> Columns:
        return read_columns(self.declaration, box, name, scope)

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        return {}

    def labels_of(self, target: Target) -> Labels:
        is_open = self.open_truth_file in target.published.names()
        box, name = (target.published, self.open_truth_file) if is_open else (target.secret, self.truth_file)
        return self.table(box, name)[self.truth_column]

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Fault | tuple[str, str]]:
        given, counted = set(answer.names()), self._counted(targets, world.params)
        answered = [target for target in targets if self._answer_to(target.key) in given]
        if not answered:
            yield Fault("no-task", self.answer_file)
        for target in answered:
            yield from self._wrong_length(target, answer)
        for group, keys in counted.items():
            missing = [key for key in keys if self._answer_to(key) not in given]
            if len(missing) < len(keys):
                for key in missing:
                    yield Fault("whole-group", self._answer_to(key), values={"group": group, "n": len(keys)})
        for target in answered:
            yield target.key, CHALLENGE

    def _answer_to(self, key: str) -> str:
        return self.answer_file.replace("{target}", key)

    def _counted(self, targets: Sequence[Target], params: Mapping[str, Any]) -> dict[str, list[str]]:
        """The tasks that count in this round, by group."""
        groups: dict[str, list[str]] = {}
        for target in targets:
            if self.track_of(target.labels, params):
                groups.setdefault(self.group_of(target.key, target.labels), []).append(target.key)
        return groups

    def _wrong_length(self, target: Target, answer: Box) -> Iterator[Fault]:
        name = self._answer_to(target.key)
        n = len(self.scores_of(target.key, answer))
        points = self.table(target.published, self.points_file)
        wanted = len(next(iter(points.values())))
        if n != wanted:
            yield Fault("line-count", name, min(n, wanted) + 1, values={"n": wanted, "got": n})

    def scores_of(self, key: str, answer: Box) -> Floats:
        scores: Floats = self.table(answer, self._answer_to(key), "answer")["score"].astype(float)
        return scores

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        scores, labels = self.scores_of(target.key, answer), self.labels_of(target)
        statistic, fpr = BY_NAME[world.params["statistic"]], world.params["fpr"]
        score = scored(world.params, scores, labels)
        numbers = {one.name: one.function(scores, labels, fpr) for one in STATISTICS}
        numbers |= {name: tpr_interpolated(scores, labels, rate) for name, rate in self.rates.items()}
        evidence = {"scores": scores, "labels": labels}
        risk, baseline = statistic.risk(score), statistic.baseline(fpr)
        return Result(risk, {"score": score, **numbers}, baseline, evidence=evidence)

    def answer_pictures(self, world: World, question: Question, result: Result) -> Iterator[Drawing]:
        """The ROC curve, with the rates of the round and those that are always shown."""
        rates = {world.params["fpr"], world.params["other-fpr"], *self.rates.values()}
        return iter(list(roc_pictures(result.evidence["scores"], result.evidence["labels"], rates)))

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        exhibits = {target.key: self.exhibit(world, target, rng) for target in targets}
        known = {target.key: self.labels_of(target) for target in targets if OPEN in target.labels}
        for key, scores in answers(name, exhibits, known, rng).items():
            self._write_answer(out, key, np.round(scores, 9))

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        for target in targets:
            self._write_answer(out, target.key, self.labels_of(target))
        return True

    def _write_answer(self, out: Out, key: str, scores: Any) -> None:
        write_table(out, self._answer_to(key), {"score": scores}, header=False)

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        """The boards of every track. House attacks and teams of the organisers are shown without a place."""
        house = {one.team for one in hidden if one.state == "house"}
        unranked = frozenset(house | {attack.name for attack in self.declaration.attacks})
        for track, tasks in sorted(self._tracks(hidden, params).items()):
            answered = collected(cells(), tasks)
            yield from Track(track, tasks, answered, unranked, params, self.rates).boards(rule)

    def _tracks(self, hidden: Sequence[Hidden], params: Mapping[str, Any]) -> dict[str, Tasks]:
        tracks: dict[str, dict[str, list[str]]] = {}
        for target in (one.target for one in hidden if one.target is not None):
            track = self.track_of(target.labels, params)
            if track:
                group = self.group_of(target.key, target.labels)
                tracks.setdefault(track, {}).setdefault(group, []).append(target.key)
        return dict(tracks)

    def check_brought(self, sources: Box, keys: Sequence[str], names: Mapping[str, str]) -> None:
        """Of each task that organisers bring, one truth with a line per challenge point; raises `BadFiles`.

        ``names`` are the names of the brought files by those of the files that are published of a task.
        """
        for key in keys:
            brought = {short: name.replace("{target}", key) for short, name in names.items()}
            truths = [brought[one] for one in (self.truth_file, self.open_truth_file)]
            there = [name for name in truths if name in sources.names()]
            if len(there) != 1:
                _refuse(there[-1] if there else truths[0], MISSING_FILE(name=" / ".join(truths)))
            points = brought[self.points_file]
            wanted, n = (
                len(next(iter(self.table(sources, name, "round").values()))) for name in (points, there[0])
            )
            if n != wanted:
                _refuse(there[0], ROWS_AS_IN(n=wanted, file=points), LINES(n=n))

    def publish_brought(self, world: World, key: str, names: Mapping[str, str], out: Out) -> None:
        """Copy what organisers brought of a task."""
        for short, name in names.items():
            for box in (world.public, world.secret):
                if name.replace("{target}", key) in box.names():
                    with box.open(name.replace("{target}", key)) as source, out.create(short) as file:
                        file.write(source.read())


def require(sources: Box, name: str) -> None:
    """Refuse what organisers brought where this file is not among it."""
    if name not in sources.names():
        _refuse(name, MISSING_FILE(name=name))


def _refuse(file: str, expected: Any, got: Any = None) -> None:
    found = Findings(file)
    found.add(expected, got=got)
    raise BadFiles(found.verdict())
