"""When the phases of a round may be: the one rule for bundles, the wizard and the timeline."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from contest.declarations.phase import KIND
from contest.declarations.round import AT_ONCE

KINDS = KIND.values
RESULTS = "results"


class Span(Protocol):
    """A phase, wherever it is stored."""

    @property
    def kind(self) -> str: ...
    @property
    def starts_at(self) -> datetime.datetime: ...
    @property
    def ends_at(self) -> datetime.datetime: ...


SpanT = TypeVar("SpanT", bound=Span)


@dataclass(frozen=True)
class Fault(Generic[SpanT]):
    """What is wrong with a phase; ``before`` is the one that it runs into, or itself."""

    code: str
    phase: SpanT
    before: SpanT


def in_order(phases: Iterable[SpanT]) -> tuple[SpanT, ...]:
    """Phases by their start; where two start together, in the order of the game."""
    return tuple(sorted(phases, key=lambda phase: (phase.starts_at, KINDS.index(phase.kind))))


def faults(phases: Iterable[SpanT], feedback: str) -> Iterator[Fault[SpanT]]:
    """Every phase has a length; they follow each other unless feedback is full."""
    ordered = in_order(phases)
    for phase in ordered:
        if phase.ends_at <= phase.starts_at:
            yield Fault("phase-has-no-length", phase, phase)
    if feedback == AT_ONCE:
        return
    for before, phase in itertools.pairwise(ordered):
        if phase.starts_at < before.ends_at:
            yield Fault("phases-overlap", phase, before)


def may_freeze(phases: Iterable[Span], moment: datetime.datetime) -> bool:
    """Whether a board may stand still from a moment on: while its round is played, before its results."""
    spans = list(phases)
    played = [span for span in spans if span.kind != RESULTS]
    if not played:
        return False
    results = [span.starts_at for span in spans if span.kind == RESULTS]
    last = (
        min([*results, max(span.ends_at for span in played)])
        if results
        else max(span.ends_at for span in played)
    )
    return min(span.starts_at for span in played) <= moment <= last
