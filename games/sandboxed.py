"""Games that nobody at the site has read: every verb runs in the sandbox, and its answer is checked.

The sandbox itself is handed in, so that this part knows the contract alone. What comes back is one of three:
an answer; a refusal, which teams may read; or a fault of the game, which is the organiser's to see.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from datasets.file_stream import BadStream, StreamLimits, read_stream
from datasets.messages import Message, message_from
from games.apart import ApartGame
from games.cache import Answers
from games.call import BROKEN
from games.contract.broken import (
    NO_ANSWER,
    NOT_FILES,
    OTHER_NUMBER,
    PREFIX,
    STRANGE,
    TOO_LARGE,
    BadAnswer,
    BrokenGame,
    GameFailed,
)
from games.contract.declaration import Declaration
from games.contract.guard import (
    Refusals,
    require_boards,
    require_cover,
    require_facts,
    require_numbers,
    require_result,
    require_targets,
    require_type,
    require_verdict,
)
from games.contract.pictures import require_pictures
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
)
from games.sdk import ENTRY, sdk_files

MIB = 1 << 20
Limits = Mapping[str, float]
"""What a call may use, by the names that the sandbox has for it."""
USUAL: Limits = {
    "cpu_seconds": 60,
    "wall_seconds": 120,
    "memory_bytes": 2048 * MIB,
    "processes": 16,
    "scratch_bytes": 128 * MIB,
    "output_bytes": 64 * MIB,
    "files": 4000,
}
LARGE: Limits = {
    "cpu_seconds": 600,
    "wall_seconds": 900,
    "memory_bytes": 4096 * MIB,
    "scratch_bytes": 512 * MIB,
    "output_bytes": 256 * MIB,
}
SMALL: Limits = {"output_bytes": 8 * MIB, "scratch_bytes": 64 * MIB}
LIMITS: Mapping[str, Limits] = {
    "build": LARGE,
    "attack": LARGE,
    "anonymize": LARGE,
    "judge_all": {**LARGE, "output_bytes": 64 * MIB},
    "tally": LARGE,
    "check": SMALL,
    "verdict": {**SMALL, "cpu_seconds": 10, "wall_seconds": 30},
    "cover": SMALL,
    "pictures": SMALL,
    "answer_pictures": SMALL,
    "answer_pictures_all": {**SMALL, "cpu_seconds": 300, "wall_seconds": 450},
}
"""What differs from the usual, by verb."""
MOST_FILES = 2000
"""Files of an answer, arrays among them."""
MOST_QUESTIONS = 100
"""Questions that are judged by one process."""
MOST_DRAWN = 25
"""Answers whose pictures are drawn by one process: together they have to fit into its answer."""


class Ran(Protocol):
    """How a run in the sandbox ended."""

    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> Message | str: ...
    @property
    def log(self) -> str: ...
    @property
    def output(self) -> bytes | None: ...


Sandbox = Callable[[Mapping[str, bytes], str, Mapping[str, Path], Limits], Ran]
"""Runs one of these files on input folders by name, within limits: ``attacks.sandbox.run_files``."""


class NotIsolated(RuntimeError):
    """The machine cannot isolate anything, so nothing was run; the text says how to fix it."""


class SandboxedRun:
    """A `Run` in the sandbox."""

    def __init__(self, sandbox: Sandbox, limits: Mapping[str, Limits] = LIMITS) -> None:
        self.sandbox, self.limits = sandbox, limits

    def __call__(self, verb: str, game: Path, inside: Path, outside: Path) -> str:
        limits = {**USUAL, **self.limits.get(verb, {})}
        ran = self.sandbox(sdk_files(), ENTRY, {"game": game, "call": inside}, limits)
        if ran.status == "refused":
            raise NotIsolated(str(ran.reason))
        most = int(limits["output_bytes"])
        if ran.output is None:
            own = {"no-output": NO_ANSWER(), "output-too-large": TOO_LARGE(n=most)}
            raise GameFailed(verb, ran.log, ran.status, own.get(ran.status, ran.reason))
        try:
            files = read_stream(ran.output, StreamLimits(MOST_FILES, most))
        except BadStream as error:
            raise BadAnswer(NOT_FILES(expected=error.expected), verb, ran.log) from error
        if BROKEN in files:
            raise BrokenGame(_said(files[BROKEN]), verb, ran.log)
        for name, content in files.items():
            path = outside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return ran.log


def _said(text: bytes) -> Message:
    """What the process says that the game broke; it must be one of our own sentences."""
    try:
        message = message_from(json.loads(text))
    except (ValueError, RecursionError):
        message = None
    return message if message is not None and message.code.startswith(PREFIX) else NO_ANSWER()


class SandboxedGame(ApartGame):
    """The verbs in the sandbox. Everything that is not as the contract says is a `BrokenGame`."""

    def __init__(
        self,
        folder: Path,
        declaration: Declaration,
        sandbox: Sandbox,
        limits: Mapping[str, Limits] = LIMITS,
        answers: Answers | None = None,
        identity: str = "",
    ) -> None:
        super().__init__(folder, declaration, SandboxedRun(sandbox, limits), answers, identity)

    @contextmanager
    def _told(self, verb: str) -> Iterator[None]:
        """A fault that is noticed here names its verb too and has the log of its call."""
        try:
            yield
        except BrokenGame as error:
            error.verb, error.log = error.verb or verb, error.log or self.log
            raise
        except (TypeError, AttributeError) as error:
            # The fields of an answer may hold anything, and no check expects everything.
            raise BadAnswer(STRANGE(), verb, self.log) from error

    def _called(self, verb: str, *arguments: Any, out: Out | None = None) -> Any:
        self.log = ""
        with self._told(verb):
            return super()._called(verb, *arguments, out=out)

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        with self._told("build"):
            facts = super().build(sources, params, rng, out)
            require_facts(facts)
        return facts

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        with self._told("targets"):
            targets = list(super().targets(world))
            require_targets(targets)
        return iter(targets)

    def check(self, world: World, entry: Target) -> Iterator[Fault]:
        with self._told("check"):
            declared = self.declaration.files_of("entry", "upload")
            allowed = Refusals(self.declaration, declared, entry.upload, slot=entry.slot)
            # Verdicts with words of their own are for trusted games: of these, only declared messages.
            faults = (require_type(one, Fault) for one in super().check(world, entry))
            return iter(list(allowed.required(faults)))

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        with self._told("measure"):
            figures = super().measure(world, entry, names)
            require_numbers(names, figures)
        return figures

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        with self._told("verdict"):
            verdict = super().verdict(rule, measures, params)
            require_verdict(self.declaration, verdict)
        return verdict

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Fault | tuple[str, str]]:
        with self._told("cover"):
            said: list[Any] = list(super().cover(world, by, answer, targets))
            require_cover(said, self.declaration, targets)
            allowed = Refusals(self.declaration, self.declaration.files_of("answer"), answer, targets)
            list(allowed.required(one for one in said if isinstance(one, Fault)))
        return iter(said)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        with self._told("judge"):
            result = super().judge(world, challenge, by, target, answer)
            self._require(challenge, result)
        return result

    def judge_all(self, world: World, questions: Sequence[Question]) -> Iterator[Result]:
        """As few processes as possible."""
        for start in range(0, len(questions), MOST_QUESTIONS):
            asked = questions[start : start + MOST_QUESTIONS]
            with self._told("judge_all"):
                results = list(super().judge_all(world, asked))
                if len(results) != len(asked):
                    raise BrokenGame(OTHER_NUMBER(got=len(results), n=len(asked)))
                for question, result in zip(asked, results, strict=True):
                    self._require(question.challenge, result)
            yield from results

    def _require(self, challenge: str, result: Result) -> None:
        require_result([number.name for number in self.declaration.challenge(challenge).numbers], result)

    def pictures(self, world: World, entry: Target) -> Iterator[Drawing]:
        with self._told("pictures"):
            drawn = list(super().pictures(world, entry))
            require_pictures(self.declaration.entry_pictures(), drawn)
        return iter(drawn)

    def answer_pictures(self, world: World, question: Question, result: Result) -> Iterator[Drawing]:
        with self._told("answer_pictures"):
            drawn = list(super().answer_pictures(world, question, result))
            require_pictures(self.declaration.answer_pictures(question.challenge), drawn)
        return iter(drawn)

    def answer_pictures_all(
        self, world: World, judged: Sequence[tuple[Question, Result]]
    ) -> Iterator[Sequence[Drawing]]:
        for start in range(0, len(judged), MOST_DRAWN):
            asked = judged[start : start + MOST_DRAWN]
            with self._told("answer_pictures_all"):
                drawn = list(super().answer_pictures_all(world, asked))
                if len(drawn) != len(asked):
                    raise BrokenGame(OTHER_NUMBER(got=len(drawn), n=len(asked)))
                for (question, _), one in zip(asked, drawn, strict=True):
                    require_pictures(self.declaration.answer_pictures(question.challenge), one)
            yield from drawn

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        with self._told("tally"):
            boards = list(super().tally(rule, params, hidden, cells, earlier))
            known = {one.team for one in hidden} | {one.target.key for one in hidden if one.target}
            known |= {name for cell in cells() for name in (cell.attacker, cell.target)}
            require_boards(boards, known)
        return iter(boards)
