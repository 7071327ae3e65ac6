"""What a page says where the game of its round is not installed any more."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.shortcuts import render

from contest.errors import Refused
from contest.models import Round
from contest.play.packages import declaration_of
from contest.views.requests import PageRequest
from games.contract.reading import BadGame
from games.loading import NoGame

View = TypeVar("View", bound=Callable[..., Any])


def needs_game(view: View) -> View:
    """A page of a round that says so where its game cannot be read, instead of failing."""

    @wraps(view)
    def shown(request: PageRequest, round_: Round, *args: Any) -> Any:
        assert round_.game is not None
        try:
            declaration_of(round_.game)
        except (Refused, NoGame, BadGame):
            context = {"contest": round_.contest, "round": round_}
            return render(request, "contest/games/absent.html", context, status=503)
        return view(request, round_, *args)

    return cast(View, shown)
