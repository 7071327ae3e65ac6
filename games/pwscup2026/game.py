"""The verbs of PWSCUP 2026; the modules beside this one do the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract import game as contract
from games.contract.declaration import Scope
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
    Verdict,
    World,
    Wrong,
)

from .answers import AIA, MIA, RECORD, confidences, long_faults, read_wide, times, wide_faults, write_long
from .attribute import attribute
from .boards import tally
from .checks import TOKEN, C, Sheet, release_faults, token_faults
from .layout import HOUSE, Flags, Floats, by_record, clipped, released, size
from .membership import chance, membership
from .methods import entry as entry_of
from .pictures import correlations, marginals, membership_curves, survival
from .reference import Reference, read_reference
from .seeking import ATTACKS, density, density_ratio, scale_of
from .utility import Original, original_of, utilities
from .world import Worlds

MOST_FAULTS = 100
CHALLENGES = ("mia", "aia")


class Game(contract.Game):
    """Hide a cohort of health checks; seekers say who is in it, and until when people were observed."""

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        return Worlds(self.declaration).build(sources, params, rng, out)

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        Worlds(self.declaration).allot(world, seat, rng, out)

    def check(self, world: World, entry: Target) -> Iterator[Wrong]:
        return islice(self._faults(world, entry), MOST_FAULTS)

    def _faults(self, world: World, entry: Target) -> Iterator[Fault]:
        assert entry.seat is not None
        yield from token_faults(entry.upload, entry.seat.files)
        known = None
        if world.params["prefectures"] == "known":
            tables = (self._table(world.public, "A_bg.csv"), self._table(entry.seat.files, "B.csv"))
            known = frozenset(place for table in tables for place in table["prefecture"].tolist())
        yield from release_faults(entry.upload.load(C, _sheet), self._table(entry.upload, C), known)

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """The rows sorted by all columns, whole numbers without a point."""
        write_table(out, C, self._release(entry.upload))

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        release = self._release(entry.upload)
        found = dict(utilities(self._original(world, entry), release, world.params["formulas"]))
        if "protection" in names:
            found["protection"] = self._protection(world, entry, release)
        return {name: found[name] for name in names}

    def _original(self, world: World, entry: Target) -> Original:
        assert entry.seat is not None
        box = entry.seat.files

        def made() -> Original:
            cohort = by_record(self._table(box, "B_self.csv"))
            reference: Reference = box.load("utility_ref.json", read_reference)
            public = self._table(world.public, "A_bg.csv")
            return original_of(cohort, cohort["is_rare"] == 1, reference, public, world.params["trees"])

        return box.memo("original", made)

    def _protection(self, world: World, entry: Target, release: Columns) -> float | None:
        """1 − the score of the reference attack by the cohort of the house, which has none of its own."""
        assert entry.seat is not None
        if entry.seat.number == HOUSE:
            return None
        candidates = by_record(self._table(world.secret, f"cohorts/B_{HOUSE}.csv"))
        background = self._table(world.public, "A_bg.csv")
        below = world.public.memo("house density", lambda: _density_below(candidates, background))
        confidence = density_ratio(candidates, release, background, below)
        theirs = self._table(entry.seat.secret, "pool_ids.csv")["pool_id"]
        is_member, is_rare = np.isin(candidates["pool_id"], theirs), candidates["is_rare"] == 1
        return 1 - membership(confidence, is_member, is_rare, world.params["fpr"]).score

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        parts = {name: measures[name] for name in ("u-gen", "u-spec", "u-rare", "u-valid", "protection")}
        return Verdict((), measures["utility"], parts)

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Wrong | tuple[str, str]]:
        assert by is not None
        yield from token_faults(answer, by.files)
        missing = [name for name in (MIA, AIA) if name not in answer.names()]
        if missing:
            yield Fault("both-files", missing[0])
            return
        challenges = {_number(one): self._table(one.seat.files, "aia_challenge.csv")
                      for one in _asked_about(targets) if one.seat}  # fmt: skip
        practice, records = world.params["practice"], self._table(by.files, "B.csv")[RECORD]
        wide, rows = read_wide(answer), self._table(answer, AIA, "answer")
        yield from wide_faults(wide, records, by.number, list(challenges), practice)
        yield from long_faults(rows, challenges, by.number, practice)
        given = set(rows["target_k"].tolist())
        for target in _others(by, targets):
            number = _number(target)
            if str(number) in wide.labels:
                yield target.key, "mia"
            if number in given:
                yield target.key, "aia"

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        assert by is not None
        assert target.seat is not None
        if challenge == "mia":
            return self._judge_membership(world, by, target.seat, answer)
        truth = self._table(target.seat.files, "aia_truth.csv")
        guessed = times(self.declaration, answer, target.seat.number, truth["challenge_row_id"])
        found = attribute(guessed, truth, world.params["within"], world.params["dead-zone"])
        floor = float(self._table(target.seat.files, "floor.csv")["aia_floor"][0])
        score = clipped(found.score - floor)
        numbers = {name.replace("_", "-"): value for name, value in found._asdict().items()}
        return Result(score, {"score": score, **numbers}, 0.0)

    def _asked(self, by: Seat, other: Seat, answer: Box) -> tuple[Floats, Flags, Flags]:
        """How sure an answer is of each person, who is in the other cohort, and who is rare."""
        mine = by_record(self._table(by.secret, "pool_ids.csv"))
        theirs = self._table(other.secret, "pool_ids.csv")["pool_id"]
        is_member, is_rare = np.isin(mine["pool_id"], theirs), mine["is_rare"] == 1
        return confidences(answer, other.number, mine[RECORD]), is_member, is_rare

    def _judge_membership(self, world: World, by: Seat, other: Seat, answer: Box) -> Result:
        confidence, is_member, is_rare = self._asked(by, other, answer)
        params = world.params
        found = membership(confidence, is_member, is_rare, params["fpr"])
        with world.secret.open("seed.txt") as file:
            seed = f"{file.read().decode()}\0{by.number}\0{other.number}"
        n_members = int(is_member.sum())
        luck = chance(confidence, n_members, is_rare, params["fpr"], params["permutations"], seed)
        numbers = {**found._asdict(), "score": found.score, "level": luck.level,
                   "excess": max(0.0, found.score - luck.level)}  # fmt: skip
        return Result(found.score, numbers, luck.mean)

    def pictures(self, world: World, entry: Target) -> Iterator[Drawing]:
        assert entry.seat is not None
        cohort, release = self._table(entry.seat.files, "B.csv"), self._release(entry.upload)
        yield from marginals(cohort, release)
        yield correlations(cohort, release)
        yield from survival(cohort, release)

    def answer_pictures(self, world: World, question: Question, result: Result) -> Iterator[Drawing]:
        if question.challenge != "mia":
            return
        assert question.by is not None
        assert question.target.seat is not None
        asked = self._asked(question.by, question.target.seat, question.answer)
        yield from membership_curves(*asked, world.params["fpr"])

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        assert by is not None
        own, background = self._table(by.files, "B.csv"), self._table(world.public, "A_bg.csv")
        wide: dict[int, Floats] = {}
        long: dict[int, tuple[npt.NDArray[Any], Floats]] = {}
        below = None
        if name == "reference":
            below = by.files.memo("own density", lambda: _density_below(own, background))
        for target in _others(by, targets):
            number, asked = _number(target), self._table(target.seat.files, "aia_challenge.csv")  # type: ignore[union-attr]
            if name == "blind":
                confidence, guessed = rng.random(size(own)), 10 * rng.random(size(asked))
            else:
                release = self._release(target.published)
                membership_of, time_of = ATTACKS[name]
                confidence = membership_of(own, release, background, below)
                guessed = time_of(asked, release, background)
            wide[number], long[number] = confidence, (asked["challenge_row_id"], guessed)
        self._write_answer(out, by, own, wide, long)

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        """Members of each target, and the true time of members only."""
        own = self._table(by.secret, "pool_ids.csv")
        wide, long = {}, {}
        for target in _others(by, targets):
            assert target.seat is not None
            theirs = self._table(target.seat.secret, "pool_ids.csv")["pool_id"]
            wide[_number(target)] = np.isin(own["pool_id"], theirs).astype(float)
            truth = self._table(target.seat.files, "aia_truth.csv")
            guessed = np.where(truth["label"] == "member", truth["time"], truth["time"] + 100)
            long[_number(target)] = (truth["challenge_row_id"], guessed)
        self._write_answer(out, by, own, wide, long)
        return True

    def _write_answer(
        self, out: Out, by: Seat, own: Columns, wide: Mapping[int, Floats],
        long: Mapping[int, tuple[npt.NDArray[Any], Floats]],
    ) -> None:  # fmt: skip
        labelled = {str(number): confidence for number, confidence in wide.items()}
        write_table(out, MIA, {RECORD: own[RECORD], **labelled})
        write_long(out, long)
        _copy_token(by, out)

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        assert seat is not None
        write_table(out, C, entry_of(name, self._table(seat.files, "B.csv"), params, rng))
        _copy_token(seat, out)

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        return tally(rule, params, hidden, cells, earlier)

    def _release(self, box: Box) -> Columns:
        return box.memo("release", lambda: released(self._table(box, C, "entry")))

    def _table(self, box: Box, name: str, scope: Scope | None = None) -> Columns:
        return read_columns(self.declaration, box, name, scope)


def _sheet(source: Any) -> Sheet:
    return Sheet(source.read())


def _number(target: Target) -> int:
    """The number of a target is that of its cohort, which is that of its seat."""
    assert target.seat is not None
    return target.seat.number


def _asked_about(targets: Sequence[Target]) -> list[Target]:
    """One release per cohort: an answer names cohorts, so of several of the house it is about the first."""
    first: dict[int, str] = {}
    for target in targets:
        number = _number(target)
        first[number] = min(first.get(number, target.key), target.key)
    return [target for target in targets if target.key == first[_number(target)]]


def _others(by: Seat, targets: Sequence[Target]) -> list[Target]:
    return [target for target in _asked_about(targets) if _number(target) != by.number]


def _density_below(candidates: Columns, background: Columns) -> Floats | None:
    scale = scale_of(background)
    return density(scale(candidates), scale(background))


def _copy_token(seat: Seat, out: Out) -> None:
    with seat.files.open(TOKEN) as source, out.create(TOKEN) as file:
        file.write(source.read())
