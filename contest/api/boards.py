from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from typing import Any

from django.http import Http404
from django.utils.http import parse_etags
from django.utils.translation import get_language
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import serializers
from contest.api.game_serializers import RoundMatrixShape
from contest.api.view import PublicView
from contest.board import queries
from contest.board.board_cache import board_of, shows_attacks
from contest.board.game_matrix import AttackerLine, matrices
from contest.board.matrix import Matrix, MatrixRow, attackers, matrix
from contest.board.tracks import require_track
from contest.jobs.job_version import RELEASE
from contest.models import Entry, Round, Team
from contest.play.table import Table

REVALIDATED = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
IF_NONE_MATCH = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER)
TRACK = OpenApiParameter("track", str, description="The name of a track: its teams alone.")
SAME_BOARD = OpenApiResponse(description="The board is the one whose `ETag` you sent.")


def _ranked_round(viewer: access.Viewer, slug: str, round_slug: str) -> Round:
    """A round that is ranked by people found; what a game counts is under `boards/`."""
    round_ = access.round_for(viewer, slug, round_slug)
    if round_.game_id is not None:
        raise Http404
    return round_


class Leaderboard(PublicView):
    @extend_schema(
        summary="The board of a round",
        parameters=[IF_NONE_MATCH, TRACK],
        responses={200: serializers.BoardRowShape(many=True), 304: SAME_BOARD},
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = _ranked_round(self.viewer, slug, round_slug)
        my_team = access.team_of(self.viewer, round_.contest)
        pages = self.pagination_class()
        track = require_track(round_.contest, request.query_params.get("track", ""))
        board = board_of(round_, shows_attacks(round_))
        tag = _tag(request, round_, my_team)
        if tag in parse_etags(request.headers.get("If-None-Match", "")):
            return Response(status=304, headers={"ETag": tag, **REVALIDATED})
        found = [row for row in board.rows_for(my_team) if not track or row.track == track]
        rows: Any = pages.paginate_queryset(found, request, view=self)
        answer = pages.get_paginated_response([_board_row(row) for row in rows])
        for name, value in {"ETag": tag, **REVALIDATED}.items():
            answer[name] = value
        return answer


def _tag(request: Request, round_: Round, team: Team | None) -> str:
    """Names what is answered: the board's version, what is shown of it to whom, and the page asked for."""
    shown = (
        round_.pk,
        round_.board_version,
        round_.still_since,
        access.results_are_public(round_),
        team and team.pk,
    )
    return board_tag(request, shown)


def board_tag(request: Request, shown: Hashable) -> str:
    """A tag of what is shown and of how it was asked for.

    It is weak, because the same board may be sent compressed or plain.
    """
    asked = (request.build_absolute_uri(), get_language(), RELEASE)
    return f'W/"{hashlib.sha256(repr((shown, asked)).encode()).hexdigest()[:32]}"'


def _board_row(row: queries.BoardRow) -> dict[str, Any]:
    """As `BoardRowShape` defines; written by hand because it is requested most often."""
    fields = {name: getattr(row, name) for name in BOARD_FIELDS}
    measures = [{name: getattr(cell, name) for name in MEASURE_FIELDS} for cell in row.measures]
    return {**fields, "team": row.team_name, "measures": measures}


BOARD_FIELDS = [str(name) for name in serializers.BoardRowShape().fields if name not in {"team", "measures"}]
MEASURE_FIELDS = [str(name) for name in serializers.MeasureShape().fields]


class MatrixView(PublicView):
    @extend_schema(summary="Every attack against every official entry", responses=RoundMatrixShape)
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        if round_.game_id is not None:
            return Response(RoundMatrixShape(_game_matrix(self.viewer, round_)).data)
        table = _matrix(self.viewer, round_)
        shown = table or Matrix([], [])
        rows = [_row(row, shown.entries) for row in shown.rows]
        answer = {"is_shown": table is not None, "entries": shown.entries, "rows": rows}
        return Response(RoundMatrixShape(answer).data)


def _game_matrix(viewer: access.Viewer, round_: Round) -> dict[str, Any]:
    """One table per challenge, shown to whom the page shows them."""
    if not access.sees_attacks(viewer, round_):
        return {"is_shown": False, "entries": [], "rows": [], "challenges": []}
    found = matrices(round_, Table(round_).declared)
    entries = {entry.pk: entry for one in found for entry in one.targets}
    challenges = [
        {
            "name": one.challenge.name,
            "targets": [entry.pk for entry in one.targets],
            "rows": [_line(line, one.targets) for line in one.lines],
        }
        for one in found
    ]
    return {"is_shown": True, "entries": list(entries.values()), "rows": [], "challenges": challenges}


def _line(line: AttackerLine, targets: Sequence[Entry]) -> dict[str, Any]:
    cells = [
        {"entry_id": entry.pk, "state": cell.state, "risk": cell.risk}
        for entry, cell in zip(targets, line.cells, strict=True)
        if cell is not None
    ]
    names = ("label", "attack_id", "is_house", "mean_percent")
    return {**{name: getattr(line, name) for name in names}, "cells": cells}


def _row(row: MatrixRow, entries: Sequence[Entry]) -> dict[str, Any]:
    cells = [
        {"entry_id": entry.pk, "state": cell.state, "hits": cell.hits, "rate": cell.rate}
        for entry, cell in zip(entries, row.cells, strict=True)
        if cell is not None
    ]
    return {
        "attack": row.attack,
        "cells": cells,
        "hits": row.hits,
        "targets": row.targets,
        "mean_percent": row.mean_percent,
    }


class Attackers(PublicView):
    @extend_schema(
        summary="Who finds most people; empty until the results are public",
        responses=serializers.AttackerShape(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = _ranked_round(self.viewer, slug, round_slug)
        table = _matrix(self.viewer, round_)
        my_team = access.team_of(self.viewer, round_.contest)
        return self.paged(attackers(table, my_team) if table else [], serializers.AttackerShape)


class History(PublicView):
    @extend_schema(
        summary="How the places changed; empty until what attacks found is public",
        responses=serializers.StandingShape(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        until = access.history_ends_at(self.viewer, round_)
        recorded = round_.standings.all() if until is None else round_.standings.filter(at__lte=until)
        shown = access.sees_board_history(self.viewer, round_)
        return self.paged(recorded if shown else [], serializers.StandingShape)


def _matrix(viewer: access.Viewer, round_: Round) -> Matrix | None:
    shown = access.sees_attacks(viewer, round_)
    return matrix(round_) if shown else None
