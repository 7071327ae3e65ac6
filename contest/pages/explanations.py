"""How was this computed? For every number of an entry: its formula, what went into it, versions and files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from django.conf import settings
from django.http import Http404
from django.utils.translation import gettext as _

from contest import access
from contest.board import queries
from contest.board.ranking import find_ranking
from contest.language.translation import say
from contest.models import Attack, AttackRun, Commitment, Entry, Score
from contest.numbers import whole_number
from games.formats.attacks import attack as find_attack
from games.formats.limits import judged, share_left
from games.formats.measures import measure as find_measure
from scoring.measure import Measurement
from scoring.rules import Limit, evaluate

FOUND = ("safety", "hits", "total", "rank")
"""Cells that reveal what attacks found."""


@dataclass(frozen=True)
class Explanation:
    """``inputs`` are what went in, each perhaps explained by a cell of its own; ``files`` name → sha256."""

    cell: str
    title: str
    value: float | int | None
    formula: str
    inputs: list[tuple[str, object, str]]
    versions: list[tuple[str, object]]
    documentation: str = ""
    files: dict[str, str] = field(default_factory=dict)


def cells_of(user: access.Viewer, entry: Entry) -> list[str]:
    """The cells of an entry that somebody may ask about."""
    if not entry.measures:
        return []
    measured = [limit["measure"] for limit in entry.round.limits if limit["measure"] in entry.measures]
    known = [*measured, "utility"]
    if entry.hits is not None and access.sees_attacks_on(user, entry):
        is_placed = entry.is_official and entry.takes_place and access.sees_attacks(user, entry.round)
        known += [cell for cell in FOUND if cell != "rank" or is_placed]
    return known


def title_of(cell: str) -> str:
    titles = {
        "utility": _("Utility"), "safety": _("Safety"), "hits": _("People found"), "total": _("Total"),
        "rank": _("Place"),
    }  # fmt: skip
    return titles.get(cell) or say(find_measure(cell).title)


def explain(user: access.Viewer, entry: Entry, cell: str) -> Explanation:
    """Explain a cell of an entry that the caller loaded through `access.entry_for`."""
    if cell.startswith("run-"):
        return _run(user, entry, cell)
    if cell not in cells_of(user, entry):
        raise Http404
    explained = {"utility": _utility, "hits": _hits, "safety": _safety, "total": _total, "rank": _rank}
    return explained[cell](entry) if cell in explained else _measure(entry, cell)


def files_of(entry: Entry) -> dict[str, str]:
    """What is public of what went in; the truth's hash is in the commitments of the round."""
    original = {
        _("%(name)s of the original") % {"name": name}: it for name, it in entry.round.dataset.files.items()
    }
    released = {_("%(name)s of the entry") % {"name": name}: it for name, it in entry.published.items()}
    return original | released


def _platform() -> tuple[str, object]:
    return (_("platform"), settings.VERSION)


def _measure(entry: Entry, name: str) -> Explanation:
    measure = find_measure(name)
    limit = next(Limit(**it) for it in entry.round.limits if it["measure"] == name)
    score = Score.objects.filter(entry=entry, measure=name).order_by("-version").first()
    versions: list[tuple[str, object]] = [(_("version of the measure"), score.version if score else "–")]
    if score:
        versions.append((_("measured at"), score.created_at))
    return Explanation(
        name,
        say(measure.title),
        entry.measures[name],
        f"{name}({', '.join(entry.round.dataset.files)}; {', '.join(entry.published)})",
        [(_("Limit"), f"{limit.sign} {limit.limit:.10g}", "")],
        [*versions, _platform()],
        measure.documentation,
        files_of(entry),
    )


def _utility(entry: Entry) -> Explanation:
    limits = [Limit(**it) for it in entry.round.limits]
    measured = {name: Measurement(value) for name, value in entry.measures.items()}
    inputs: list[tuple[str, object, str]] = [
        (
            _share_formula(limit),
            share_left(limit, entry.measures.get(limit.measure)),
            limit.measure,
        )
        for limit in limits
    ]
    formula = "100 · (" + " + ".join(f"{share:.6g}" for _name, share, _cell in inputs) + f") / {len(inputs)}"
    value = judged(measured, limits).score
    text = formula if inputs else "100"
    return Explanation("utility", _("Utility"), value, text, inputs, [_platform()], evaluate.__doc__ or "")


def _share_formula(limit: Limit) -> str:
    """What a limit adds to the utility, as `scoring.rules.evaluate` defines it."""
    best, bound = find_measure(limit.measure).best, f"{limit.limit:.10g}"
    if limit.operator == "<=":
        return f"1 − {limit.measure} / {bound}"
    if best is None:
        return f"{limit.measure} ≥ {bound}"
    if math.isinf(best):
        return f"1 − {bound} / {limit.measure}"
    return f"({limit.measure} − {bound}) / ({best:.10g} − {bound})"


def _hits(entry: Entry) -> Explanation:
    runs = entry.attack_runs.filter(state=AttackRun.State.DONE, attack__is_dry_run=False)
    by_name = runs.select_related("attack__team").order_by("attack__name", "pk")
    best = sorted(by_name, key=lambda run: -(run.hits or 0))
    inputs: list[tuple[str, object, str]] = [(run.attack.label, run.hits, f"run-{run.pk}") for run in best]
    formula = "max(" + ", ".join(str(hits) for _name, hits, _cell in inputs) + ")"
    return Explanation("hits", _("People found"), entry.hits, formula, inputs, [_platform()])


def _safety(entry: Entry) -> Explanation:
    n, hits = entry.n_people or 1, entry.hits or 0
    inputs: list[tuple[str, object, str]] = [
        (_("People in the entry"), n, ""), (_("People found"), hits, "hits")
    ]  # fmt: skip
    value = queries.result_of(entry, True).safety
    return Explanation("safety", _("Safety"), value, f"100 · ({n} − {hits}) / {n}", inputs, [_platform()])


def _total(entry: Entry) -> Explanation:
    rule = find_ranking(entry.round.ranking)
    result = queries.result_of(entry, True)
    inputs: list[tuple[str, object, str]] = [
        (_("Utility"), entry.utility, "utility"), (_("Safety"), result.safety, "safety")
    ]  # fmt: skip
    value = queries.total_of(entry)
    versions: list[tuple[str, object]] = [(_("ranking rule"), rule.name), _platform()]
    return Explanation("total", _("Total"), value, say(rule.formula), inputs, versions)


def _rank(entry: Entry) -> Explanation:
    rule = find_ranking(entry.round.ranking)
    standing = queries.places(entry.round, show_attacks=True)
    place = next((place for place, other in standing if other.pk == entry.pk), None)
    if place is None:
        raise Http404
    near = [(it, other) for it, other in standing if it.rank and abs(it.rank - (place.rank or 0)) <= 1]
    inputs: list[tuple[str, object, str]] = [
        (f"#{it.rank} {other.team.name}", it.total, "total" if other.pk == entry.pk else "")
        for it, other in near
    ]
    board = Commitment.objects.filter(
        round=entry.round, what=Commitment.What.BOARD, withdrawn_at=None
    ).first()
    versions: list[tuple[str, object]] = [(_("ranking rule"), rule.name), _platform()]
    if board:
        versions.append((_("hash of the committed board"), board.sha256))
    formula = " → ".join(say(text) for text in rule.tie_breaks)
    return Explanation("rank", _("Place"), place.rank, formula, inputs, versions)


def _run(user: access.Viewer, entry: Entry, cell: str) -> Explanation:
    """One attack on the entry, by its own number."""
    key = whole_number(cell.removeprefix("run-"))
    if key is None or not access.sees_attacks_on(user, entry):
        raise Http404
    runs = entry.attack_runs.filter(attack__is_dry_run=False, state=AttackRun.State.DONE)
    run = runs.select_related("attack__team").filter(pk=key).first()
    if run is None:
        raise Http404
    attack, n = run.attack, entry.n_people or 1
    is_house = attack.kind == Attack.Kind.HOUSE
    inputs: list[tuple[str, object, str]] = [
        (_("People in the entry"), n, ""),
        (_("share found"), run.risk, ""),
        (_("with 95 % confidence from"), run.low, ""),
        (_("to"), run.high, ""),
        (_("a random guess finds"), run.baseline, ""),
    ]
    files = files_of(entry)
    if run.answer_sha256 and not is_house:
        files[_("the guess")] = run.answer_sha256
    title = say(find_attack(attack.name).title) if is_house else attack.label
    versions: list[tuple[str, object]] = [(_("version of the attack"), attack.version), _platform()]
    return Explanation(cell, title, run.hits, "hits = #{i : Q(i) = P(i)}", inputs, versions, files=files)
