"""What a game does where it says nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from datasets.tokens import BYTE_ORDER_MARK
from games.contract.declaration import Declaration, File
from games.contract.values import Board, Box, Cell, Figures, Hidden, Out, Row, Target, Verdict, Wrong


def publish_uploads(declaration: Declaration, entry: Target, out: Out) -> None:
    """Publish the uploaded files that everybody may see, as they came or with their rows sorted."""
    for file in declaration.files_of("entry", "upload"):
        if file.shown.all == "never":
            continue
        for name in file.names(slot=entry.slot):
            with entry.upload.open(name) as source, out.create(name) as target:
                content = source.read()
                target.write(content if file.order == "kept" else _sorted(content, file))


def _sorted(content: bytes, file: File) -> bytes:
    """The lines in an order that tells nothing; the first stays where it is a header."""
    head, rows = _parted(content, file)
    return b"".join(line + b"\n" for line in head + sorted(rows))


def rows_of(content: bytes, file: File | None) -> bytes:
    """The lines of a file without its header, where it has one; of undeclared files all."""
    if file is None or not file.columns:
        return content
    return b"\n".join(_parted(content, file)[1])


def _parted(content: bytes, file: File) -> tuple[list[bytes], list[bytes]]:
    """The header, where there is one, and the other lines."""
    lines = content.removeprefix(BYTE_ORDER_MARK).replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
    header = ",".join(column.name for column in file.columns).encode()
    is_headed = file.header == "required" or (file.header == "optional" and lines[0] == header)
    return (lines[:1], lines[1:]) if is_headed else ([], lines)


def verdict_by_limits(declaration: Declaration, measures: Figures, params: Mapping[str, Any]) -> Verdict:
    """What is left of each limit, on the mean. A parameter ``limit-NAME`` bounds the measure NAME."""
    left: dict[str, float] = {}
    broken = []
    for number in declaration.measures:
        limit = params.get(f"limit-{number.name}")
        if limit is None:
            continue
        value = measures.get(number.name)
        value = number.absent if value is None else value
        if value is None or (value > limit if number.better == "lower" else value < limit):
            broken.append(number.name)
        elif number.better == "lower":
            left[number.name] = 1 - value / limit if limit else 1.0
        else:
            room = (number.high if number.high is not None else 1.0) - limit
            left[number.name] = (value - limit) / room if room else 1.0
    utility = 100 * sum(left.values()) / len(left) if left else None
    return Verdict(tuple(broken), None if broken else utility, left)


def cover_by_files(
    declaration: Declaration, answer: Box, targets: Sequence[Target]
) -> Iterator[Wrong | tuple[str, str]]:
    """An answer covers every challenge whose files it holds: those of a target, or of all at once."""
    given = set(answer.names())
    for challenge in declaration.challenges:
        files = [file for file in declaration.files_of("answer") if file.name in challenge.answer]
        for target in targets:
            names = {name for file in files for name in file.names((target.key,), target.slot)}
            if names and names <= given and challenge.slot == target.slot:
                yield target.key, challenge.name


def tally_by_worst_risk(hidden: Sequence[Hidden], cells: Callable[[], Iterator[Cell]]) -> Iterator[Board]:
    """Hiders by utility + 100·(1 − worst risk), seekers by their mean risk over the entries of others."""
    worst: dict[str, float] = {}
    found: dict[str, dict[str, float]] = {}
    for cell in cells():
        risk = cell.result.risk
        if risk is None:
            continue
        worst[cell.target] = max(worst.get(cell.target, 0.0), risk)
        best = found.setdefault(cell.attacker, {})
        best[cell.target] = max(best.get(cell.target, 0.0), risk)
    rows = []
    for one in hidden:
        utility = one.verdict.utility if one.verdict else None
        if one.target is None or one.state not in ("counts", "house") or utility is None:
            rows.append(Row(one.team, {"utility": None, "safety": None, "total": None}, None))
            continue
        safety = 100 * (1 - worst.get(one.target.key, 0.0))
        total = utility + safety
        chain = (-total, -safety, one.received) if one.state == "counts" else None
        rows.append(Row(one.team, {"utility": utility, "safety": safety, "total": total}, chain))
    yield Board("main", ("total", "utility", "safety"), _in_order(rows))
    own = {one.target.key: one.team for one in hidden if one.target is not None}
    seekers = []
    for attacker, risks in sorted(found.items()):
        others = [risk for key, risk in risks.items() if own.get(key) != attacker]
        if others:
            mean = sum(others) / len(others)
            seekers.append(Row(attacker, {"found": mean, "targets": len(others)}, (-mean,)))
    yield Board("attackers", ("found", "targets"), _in_order(seekers))


def _in_order(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row.chain is None, row.chain or (), row.key))
