"""House entries: baselines that the platform makes itself and sends through the same path as a team's."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import checked
from anonymizers.registry import anonymizer
from contest.errors import Refused
from contest.files import vault
from contest.jobs import queue
from contest.language.translation import say
from contest.models import HouseOrder, Job, Round, User
from contest.records import audit
from contest.services import entries
from contest.services.commitments import commit_house_seed
from contest.services.teams import house_team
from datasets.seeds import secret_seed

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
    _require_method(round_, method, parameters or {})
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
        queue.enqueue_job(Job.Kind.HOUSE, house_order=order)
        known = {"commitment": secret.version} if secret else {"seed_named": True}
        after = {"round": round_.pk, **facts, **known}
        audit.record("house_entry.requested", order, contest=round_.contest, actor=user, after=after)
    return order


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


def seed_of(order: HouseOrder) -> int:
    """The seed of a house entry: as it was named, or from its commitment."""
    if order.commitment is None:
        if order.seed is None:
            raise ValueError(f"The house order {order.pk} has no seed.")
        return order.seed
    return int(json.loads(order.commitment.payload)["facts"][0]["seed"])


def hand_in_house_entry(claim: queue.Claim, order: HouseOrder, release: Any) -> None:
    """Hand in what the anonymizer made, once, with the end of its job."""
    round_ = order.round
    with tempfile.TemporaryDirectory() as folder:
        round_.dataset.spec.write_entry(Path(folder), release)
        names = round_.dataset.spec.upload_names
        made = {name: (Path(folder) / name).read_bytes() for name in names}
    parts = {name: io.BytesIO(content) for name, content in made.items()}
    upload = vault.keep_parts(parts, sum(map(len, made.values())) + ARCHIVE_BYTES)
    with claim.finish():
        team = house_team(round_.contest, order.team_name)
        entry = entries.submit_entry(round_, team, None, upload, method=order.method)
        HouseOrder.objects.filter(pk=order.pk).update(state=HouseOrder.State.MADE, reason="", entry=entry)
