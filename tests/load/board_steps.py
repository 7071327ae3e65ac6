"""The steps of `tests.load.board`, each run in a process of the installation."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from contest.files.storage import submitted
from contest.models import AttackRun, Entry, Phase, Round, StoredBoard, Team
from contest.play.packages import installed_package
from contest.services.answers import submit_answer
from contest.services.phase_clock import run_clock
from datasets.zip_writer import zipped
from games.contract.boxes import write_files
from games.round_folder import read_files
from tests.factories import make_contest, make_entry, make_team
from tests.game_rounds import DAY, attack_files, make_game_round, method_files

GAME = "pwscup2026"
METHODS = ("noise", "swap", "tree", "table-noise", "copula")
ATTACKS = ("reference", "nearest", "blocks", "assignment")
HOUSE = ("reference", "nearest")


def prepare(folder: str, teams: str, params: str) -> dict[str, Any]:
    call_command("migrate", verbosity=0)
    contest = make_contest(slug="board")
    for number in range(int(teams)):
        make_team(contest, f"Team {number:02d}")
    start = time.monotonic()
    now = timezone.now()
    phases = [
        (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
        (Phase.Kind.ATTACK, now + DAY, now + 2 * DAY),
        (Phase.Kind.RESULTS, now + 2 * DAY, now + 3 * DAY),
    ]
    make_game_round(
        contest, installed_package(GAME), {}, "5eed" * 16, params=json.loads(params), attacks=list(HOUSE),
        feedback="bands", phases=phases,
    )  # fmt: skip
    return {"built": time.monotonic() - start, "house": len(HOUSE)}


def make_entries(folder: str) -> int:
    round_ = _round()
    for number, team in enumerate(_teams()):
        _keep(folder, "entries", team, method_files(round_, team, METHODS[number % len(METHODS)]))
    return len(_teams())


def enter(folder: str) -> int:
    round_ = _round()
    for team in _teams():
        make_entry(round_, team, read_files(Path(folder, "entries", str(team.pk))))
    return len(_teams())


def hand_over(folder: str) -> list[str]:
    """The first phase ends now: the clock freezes the entries, and the house attacks them."""
    now = timezone.now()
    Phase.objects.filter(kind=Phase.Kind.ANONYMISE).update(ends_at=now)
    Phase.objects.filter(kind=Phase.Kind.ATTACK).update(starts_at=now)
    return [step.what for step in run_clock()]


def make_answers(folder: str) -> int:
    round_ = _round()
    for number, team in enumerate(_teams()):
        _keep(folder, "answers", team, attack_files(round_, team, ATTACKS[number % len(ATTACKS)]))
    return len(_teams())


def answer(folder: str) -> int:
    round_ = _round()
    for team in _teams():
        content = zipped(read_files(Path(folder, "answers", str(team.pk))))
        member = team.memberships.select_related("user").get().user
        submit_answer(round_, team, member, submitted.put(io.BytesIO(content)))
    return len(_teams())


def outcome(folder: str) -> dict[str, int]:
    """What there must be: every entry valid, every cell judged, every team on the board."""
    done = AttackRun.objects.filter(state=AttackRun.State.DONE)
    main = StoredBoard.objects.get(view=StoredBoard.View.FINAL, name="main")
    return {
        "entries": Entry.objects.filter(state=Entry.State.VALID).count(),
        "cells": done.exclude(attack__team=None).count(),
        "house cells": done.filter(attack__team=None).count(),
        "rows": sum(row["place"] is not None and row["values"]["score"] is not None for row in main.rows),
    }


def _round() -> Round:
    return Round.objects.select_related("contest", "dataset", "game").get()


def _teams() -> list[Team]:
    return list(Team.objects.filter(is_house=False).order_by("pk"))


def _keep(folder: str, kind: str, team: Team, files: dict[str, bytes]) -> None:
    write_files(Path(folder, kind, str(team.pk)), files)
