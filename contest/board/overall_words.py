"""The overall result in words and as files: the rule in sentences, CSV, and plain data."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from contest.board.overall import LeftOut, Overall
from contest.files.spreadsheet import csv_text

TIES = "last-round-first, registered-first"
"""The name of the chain that orders equal totals."""


def rule_in_words(overall: Overall) -> list[str]:
    """How the overall total is computed, in sentences."""
    said = []
    if overall.rounds:
        said = [
            _("Overall total = %(formula)s, a weighted mean of the totals of the rounds.")
            % {"formula": formula(overall)},
            _("The lower total wins.") if overall.lower_wins else _("The higher total wins."),
            _("A round in which a team has no total counts %(absent)s for it.")
            % {"absent": f"{overall.absent:g}"},
            _(
                "Of equal totals the better one of the last round wins, then of the round before it, and so "
                "on, then the team that registered first."
            ),
            _("An entry that was shot down has no total. The house does not compete."),
        ]
    return [*said, *(left_out_in_words(round_) for round_ in overall.left_out)]


def formula(overall: Overall) -> str:
    """The weights as shares of one, with the names of the rounds.

    >>> from contest.board.overall import CountedRound
    >>> rounds = [CountedRound(name, name, weight, False, 2, {}) for name, weight in (("A", 1), ("B", 9))]
    >>> formula(Overall(rounds))
    '0.1 × A + 0.9 × B'
    """
    parts = zip(overall.shares, overall.rounds, strict=True)
    return " + ".join(f"{share:.4g} × {round_.name}" for share, round_ in parts)


def left_out_in_words(round_: LeftOut) -> str:
    texts = {
        "weight": _("%(round)s has the weight 0 and does not count."),
        "results": _("%(round)s does not count yet: its results are not public."),
        "board": _("%(round)s does not count: its board is not shown to everybody."),
        "direction": _("%(round)s does not count: which totals win there is the reverse of the last round."),
    }
    return texts[round_.why] % {"round": round_.name}


def overall_data(overall: Overall, track: str = "", tracked: bool = False) -> dict[str, Any]:
    """Everything with every digit, without a key of this database; all teams, or those of a track."""
    return {
        "lower_wins": overall.lower_wins,
        "absent": overall.absent,
        "ties": TIES,
        "rounds": [
            {"slug": round_.slug, "name": round_.name, "weight": round_.weight} for round_ in overall.rounds
        ],
        "left_out": [
            {"slug": round_.slug, "name": round_.name, "weight": round_.weight, "why": round_.why}
            for round_ in overall.left_out
        ],
        "rows": [
            {
                "rank": line.rank,
                "team": line.team,
                **({"track": line.track, "track_place": line.track_place} if tracked else {}),
                "total": line.total,
                "totals": list(line.totals),
            }
            for line in overall.of_track(track)
        ],
    }


def overall_csv(overall: Overall, track: str = "", tracked: bool = False) -> str:
    rounds = [round_.slug for round_ in overall.rounds]
    of_tracks = ["track", "track_place"] if tracked else []
    rows = [
        [
            *(line.rank, line.team),
            *((line.track, line.track_place) if tracked else ()),
            *(line.total, *line.totals),
        ]
        for line in overall.of_track(track)
    ]
    return csv_text(["rank", "team", *of_tracks, "total", *rounds], rows)
