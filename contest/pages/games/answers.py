"""Where teams of a game attack: targets with their files, how an answer looks, and what came of answers."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from contest import access
from contest.board import queries
from contest.board.game_matrix import target_label
from contest.jobs.queue_estimates import wait_for
from contest.language.declared import title_of
from contest.language.translation import say_problem
from contest.models import Attack, AttackRun, Entry, Job, Phase, Round, Team
from contest.models.round import Feedback
from contest.pages.attack import may_run_on_all
from contest.pages.games.data import Download, described
from contest.pages.games.entry import file_url
from contest.pages.games.pictures import NOTHING, Pictured, pictures_of_answer
from contest.pages.games.programs import program_rules
from contest.pages.games.samples import sample
from contest.pages.games.telling import ToldNumber, told_means, told_numbers, told_risk
from contest.pages.problem_summary import problem_context
from contest.pages.targets import Tries, tries_of
from contest.play.table import Table
from contest.services.attacks import attacks_of, targets_of
from contest.services.team_attacks import practice_entries, practice_entry
from games.contract.declaration import Challenge, Declaration

SAMPLE_TARGETS = 2


@dataclass(frozen=True)
class TargetLine:
    """A target, with what its attackers may read of it."""

    entry: Entry
    label: str
    labels: list[tuple[str, str]]
    files: list[Download]
    url: str | None
    """The page of the entry, where this person may open it."""
    tries: int
    best: str


def seek_context(user: access.Viewer, round_: Round, team: Team) -> dict[str, Any]:
    declared = Table(round_).declared
    targets = targets_for(user, round_, team)
    keys = tuple(line.entry.key for line in targets[:SAMPLE_TARGETS]) or ("1",)
    mine = Attack.objects.filter(round=round_, team=team).select_related("team").order_by("-pk")
    return {
        "contest": round_.contest,
        "round": round_,
        "team": team,
        "declared": declared,
        "targets": targets,
        "are_public": access.targets_are_public(round_),
        "phase": queries.open_phase(round_, Phase.Kind.ATTACK),
        "challenges": [_asked(declared, challenge, keys) for challenge in declared.challenges],
        "attacks_left": attacks_left(round_, team),
        "program": program_rules(round_, "seek"),
        "practice": practice_entry(round_, team),
        "practice_is_only": len(practice_entries(round_)) == 1,
        "answers": [answer_summary(user, attack, round_) for attack in mine[:30]],
        "can_pin": round_.tallied_at is None,
    }


def targets_for(user: access.Viewer, round_: Round, team: Team | None) -> list[TargetLine]:
    """What a team may attack now, each with its published files."""
    if not access.targets_are_public(round_):
        return []
    lines = []
    entries = targets_of(round_, team)
    tries = {} if team is None else tries_of(user, round_, team)
    open_ = access.open_targets(user, round_, entries)
    feedback = access.feedback_in(user, round_)
    for entry in entries:
        entry.round = round_
        mine = tries.get(entry.pk, Tries())
        best = told_risk(mine.best.run.risk if mine.best else None, feedback, round_.feedback_bands)
        url = entry.get_absolute_url() if entry.pk in open_ else None
        files = [
            Download(one.name, file_url(entry, one.name), one.sha256)
            for one in access.entry_files(user, entry)
        ]
        labels = sorted(entry.labels.items())
        lines.append(TargetLine(entry, target_label(entry), labels, files, url, mine.count, best))
    return lines


def _asked(declared: Declaration, challenge: Challenge, keys: tuple[str, ...]) -> dict[str, Any]:
    files = [file for file in declared.files_of("answer") if file.name in challenge.answer]
    return {
        "challenge": challenge,
        "files": [
            {"described": described(file), "names": file.names(keys), "sample": sample(file, keys)}
            for file in files
        ],
    }


def attacks_left(round_: Round, team: Team) -> dict[str, int | None]:
    """How many answers a team may still send today and in all."""
    now = timezone.now()
    midnight = _midnight(round_, now)
    mine = attacks_of(round_, team).filter(costs_attempt=True)
    today = max(0, round_.attacks_per_day - mine.filter(created_at__gte=midnight).count())
    if round_.attacks_in_total is None:
        return {"today": today, "per_day": round_.attacks_per_day, "total": None}
    total = max(0, round_.attacks_in_total - mine.count())
    return {"today": min(today, total), "per_day": round_.attacks_per_day, "total": total}


def _midnight(round_: Round, now: datetime.datetime) -> datetime.datetime:
    return now.astimezone(round_.contest.zone).replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True)
class CellLine:
    """One cell of an answer: a target in a challenge, with as much of the outcome as somebody may know."""

    run: AttackRun
    label: str
    risk: str
    baseline: float | None
    numbers: list[ToldNumber]
    reason: Any
    log: str
    pictures: Pictured = NOTHING
    seconds: float | None = None
    url: str | None = None

    @property
    def is_final(self) -> bool:
        return self.run.state in AttackRun.FINAL


def answer_summary(
    user: access.Viewer, attack: Attack, round_: Round, *, pictured: bool = False
) -> dict[str, Any]:
    """An answer, a program or a house attack of a game, with what somebody may see of its cells."""
    attack.round = round_
    declared = Table(round_).declared
    feedback = access.feedback_for(user, attack)
    is_owner, can_organise = access.owns_attack(user, attack), access.is_organiser(user, round_.contest)
    has_ended = access.results_have_begun(round_) or can_organise
    found = attack.runs.select_related("entry__team").order_by("entry__team__name", "entry_id", "pk")
    runs = list(found if is_owner or can_organise else found.defer("log"))
    for run in runs:
        run.entry.round = round_
    open_ = access.open_targets(user, round_, [run.entry for run in runs])
    pictures = pictures_of_answer(user, attack, runs) if pictured else {}
    sections = [
        _section(challenge, runs, feedback, round_, has_ended, is_owner or can_organise, pictures, open_)
        for challenge in declared.challenges
    ]
    done = sum(run.state in AttackRun.FINAL for run in runs)
    method = next((one for one in declared.attacks if one.name == attack.name), None)
    is_settled = done == len(runs) and attack.state not in (Attack.State.UPLOADED, Attack.State.CHECKING)
    problems = [say_problem(problem) for problem in attack.problems] if is_owner or can_organise else []
    return {
        "attack": attack,
        "title": title_of(method) if method and attack.team_id is None else attack.label,
        "sections": [section for section in sections if section["lines"]],
        "n_runs": len(runs),
        "n_done": done,
        "is_settled": is_settled,
        "mean_risk": _mean_risk(runs, feedback, round_),
        "feedback": feedback,
        "is_owner": is_owner,
        "can_organise": can_organise,
        "can_pin": is_owner
        and attack.state == Attack.State.JUDGED
        and not attack.is_pinned
        and round_.tallied_at is None,
        "can_run_on_all": may_run_on_all(user, attack, runs),
        **problem_context(
            problems,
            attack.problem_total if is_owner or can_organise else 0,
            attack.remarks if is_owner or can_organise else (),
        ),
    }


def _section(
    challenge: Challenge, runs: Sequence[AttackRun], feedback: str, round_: Round, has_ended: bool, log: bool,
    pictures: Mapping[int, Pictured], open_: set[int],
) -> dict[str, Any]:  # fmt: skip
    mine = [run for run in runs if run.challenge == challenge.name]
    means = [] if has_ended else told_means(challenge.numbers, [run.numbers for run in mine], feedback)
    lines = [
        CellLine(
            run,
            target_label(run.entry),
            told_risk(run.risk, feedback, round_.feedback_bands),
            run.baseline if feedback == Feedback.FULL else None,
            told_numbers(challenge.numbers, run.numbers, feedback, has_ended=has_ended),
            run.reason if log else "",
            run.log if log else "",
            pictures.get(run.pk, NOTHING),
            run.seconds if log else None,
            run.entry.get_absolute_url() if run.entry_id in open_ else None,
        )
        for run in mine
    ]
    return {
        "challenge": challenge,
        "titles": [title_of(number) for number in challenge.numbers],
        "means": means,
        "totals": _totals(lines, feedback, round_),
        "lines": lines,
    }


def _totals(lines: Sequence[CellLine], feedback: str, round_: Round) -> dict[str, Any] | None:
    """Over the targets of a challenge, where the outcome may be known: mean, highest and lowest risk."""
    judged = sorted(
        (line for line in lines if line.run.risk is not None), key=lambda line: -(line.run.risk or 0.0)
    )
    if not judged or feedback != Feedback.FULL:
        return None
    mean = _mean_risk([line.run for line in judged], feedback, round_)
    return {"mean": mean, "targets": len(judged), "best": judged[0], "worst": judged[-1]}


def _mean_risk(runs: Sequence[AttackRun], feedback: str, round_: Round) -> str:
    risks = [run.risk for run in runs if run.risk is not None]
    if not risks or feedback != Feedback.FULL:
        return "–"
    return told_risk(sum(risks) / len(risks), feedback, round_.feedback_bands)


def attack_context(user: access.Viewer, attack: Attack) -> dict[str, Any]:
    return {
        "contest": attack.round.contest,
        "round": attack.round,
        **answer_summary(user, attack, attack.round, pictured=True),
        "wait": wait_for(Job.objects.filter(attack_run__attack=attack)),
    }
