"""The boards of a contest as pages that need no server, and as JSON for recomputation."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import timezone, translation

from contest.archive.overall import OVERALL_PAGE, overall_files
from contest.board import queries
from contest.board.ranking import find_ranking
from contest.language.markdown import to_html
from contest.models import Attack, AttackRun, Contest, Question, Round, StoredBoard
from contest.models.question import PUBLIC

STYLES = ("css/tokens.css", "css/base.css")


def static_pages(contest: Contest) -> dict[str, str]:
    """Path → text. Always in English and in UTC."""
    rounds = list(contest.rounds.select_related("dataset").prefetch_related("phases"))
    files = {f"pages/{style.rpartition('/')[2]}": _static(style) for style in STYLES}
    with translation.override("en"), timezone.override("UTC"):
        context = {
            "contest": contest,
            "rounds": rounds,
            "overall_page": OVERALL_PAGE,
            "description_html": to_html(contest.description),
            "announcements": [
                {"title": it.title, "body_html": to_html(it.body), "published_at": it.published_at}
                for it in contest.announcements.order_by("pk")
            ],
            "questions": _questions(contest),
        }
        files["pages/index.html"] = render_to_string("archive/index.html", context)
        files |= overall_files(contest)
        for round_ in rounds:
            board = _board(round_) if round_.game_id is None else _game_board(round_)
            files[f"results/{round_.slug}.json"] = json.dumps(board, indent=1, sort_keys=True) + "\n"
            page = _page if round_.game_id is None else _game_page
            files[f"pages/{round_.slug}.html"] = page(contest, round_, board)
    return files


def _questions(contest: Contest) -> list[dict[str, Any]]:
    """What everybody could read of the questions; teams are named where they agreed to be in the archive."""
    found = Question.objects.filter(PUBLIC, contest=contest).select_related("team").order_by("pk")
    return [
        {
            "team": one.team.name if one.team and one.team.in_archive and one.visibility == "open" else "",
            "asked_html": to_html(one.body if one.visibility == "open" else one.title),
            "answer_html": to_html(one.answer) if one.answered_to == Question.Audience.ALL else "",
            "asked_at": one.asked_at,
        }
        for one in found
    ]


def _page(contest: Contest, round_: Round, board: dict[str, Any]) -> str:
    ranking = find_ranking(round_.ranking)
    context = {"contest": contest, "round": round_, "board": board, "ranking": ranking}
    context["commitments"] = list(round_.commitments.all())
    return render_to_string("archive/round.html", context)


def _game_page(contest: Contest, round_: Round, board: dict[str, Any]) -> str:
    context = {"contest": contest, "round": round_, "board": board}
    context["commitments"] = list(round_.commitments.all())
    return render_to_string("archive/game_round.html", context)


def _game_board(round_: Round) -> dict[str, Any]:
    """The final boards as the game counted them; the game itself need not be installed here."""
    stored = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL).order_by("position")
    return {
        "round": round_.slug,
        "game": str(round_.game),
        "rule": round_.ranking,
        "house_takes_places": round_.house_takes_places,
        "boards": [
            {
                "name": board.name,
                "columns": board.columns,
                "rows": [
                    {
                        "place": row["place"],
                        "key": row["key"],
                        "kind": row["kind"],
                        "values": [row["values"].get(column) for column in board.columns],
                    }
                    for row in board.rows
                ],
            }
            for board in stored
        ],
        "attacks": _attacks(round_),
    }


def _board(round_: Round) -> dict[str, Any]:
    """The board and every judged attack, by team and entry number, which are the same everywhere."""
    places = [
        {
            "rank": place.rank,
            "total": place.total,
            "verdict": place.verdict,
            "team": entry.team.name,
            "is_house": entry.team.is_house,
            "entry": entry.number,
            "utility": entry.utility,
            "hits": entry.hits,
            "n_released": entry.n_people,
            "strongest_attack": entry.strongest_attack,
            "measures": dict(sorted(entry.measures.items())),
        }
        for place, entry in queries.places(round_, show_attacks=True)
    ]
    return {
        "round": round_.slug,
        "ranking": round_.ranking,
        "house_takes_places": round_.house_takes_places,
        "board": places,
        "attacks": _attacks(round_),
    }


def _attacks(round_: Round) -> list[dict[str, Any]]:
    attacks = Attack.objects.filter(round=round_, is_dry_run=False).select_related("team").order_by("pk")
    cells: dict[int, list[dict[str, Any]]] = {attack.pk: [] for attack in attacks}
    runs = AttackRun.objects.filter(attack__in=cells, state=AttackRun.State.DONE).order_by("entry_id", "pk")
    for run in runs.select_related("entry__team"):
        found = {"hits": run.hits} if round_.game_id is None else _judged(run)
        cells[run.attack_id].append({"team": run.entry.team.name, "entry": run.entry.number, **found})
    return [{"attack": attack.label, "runs": cells[attack.pk]} for attack in attacks]


def _judged(run: AttackRun) -> dict[str, Any]:
    return {"target": run.entry.key, "challenge": run.challenge, "risk": run.risk, "numbers": run.numbers}


def _static(path: str) -> str:
    found = finders.find(path)
    if not isinstance(found, str):
        raise FileNotFoundError(path)
    with open(found, encoding="utf-8") as file:  # noqa: PTH123
        return file.read()
