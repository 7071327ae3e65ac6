"""What the page of an entry says: how far it is, what is wrong with it, what its numbers mean."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from contest import access
from contest.board import queries
from contest.board.official import better_before, counts_instead
from contest.board.ranking import find_ranking, rank
from contest.jobs.queue_estimates import Wait, wait_for
from contest.language.translation import say, say_problem
from contest.models import Attack, AttackRun, Entry, Job
from contest.pages.explanations import cells_of, title_of
from contest.pages.pictures import charts_of_entry
from contest.pages.problem_summary import problem_context
from contest.services.datasets import load_original
from games.formats.attacks import attack as find_attack
from games.formats.texts import Said, found_by, measure_words


@dataclass(frozen=True)
class EntryStage:
    """One stage of an entry's path; status is done, active, waiting or failed."""

    label: str
    status: str
    detail: Any = ""


def entry_context(user: access.Viewer, entry: Entry) -> dict[str, Any]:
    round_ = entry.round
    is_owner = access.owns_entry(user, entry)
    can_organise = access.is_organiser(user, round_.contest)
    sees_individuals = access.sees_individuals(user, entry)
    show_details = is_owner or can_organise
    show_attacks = access.sees_attacks_on(user, entry)
    runs = (
        list(entry.attack_runs.filter(attack__is_dry_run=False).select_related("attack__team"))
        if show_attacks
        else []
    )
    job = Job.objects.filter(entry=entry).order_by("-id").first()
    wait = _wait(entry, runs)
    return {
        "contest": round_.contest,
        "round": round_,
        "entry": entry,
        "steps": steps_of(entry, runs, job, show_attacks),
        "progress": progress_of(entry, runs, job),
        "wait": wait,
        "queue_position": wait.position if wait else None,
        "seconds_left": wait.seconds if wait else None,
        "seconds_at_most": wait.at_most if wait else None,
        "is_settled": entry.is_final and all(run.state in AttackRun.FINAL for run in runs),
        **problem_context(
            [say_problem(problem) for problem in entry.problems] if show_details else [],
            entry.problem_total,
            entry.remarks if show_details else (),
        ),
        "scores": _scores(entry, is_owner),
        "binds": queries.binding(queries.measure_cells(round_, entry)),
        "because": [say(reason) for reason in entry.because],
        "attack_runs": [_run_row(run, entry) for run in runs],
        "show_attacks": show_attacks,
        "safety": _safety(entry) if show_attacks else None,
        **_place(entry, show_attacks, sees_places=access.sees_attacks(user, round_)),
        "weakest": _weakest(entry, runs) if sees_individuals else [],
        "charts": charts_of_entry(entry) if sees_individuals else [],
        "can_see_details": show_details,
        "explained": [(cell, title_of(cell)) for cell in cells_of(user, entry)],
        "can_organise": can_organise,
        "is_owner": is_owner,
        "instead": counts_instead(entry) if is_owner else None,
        "better": better_before(entry) if is_owner else None,
        "order": access.order_behind(user, entry),
    }


def _wait(entry: Entry, runs: list[AttackRun]) -> Wait | None:
    """For the next job of an entry that is checked or scored, then for all attacks the viewer may see."""
    if not entry.is_final:
        return wait_for(Job.objects.filter(entry=entry))
    unfinished = [run.pk for run in runs if run.state not in AttackRun.FINAL]
    return wait_for(Job.objects.filter(attack_run__in=unfinished)) if unfinished else None


def steps_of(entry: Entry, runs: list[AttackRun], job: Job | None, show_attacks: bool) -> list[EntryStage]:
    state = entry.state
    order = ["uploaded", "checking", "scoring", "valid"]
    failed_in = None
    if state in {"invalid", "failed"}:
        failed_in = "scoring" if entry.published else "checking"
    detail = job.step if job and job.state == Job.State.RUNNING else ""
    steps = [EntryStage(_("Uploaded"), "done")]
    for name, label in (("checking", _("Checked")), ("scoring", _("Scored"))):
        if failed_in:
            reached = failed_in == name
            before = order.index(name) < order.index(failed_in)
            steps.append(EntryStage(label, "done" if before else "failed" if reached else "waiting"))
        else:
            position = order.index(state) - order.index(name)
            status = "done" if position > 0 else "active" if position == 0 else "waiting"
            steps.append(EntryStage(label, status, detail if status == "active" else ""))
    if show_attacks:
        done = sum(run.state in AttackRun.FINAL for run in runs)
        status = "waiting" if not runs else "done" if done == len(runs) else "active"
        steps.append(EntryStage(_("Attacked"), status, f"{done}/{len(runs)}" if runs else ""))
    return steps


def progress_of(entry: Entry, runs: list[AttackRun], job: Job | None) -> int:
    """Check and score count for 30 each, the attacks for 40."""
    share = job.progress if job else 0
    if entry.state == Entry.State.UPLOADED:
        return 0
    if entry.state == Entry.State.CHECKING:
        return 30 * share // 100
    if entry.state == Entry.State.SCORING:
        return 30 + (30 * share // 100 if job and job.kind == Job.Kind.SCORE else 0)
    if not runs:
        return 100
    return 60 + 40 * sum(run.state in AttackRun.FINAL for run in runs) // len(runs)


def _scores(entry: Entry, show_details: bool) -> list[dict[str, Any]]:
    details = {score.measure: score.detail for score in entry.scores.all()} if show_details else {}
    return [
        {
            "cell": cell,
            "detail": detail,
            "said": measure_words(cell.name, cell.value, detail) if detail else None,
        }
        for cell in queries.measure_cells(entry.round, entry)
        for detail in (details.get(cell.name, {}),)
    ]


def _run_row(run: AttackRun, entry: Entry) -> dict[str, Any]:
    attack = run.attack
    is_house = attack.kind == Attack.Kind.HOUSE
    return {
        "run": run,
        "title": find_attack(attack.name).title if is_house else attack.label,
        "name": attack.name if is_house else "",
        "url": reverse("method", args=["attacks", attack.name]) if is_house else _attack_url(entry, attack),
        "is_strongest": bool(entry.strongest_attack) and attack.label[:60] == entry.strongest_attack,
    }


def _weakest(entry: Entry, runs: list[AttackRun], most: int = 10) -> list[Said]:
    """The people whom most attacks found, by their public id, with the number of those attacks."""
    counts = Counter(row for run in runs for row in run.found_rows)
    if not counts:
        return []
    dataset = entry.round.dataset
    ids = dataset.spec.people_ids(load_original(dataset))
    n_judged = sum(run.state == AttackRun.State.DONE for run in runs)
    worst = sorted(counts, key=lambda row: (-counts[row], row))[:most]
    return [found_by(str(ids[row]), counts[row], n_judged) for row in worst]


def _attack_url(entry: Entry, attack: Attack) -> str:
    return reverse("attack", args=[entry.round.contest.slug, entry.round.slug, attack.pk])


def _safety(entry: Entry) -> float | None:
    if entry.hits is None or not entry.n_people:
        return None
    return 100 * (entry.n_people - entry.hits) / entry.n_people


def _place(entry: Entry, show_attacks: bool, *, sees_places: bool) -> dict[str, Any]:
    """Total and rank; an entry that is not the official one has a total but no place on the board, and while
    the board stands still, nobody's place is known."""
    ranking = find_ranking(entry.round.ranking)
    if entry.state != Entry.State.VALID or not show_attacks or entry.hits is None:
        return {"total": None, "rank": None, "ranking": ranking}
    total = rank([queries.result_of(entry, True)], ranking)[0].total
    if not entry.is_official or not sees_places:
        return {"total": total, "rank": None, "ranking": ranking}
    place = next(row.rank for row in queries.board(entry.round, None, True) if row.entry_id == entry.pk)
    return {"total": total, "rank": place, "ranking": ranking}
