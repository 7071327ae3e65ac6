"""House entries: baselines that the platform makes itself and sends through the same path as a team's."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import checked
from contest.errors import Refused
from contest.files import vault
from contest.jobs import queue
from contest.language.translation import say
from contest.models import HouseOrder, Job, Round, User
from contest.models.round import BuildState
from contest.play.table import Table
from contest.records import audit
from contest.services import entries
from contest.services.commitments import commit_house_seed
from contest.services.teams import house_team
from datasets.seeds import secret_seed
from datasets.setting import BadValue, Setting
from games.formats.methods import anonymizer

ARCHIVE_BYTES = 1_000_000
"""More than a zip adds to what is in it."""


def request_house_entry(
    round_: Round,
    user: User | None,
    method: str,
    parameters: dict[str, Any] | None = None,
    seed: int | None = None,
) -> HouseOrder:
    """Order an entry of a house anonymizer; a worker makes it and hands it in.

    Its seed is drawn and stored in a commitment, whose hash is public at once and whose text after the
    results. Neither the job nor the log holds a seed, not even a named one: attack machines read both.
    """
    if round_.game_id is None:
        _require_method(round_, method, parameters or {})
    else:
        parameters = game_parameters(round_, method, parameters or {})
    facts = {"method": method, "parameters": parameters or {}}
    with transaction.atomic():
        secret = commit_house_seed(round_, {**facts, "seed": secret_seed()}) if seed is None else None
        order = HouseOrder.objects.create(
            round=round_,
            seed=seed,
            commitment=secret,
            requested_by=user,
            requested_at=timezone.now(),
            **facts,
        )
        if round_.game_id is None or round_.build_state == BuildState.READY:
            queue.enqueue_job(Job.Kind.HOUSE, house_order=order)
        known = {"commitment": secret.version} if secret else {"seed_named": True}
        after = {"round": round_.pk, **facts, **known}
        audit.record("house_entry.requested", order, contest=round_.contest, actor=user, after=after)
    return order


def game_parameters(round_: Round, method: str, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a house method of the round's game, all of them; refused where one is wrong."""
    table = Table(round_)
    described = next((one for one in table.declared.methods if one.name == method), None)
    if described is None:
        known = ", ".join(one.name for one in table.declared.methods) or "–"
        text = _("The game %(game)s has no method %(name)r. Expected one of %(known)s.")
        values = {"game": table.declared.name, "name": method, "known": known}
        raise Refused("bad-parameters", text % values)
    if table.declared.files_of("seat") and not table.declared.seats.spare:
        text = _("The game %(game)s keeps no seat with data for the house, so it makes no entries.")
        raise Refused("no-spare-seat", text % {"game": table.declared.name})
    return checked_settings(described.parameters, given)


def checked_settings(settings: Sequence[Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of declared settings, those that are not given by their defaults."""
    unknown = sorted(set(given) - {setting.name for setting in settings})
    if unknown:
        known = ", ".join(setting.name for setting in settings) or "–"
        text = _("There is no parameter %(name)r. Expected: %(known)s.")
        raise Refused("bad-parameters", text % {"name": unknown[0], "known": known})
    found = {}
    for setting in settings:
        value = given.get(setting.name, setting.default)
        try:
            found[setting.name] = None if value is None else setting.checked(value)
        except BadValue as bad:
            text = _("%(name)s: got %(got)s, expected %(expected)s.")
            values = {"name": setting.name, "got": bad.got, "expected": say(bad.expected)}
            raise Refused("bad-parameters", text % values) from None
    return found


def _require_method(round_: Round, method: str, parameters: dict[str, Any]) -> None:
    try:
        described = anonymizer(method)
        checked(method, described.parameters, parameters)
    except KeyError as error:
        raise Refused("bad-parameters", error.args[0]) from None
    except ParameterError as error:
        raise Refused("bad-parameters", say(error.message)) from None
    if described.format != round_.dataset.format:
        raise Refused(
            "method-of-another-format",
            _("The method %(method)s is not made for the format of this round's data, %(format)s.")
            % {"method": method, "format": round_.dataset.format},
        )


def retry_house_entry(order: HouseOrder, user: User) -> Job:
    """Let a worker try again to make an entry that could not be made, in the same way and from its seed."""
    with transaction.atomic():
        locked = HouseOrder.objects.select_for_update(no_key=True, of=("self",))
        order = locked.select_related("round__contest").get(pk=order.pk)
        if order.state != HouseOrder.State.FAILED:
            raise Refused("not-failed", _("Only what has failed can be tried again."))
        audit.record(
            "house_entry.retried",
            order,
            contest=order.round.contest,
            actor=user,
            before={"state": order.state, "reason": order.reason},
            after={"state": HouseOrder.State.WAITING},
        )
        HouseOrder.objects.filter(pk=order.pk).update(state=HouseOrder.State.WAITING, reason="")
        return queue.enqueue_job(Job.Kind.HOUSE, house_order=order)


def queue_waiting_orders(round_: Round) -> None:
    """The data of a round are made: so are the house entries that waited for them."""
    waiting = HouseOrder.objects.filter(round=round_, state=HouseOrder.State.WAITING)
    for order in waiting.exclude(jobs__state__in=[Job.State.QUEUED, Job.State.RUNNING]):
        queue.enqueue_job(Job.Kind.HOUSE, house_order=order)


def seed_of(order: HouseOrder) -> int:
    """The seed of a house entry: as it was named, or from its commitment."""
    if order.commitment is None:
        if order.seed is None:
            raise ValueError(f"The house order {order.pk} has no seed.")
        return order.seed
    return int(json.loads(order.commitment.payload)["facts"][0]["seed"])


def hand_in_house_entry(
    claim: queue.Claim, order: HouseOrder, made: Mapping[str, bytes], slot: str = "", variant: int = 0
) -> None:
    """Hand in the files that the house made, once, with the end of its job."""
    round_ = order.round
    parts = {name: io.BytesIO(content) for name, content in made.items()}
    upload = vault.keep_parts(parts, sum(map(len, made.values())) + ARCHIVE_BYTES)
    with claim.finish():
        team = house_team(round_.contest, order.team_name)
        entry = entries.submit_entry(
            round_, team, None, upload, method=order.method, slot=slot, variant=variant
        )
        HouseOrder.objects.filter(pk=order.pk).update(state=HouseOrder.State.MADE, reason="", entry=entry)
