"""What the house offers a team on its pages, and how far an order is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from contest import access
from contest.jobs.queue_estimates import wait_for
from contest.language.game_words import worded
from contest.language.translation import say
from contest.models import Job, Round, Team, TeamOrder
from contest.pages.entry import EntryStage
from contest.play.offers import offered_attacks, offered_methods
from contest.services.attacks import targets_of
from games.contract.declaration import Method


@dataclass(frozen=True)
class Offer:
    """A method or an attack in the reader's language."""

    name: str
    title: str
    meaning: str


def offer_of(method: Method) -> Offer:
    title, meaning = (say(worded(text)) for text in (method.title, method.meaning))
    return Offer(method.name, title or method.name, meaning)


def offered_for_hiding(round_: Round) -> list[Offer]:
    return [offer_of(method) for method in offered_methods(round_)]


def offered_for_seeking(round_: Round, team: Team) -> list[Offer]:
    """The attacks that a team may try now: none while it may not read any target."""
    if not access.targets_are_public(round_) or not targets_of(round_, team):
        return []
    return [offer_of(attack) for attack in offered_attacks(round_)]


def order_context(order: TeamOrder) -> dict[str, Any]:
    round_ = order.round
    offered = offered_methods(round_) if order.what == TeamOrder.What.ENTRY else offered_attacks(round_)
    method = next((one for one in offered if one.name == order.method), None)
    is_entry = order.what == TeamOrder.What.ENTRY
    return {
        "contest": round_.contest,
        "round": round_,
        "order": order,
        "title": offer_of(method).title if method else order.method,
        "is_entry": is_entry,
        "steps": _steps(order),
        "progress": 100 if order.is_final else order.job.progress if order.job else 0,
        "wait": None if order.is_final else wait_for(Job.objects.filter(team_order=order)),
        "back_url": reverse("upload" if is_entry else "seek", args=[round_.contest.slug, round_.slug]),
    }


def _steps(order: TeamOrder) -> list[EntryStage]:
    runs = order.job is not None and order.job.state == Job.State.RUNNING
    made = {"waiting": "active" if runs else "waiting", "made": "done", "failed": "failed"}[order.state]
    detail = order.job.step if order.job and made == "active" else ""
    steps = [EntryStage(_("Asked for"), "done"), EntryStage(_("Made"), made, detail)]
    if order.is_handed_in:
        steps.append(EntryStage(_("Handed in"), "done" if order.state == "made" else "waiting"))
    return steps
