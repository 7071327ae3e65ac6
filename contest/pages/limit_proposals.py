"""Limits that house entries keep: proposed from what workers have measured of them, so nothing is computed
again."""

from __future__ import annotations

from contest.models import Entry, Round, Score
from games.formats.measures import measures_of
from scoring.proposals import Proposal, limits_kept_by


def proposals(round_: Round) -> list[Proposal]:
    """Limits that 1, 2, … of the round's house entries keep, the strictest first.

    They are on the measures that were taken of all of these entries, by their versions of today. A game has
    parameters instead.
    """
    if round_.game_id is not None:
        return []
    measures = measures_of(round_.dataset.format)
    versions = {measure.name: measure.version for measure in measures}
    house = Entry.objects.filter(round=round_, team__is_house=True, mark=Entry.Mark.NONE)
    measured: dict[int, dict[str, float]] = {}
    scores = Score.objects.filter(entry__in=house.filter(state__in=[Entry.State.VALID, Entry.State.INVALID]))
    for entry, name, version, value in scores.order_by("entry", "pk").values_list(
        "entry", "measure", "version", "value"
    ):
        if versions.get(name) == version:
            measured.setdefault(entry, {})[name] = value
    entries = list(measured.values())
    found = [limits_kept_by(entries, measures, n) for n in range(1, len(entries) + 1)]
    kept = {proposal.kept_by: proposal for proposal in found if proposal is not None}
    return [kept[n] for n in sorted(kept)]
