"""What teams are told about the programs that they may hand in to a round of a game."""

from __future__ import annotations

import io
from typing import Any

from django.http import FileResponse, Http404

from contest.models import Round
from contest.play.programs import hider_starter, hides_logs, seeker_starter
from contest.play.table import Table, has_hiding
from contest.services.team_attacks import MAX_PROGRAM_BYTES
from games.contract.declaration import ProgramKind
from games.programs import HIDER, SEEKER

MIB = 1 << 20


def takes_programs(round_: Round, kind: ProgramKind) -> bool:
    return Table(round_).declared.takes(kind) and (kind == "seek" or has_hiding(round_))


def program_rules(round_: Round, kind: ProgramKind) -> dict[str, Any] | None:
    """The limits of a program and whether its authors get a log; None where the round takes none."""
    if not takes_programs(round_, kind):
        return None
    return {
        "seconds": round_.program_seconds,
        "megabytes": round_.program_megabytes,
        "most_megabytes": MAX_PROGRAM_BYTES // MIB,
        "hides_logs": hides_logs(Table(round_), "publish" if kind == "seek" else "open"),
    }


def starter_answer(round_: Round, challenge: str | None) -> FileResponse:
    """A program to start from: one that answers a challenge, or one that hides."""
    table = Table(round_)
    if challenge is None:
        content, name = _hider(table), HIDER
    else:
        found = next((one for one in table.declared.challenges if one.name == challenge), None)
        if found is None or not takes_programs(round_, "seek"):
            raise Http404
        content, name = seeker_starter(table, found), SEEKER
    return FileResponse(io.BytesIO(content), as_attachment=True, filename=f"{name}.py")


def _hider(table: Table) -> bytes:
    if not takes_programs(table.round, "hide"):
        raise Http404
    return hider_starter(table)
