"""What a story may say about a season: each claim with its page, its figures as that page shows them, and the
condition under which it is true. A claim that does not hold gives nothing, and its step is left out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from contest import access
from contest.board.board_cache import board_of, shows_attacks
from contest.board.matrix import attackers, matrix
from contest.board.overall import public_overall
from contest.board.queries import BoardRow, total_of
from contest.board.rank_history import rank_history
from contest.board.ranking import find_ranking
from contest.language.translation import say
from contest.models import Attack, AuditChain, Award, Commitment, Contest, Entry, Phase, Round, Team
from games.formats.demo import Season
from games.formats.measures import measure as find_measure

HASH = 12
"""How many characters of a hash are enough to find it on its page."""


@dataclass(frozen=True)
class Claim:
    """The path of a page, and the figures that a sentence about it may name."""

    path: str
    figures: Mapping[str, Any]


def rules(season: Season, round_: Round) -> Claim | None:
    limits = [limit for limit in round_.limits if limit["limit"] is not None]
    attack = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE).order_by("pk").first()
    if not limits or attack is None:
        return None
    figures = {
        "measure": say(find_measure(limits[0]["measure"]).title),
        "limit": f"{limits[0]['limit']:,.10g}",
        "attack": attack.name,
        "ranking": say(find_ranking(round_.ranking).title),
    }
    return Claim(_page("rules", round_), figures)


def data(season: Season, round_: Round) -> Claim | None:
    counts = {code: f"{value:,}" for code, value in round_.dataset.facts if isinstance(value, int)}
    return Claim(_page("dataset", round_), counts)


def unchanged(season: Season, round_: Round) -> Claim | None:
    """Nobody is more useful, and nobody is hidden."""
    rows, row = _rows(round_), _unchanged(season, round_)
    if row is None or row.hits != row.n_people or row.utility < max(one.utility for one in rows):
        return None
    return Claim(_page("leaderboard", round_), _of_row(row))


def rise(season: Season, round_: Round) -> Claim | None:
    """The team that gained most places, where its official entry is better than its first one."""
    gains = []
    for line in rank_history(round_).lines:
        ranks = [rank for rank in line.ranks if rank is not None]
        if ranks and max(ranks) > ranks[-1] and _got_better(round_, line.team):
            gains.append((max(ranks) - ranks[-1], line.team.name, max(ranks), ranks[-1]))
    if not gains:
        return None
    _gain, team, before, after = max(gains)
    return Claim(_page("rank_history", round_), {"team": team, "before": before, "after": after})


def _got_better(round_: Round, team: Team) -> bool:
    valid = Entry.objects.filter(round=round_, team=team, state=Entry.State.VALID).order_by("number")
    first, official = valid.first(), valid.filter(is_official=True).first()
    if first is None or official is None or first == official:
        return False
    return (total_of(official) or 0.0) > (total_of(first) or 0.0)


def who_finds_whom(season: Season, round_: Round) -> Claim | None:
    """The strongest house attack: where it finds most, and where least."""
    table = matrix(round_)
    row = next((row for row in table.rows if row.attack.kind == Attack.Kind.HOUSE), None)
    cells = [
        (cell.percent, entry.team.name)
        for entry, cell in zip(table.entries, row.cells if row else [], strict=False)
        if cell is not None and cell.percent is not None
    ]
    if row is None or not cells or max(cells)[0] == min(cells)[0]:
        return None
    (most, exposed), (least, hidden) = max(cells), min(cells)
    figures = {
        "attack": row.attack.label,
        "most": most,
        "exposed": exposed,
        "least": least,
        "hidden": hidden,
    }
    return Claim(_page("matrix", round_), figures)


def freeze(season: Season, round_: Round) -> Claim | None:
    """The hash of the entries was there before the attack phase."""
    published = _standing(round_, Commitment.What.ENTRIES)
    seeking = Phase.objects.filter(round=round_, kind=Phase.Kind.ATTACK).first()
    if published is None or seeking is None or seeking.opened_at is None:
        return None
    if published.published_at > seeking.opened_at:
        return None
    return Claim(_page("hashes", round_), {"hash": published.sha256[:HASH]})


def seekers(season: Season, round_: Round) -> Claim | None:
    best = next((row for row in attackers(matrix(round_), None) if row.rank == 1), None)
    if best is None or best.is_house:
        return None
    figures = {"team": best.name, "percent": f"{best.mean_percent:.1f}", "targets": best.targets}
    return Claim(_page("matrix", round_), figures)


def winner(season: Season, round_: Round) -> Claim | None:
    """A team is first, and ahead of unchanged data."""
    first, beside = _winner(round_), _unchanged(season, round_)
    if first is None or beside is None or first.is_house or (first.total or 0) <= (beside.total or 0):
        return None
    safeties = [row.safety for row in _rows(round_) if row.safety is not None]
    figures = {
        "team": first.team_name,
        "total": f"{first.total:.2f}",
        "unchanged": f"{beside.total:.2f}",
        "lowest": f"{min(safeties):.1f}",
        "highest": f"{max(safeties):.1f}",
    }
    return Claim(_page("leaderboard", round_), figures)


def winning_entry(season: Season, round_: Round) -> Claim | None:
    first = _winner(round_)
    return None if first is None else Claim(first.entry_url, _of_row(first))


def reveal(season: Season, round_: Round) -> Claim | None:
    """Everything that was hashed is open, and has its hash."""
    opened = list(Commitment.objects.filter(round=round_, withdrawn_at=None))
    sound = all(
        one.revealed_at is not None and hashlib.sha256(one.payload.encode()).hexdigest() == one.sha256
        for one in opened
    )
    board = _standing(round_, Commitment.What.BOARD)
    if not opened or not sound or board is None:
        return None
    return Claim(_page("hashes", round_), {"seed": round_.seed, "hash": board.sha256[:HASH]})


def overall(season: Season, contest: Contest) -> Claim | None:
    result = public_overall(contest)
    ranked = [line for line in result.lines if line.rank is not None]
    seeker = next((one for one in access.public_awards(contest) if one.kind == Award.Kind.SEEKER), None)
    if len(ranked) < 2 or seeker is None:
        return None
    digits = result.decimals
    figures = {
        "team": ranked[0].team,
        "total": f"{ranked[0].total:,.{digits}f}",
        "second": ranked[1].team,
        "second_total": f"{ranked[1].total:,.{digits}f}",
        "seeker": seeker.team.name,
    }
    return Claim(reverse("overall", args=[contest.slug]), figures)


def archive(season: Season, contest: Contest) -> Claim | None:
    chain = AuditChain.objects.filter(contest_key=contest.pk).first()
    if chain is None or not chain.hash:
        return None
    return Claim(reverse("changes", args=[contest.slug]), {"actions": chain.number})


OF_ROUND: Mapping[str, Callable[[Season, Round], Claim | None]] = {
    "rules": rules,
    "data": data,
    "unchanged": unchanged,
    "rise": rise,
    "matrix": who_finds_whom,
    "freeze": freeze,
    "seekers": seekers,
    "winner": winner,
    "entry": winning_entry,
    "reveal": reveal,
}
OF_CONTEST: Mapping[str, Callable[[Season, Contest], Claim | None]] = {"overall": overall, "archive": archive}


def _page(name: str, round_: Round) -> str:
    return reverse(name, args=[round_.contest.slug, round_.slug])


def _rows(round_: Round) -> list[BoardRow]:
    return board_of(round_, shows_attacks(round_)).rows


def _unchanged(season: Season, round_: Round) -> BoardRow | None:
    """The row of the house entry that hides nobody."""
    made = Entry.objects.filter(round=round_, is_official=True, team__is_house=True, method=season.unchanged)
    keys = set(made.values_list("pk", flat=True))
    return next((row for row in _rows(round_) if row.entry_id in keys), None)


def _winner(round_: Round) -> BoardRow | None:
    return next((row for row in _rows(round_) if row.rank == 1), None)


def _of_row(row: BoardRow) -> dict[str, Any]:
    return {
        "team": row.team_name,
        "utility": f"{row.utility:.1f}",
        "safety": "–" if row.safety is None else f"{row.safety:.1f}",
        "total": "–" if row.total is None else f"{row.total:.2f}",
        "hits": row.hits,
        "people": row.n_people,
    }


def _standing(round_: Round, what: Commitment.What) -> Commitment | None:
    return Commitment.objects.filter(round=round_, what=what, withdrawn_at=None).first()
