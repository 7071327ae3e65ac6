"""The verbs of the shop games: formats, measures, attacks and methods, called through the contract."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from datasets.tables import Integers
from games.contract import game as contract
from games.contract.values import (
    Board,
    Box,
    Cell,
    Fault,
    Figures,
    FileVerdict,
    Hidden,
    Out,
    Result,
    Seat,
    Target,
    Verdict,
    World,
    Wrong,
)
from games.shop.attacks.registry import attack as find_attack
from games.shop.data.rules import FileRules, measure_options
from games.shop.formats import CheckedUpload, Format, find_format
from games.shop.guessing import Game as Play
from games.shop.guessing import Outcome, find_game
from games.shop.guessing import Target as Case
from games.shop.limits import judged, limits_of, loss_of, share_left, upper_limits
from games.shop.measures.registry import measure as find_measure
from games.shop.measures.registry import measures_of
from games.shop.methods.registry import make_entry
from games.shop.tables import (
    build_original,
    in_folder,
    read_truth,
    readable_facts,
    same,
    write_out,
    write_truth,
)
from games.shop.tally import boards_by
from scoring.measure import Measurement
from scoring.run import measure_pair

GUESS = "guess.json"
"""The whole guess of a house attack, with what the file of a team cannot say, such as ties."""
BAD_GUESS = "bad-guess"
SEEDS = 2**31


class ShopGame(contract.Game):
    """A contest of `games.shop.formats` and `games.shop.guessing` through the contract."""

    format_name: ClassVar[str]
    challenge: ClassVar[str]
    answers: ClassVar[tuple[str, ...]]
    """The files with which a team may answer, within the folder of the target."""

    @property
    def spec(self) -> Format:
        return find_format(self.format_name)

    @property
    def play(self) -> Play:
        return find_game(self.format_name)

    @abstractmethod
    def n_released(self, released: Any) -> int:
        """How many people a guess is about, as far as the released tables say."""

    @abstractmethod
    def is_sound(self, guess: Any, case: Case) -> bool:
        """Whether a guess that came as bytes is about these tables."""

    def joined(self, guesses: Mapping[str, Any]) -> Any:
        """One guess from those of several files."""
        (guess,) = guesses.values()
        return guess

    def more_numbers(self, guess: Any, case: Case, truth: Integers) -> Figures:
        """Numbers of a result beyond those of every shop game."""
        return {}

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        seed = int(rng.integers(SEEDS)) if params["seed"] is None else params["seed"]
        original = build_original(self.spec, sources, params["customers"], seed)
        write_out(out, self.spec.original_files, lambda folder: self.spec.write_original(folder, original))
        return readable_facts(self.spec.facts(original))

    def original(self, world: World) -> Any:
        def read() -> Any:
            with in_folder(world.public, same(self.spec.original_files)) as folder:
                return self.spec.read_original(folder)

        return world.public.memo("original", read)

    def released(self, target: Target) -> Any:
        def read() -> Any:
            with in_folder(target.published, same(self.spec.public_files)) as folder:
                return self.spec.read_released(folder)

        return target.published.memo("released", read)

    def truth(self, target: Target) -> Integers:
        return target.secret.memo("truth", lambda: read_truth(target.secret))

    def rules(self, params: Mapping[str, Any]) -> FileRules:
        return FileRules(**{name: params[name] for name in self.spec.rules if name in params})

    def checked(self, world: World, entry: Target) -> CheckedUpload:
        """The verdict of the format's own reader, which reads an upload once for checking and publishing."""
        rules = self.rules(world.params)

        def check() -> CheckedUpload:
            there = set(entry.upload.names())
            files = {name: entry.upload.open(name) for name in self.spec.upload_names if name in there}
            try:
                return self.spec.check_upload(files, self.original(world), rules)
            finally:
                for file in files.values():
                    file.close()

        return entry.upload.memo(("checked", rules), check)

    def check(self, world: World, entry: Target) -> Iterator[Wrong]:
        verdict = self.checked(world, entry).verdict
        if not verdict.ok:
            yield verdict

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        neutral = self.checked(world, entry).neutral
        if neutral is None:
            raise ValueError("An upload with problems cannot be published.")
        released = neutral.released
        write_out(out, self.spec.public_files, lambda folder: self.spec.write_released(folder, released))
        write_truth(out, neutral.truth)

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        tables = self.spec.measured(self.original(world), self.released(entry), self.truth(entry))
        options = measure_options(self.rules(world.params))
        measured = measure_pair(*tables, [find_measure(name) for name in names], options=options)
        values = {name: float(measurement.value) for name, measurement in measured.items()}
        return {name: value if math.isfinite(value) else None for name, value in values.items()}

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        """By the limits; the parts are what each limit leaves, and the loss of utility."""
        limits = limits_of(params, measures_of(self.format_name))
        values = {name: Measurement(value) for name, value in measures.items() if value is not None}
        broken = tuple(limit.measure for limit in limits if not limit.holds(measures.get(limit.measure)))
        parts = {limit.measure: share_left(limit, measures.get(limit.measure)) for limit in limits}
        return Verdict(broken, judged(values, limits).score, {**parts, "loss": loss_of(measures, limits)})

    def case(self, world: World, target: Target) -> Case:
        original, released = self.original(world), self.released(target)
        return Case(
            n_original=len(self.spec.people_ids(original)),
            n_released=self.n_released(released),
            original=lambda: original,
            released=lambda: released,
        )

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Wrong | tuple[str, str]]:
        given = set(answer.names())
        for target in targets:
            if given & {f"{target.key}/{name}" for name in (*self.answers, GUESS)}:
                _, wrong = self.guess(world, target, answer)
                yield from wrong or [(target.key, self.challenge)]

    def guess(self, world: World, target: Target, answer: Box) -> tuple[Any, tuple[Wrong, ...]]:
        """The guess about a target, and what is wrong with its files; read once per answer and target."""
        return answer.memo(("guess", target.key), lambda: self._read_guess(world, target, answer))

    def _read_guess(self, world: World, target: Target, answer: Box) -> tuple[Any, tuple[Wrong, ...]]:
        case, given = self.case(world, target), set(answer.names())
        whole = f"{target.key}/{GUESS}"
        if whole in given:
            guess = self._from_bytes(answer, whole, case)
            return guess, () if guess is not None else (Fault(BAD_GUESS, whole),)
        guesses, wrong = {}, []
        for name in self.answers:
            path = f"{target.key}/{name}"
            if path in given:
                with answer.open(path) as file:
                    guesses[name], verdict = self.play.check(file, case)
                if not verdict.ok:
                    wrong.append(_about(verdict, path))
        return (None if wrong else self.joined(guesses)), tuple(wrong)

    def _from_bytes(self, answer: Box, name: str, case: Case) -> Any:
        with answer.open(name) as file:
            content = file.read()
        try:
            guess = self.play.from_bytes(content)
            return guess if self.is_sound(guess, case) else None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError):
            return None

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        guess, wrong = self.guess(world, target, answer)
        if wrong:
            raise ValueError("An answer with problems cannot be judged.")
        case, truth = self.case(world, target), self.truth(target)
        return _result(self.play.judge(guess, case, truth), self.more_numbers(guess, case, truth))

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        """Every target is attacked with the same randomness: its result does not depend on the others."""
        original, function = self.original(world), find_attack(name).function
        for target in targets:
            self._write_guess(out, target, function(original, self.released(target), copy.deepcopy(rng)))

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        for target in targets:
            self._write_guess(out, target, self.play.right(self.case(world, target), self.truth(target)))
        return True

    def _write_guess(self, out: Out, target: Target, guess: Any) -> None:
        with out.create(f"{target.key}/{GUESS}") as file:
            file.write(self.play.as_bytes(guess))

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        limits = upper_limits(limits_of(world.params, measures_of(self.format_name)))
        made = make_entry(name, self.original(world), limits, rng, params)
        write_out(out, self.spec.upload_names, lambda folder: self.spec.write_entry(folder, made.release))

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        return boards_by(rule, hidden, cells())


def _about(verdict: FileVerdict, name: str) -> FileVerdict:
    """The same problems, of the file under the name that the answer gives it."""
    problems = tuple(replace(problem, file=name) for problem in verdict.problems)
    counts = tuple(((name, column, code), n) for (_, column, code), n in verdict.counts)
    return FileVerdict(problems, verdict.total, counts)


def _result(outcome: Outcome, more: Figures) -> Result:
    judged = outcome.judgement
    numbers = {
        "hits": judged.hits,
        "guesses": outcome.guesses,
        "of": judged.n_released,
        "expected": judged.expected_hits,
        **more,
    }
    interval, found = (judged.low, judged.high), {"found": outcome.found}
    return Result(judged.rate, numbers, judged.baseline, interval, found)
