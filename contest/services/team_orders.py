"""What teams ask the house to make for them: entries by its methods, answers by its attacks.

It is made by a worker and then goes the way of any upload: the same limits, attempts and words.
"""

from __future__ import annotations

import datetime
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored, submitted
from contest.jobs import queue
from contest.models import Attack, Entry, Job, Round, Team, TeamOrder, User
from contest.models.round import Feedback
from contest.play.offers import offered_attacks, offered_methods
from contest.play.table import Table, has_hiding
from contest.records import audit
from contest.records.locks import lock_team
from contest.services import attacks, entries, team_attacks
from contest.services.answers import submit_answer
from contest.services.house import checked_settings
from contest.services.seats import require_place
from contest.services.teams import require_playing
from datasets.messages import Message, Template, english
from datasets.seeds import SEED_LIMIT, secret_seed
from datasets.setting import Setting
from games.contract.declaration import Method

MAX_ORDERS_A_DAY = 50
"""Files that are only made cost no attempt; this bounds how much work a team gives the house."""
CANNOT_PROTECT = Template("order.cannot-protect", "The method cannot protect these data: %(why)s")
TOO_LONG = Template("order.too-long", "It took longer than %(seconds)s seconds, so it was stopped.")
TOO_LARGE = Template("order.too-large", "It needed more memory than such work may have, so it was stopped.")
NO_FILE = Template("order.no-file", "It gave no file that a team could hand in.")
SEED = Setting("seed", "integer", "Seed", least=0, most=SEED_LIMIT - 1, is_optional=True, default=None)


@dataclass(frozen=True)
class Asked:
    """How something is to be made. Without a seed one is drawn."""

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    slot: str = ""
    targets: Sequence[int] = ()
    note: str = ""
    is_handed_in: bool = True


def request_entry(round_: Round, team: Team, user: User, asked: Asked) -> TeamOrder:
    """Let the house hide the people of a round for a team; a worker makes the files, and hands them in."""
    described = _found(offered_methods(round_), asked.method)
    parameters = checked_settings(described.parameters, _typed(described.parameters, asked.parameters))
    slot, variant = asked.slot, 0
    if round_.game_id is not None:
        declared = Table(round_).declared
        slot = slot or declared.slots[0]
        variant = int(parameters.get("variant") or 0) if declared.seats.variants > 1 else 0
    with transaction.atomic():
        _require_turn(round_, team)
        if not round_.has_begun or not has_hiding(round_):
            raise Refused("phase-closed", _("Entries are accepted only while the anonymise phase is open."))
        if asked.is_handed_in:
            entries.require_may_submit(round_, team)
        require_place(round_, team, slot, variant)
        return _ordered(
            round_, team, user, asked,
            what=TeamOrder.What.ENTRY, parameters=parameters, slot=slot, variant=variant,
        )  # fmt: skip


def request_answer(round_: Round, team: Team, user: User, asked: Asked) -> TeamOrder:
    """Let a house attack answer for a team about targets that it may attack, or about all of them."""
    if round_.feedback != Feedback.FULL and round_.frozen_at is None:
        raise Refused("no-targets", _("There is no target for your team yet."))
    _found(offered_attacks(round_), asked.method)
    known = {entry.pk: entry for entry in attacks.targets_of(round_, team)}
    unknown = sorted(set(asked.targets) - set(known))
    if unknown:
        text = _("There is no target %(unknown)s for your team. Targets: %(listed)s.")
        listed = ", ".join(map(str, sorted(known))) or "–"
        raise Refused("not-a-target", text % {"unknown": unknown[0], "listed": listed})
    chosen = sorted(set(asked.targets)) or sorted(known)
    if not chosen:
        raise Refused("no-targets", _("There is no target for your team yet."))
    with transaction.atomic():
        _require_turn(round_, team)
        if asked.is_handed_in:
            team_attacks.require_may_attack(round_, team)
            attacks.require_targets_left(round_, team, [known[key] for key in chosen])
            if round_.all_targets and len(chosen) < len(known):
                missing = ", ".join(map(str, sorted(set(known) - set(chosen))[:20]))
                text = _("Guesses are sent for all targets at once. Missing: %(missing)s.")
                raise Refused("targets-missing", text % {"missing": missing})
        return _ordered(round_, team, user, asked, what=TeamOrder.What.ANSWER, targets=chosen)


def _typed(settings: Sequence[Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """Values that came as texts, such as those of a command line, as the declared kinds."""
    declared, flags = {setting.name: setting for setting in settings}, {"true": True, "false": False}
    found = dict(given)
    for name, value in given.items():
        if isinstance(value, str) and name in declared:
            is_flag = declared[name].kind == "flag"
            found[name] = flags.get(value.lower(), value) if is_flag else declared[name].parsed(value)
    return found


def _found(offered: Sequence[Method], name: str) -> Method:
    found = next((one for one in offered if one.name == name), None)
    if found is None:
        known = ", ".join(one.name for one in offered) or "–"
        text = _("The house offers no %(name)r in this round. Expected one of %(known)s.")
        raise Refused("not-offered", text % {"name": name, "known": known})
    return found


def _require_turn(round_: Round, team: Team) -> None:
    """One order of a team at a time, and not too many per day."""
    require_playing(lock_team(team.pk))
    mine = TeamOrder.objects.filter(team=team)
    if mine.filter(state=TeamOrder.State.WAITING).exists():
        text = _("The house still makes what your team asked for last; wait until it is done.")
        raise Refused("order-under-way", text)
    since = timezone.now() - datetime.timedelta(days=1)
    if mine.filter(requested_at__gt=since).count() >= MAX_ORDERS_A_DAY:
        text = _("The house makes at most %(most)s things per day for a team.")
        raise Refused("too-many-orders", text % {"most": MAX_ORDERS_A_DAY})


def _ordered(round_: Round, team: Team, user: User, asked: Asked, **facts: Any) -> TeamOrder:
    """The row and its job. Neither the job nor the log holds the seed: attack machines read both."""
    seed = checked_settings([SEED], {"seed": asked.seed})["seed"]
    order = TeamOrder.objects.create(
        round=round_,
        team=team,
        requested_by=user,
        requested_at=timezone.now(),
        language=(get_language() or "en")[:10],
        method=asked.method,
        seed=secret_seed() if seed is None else seed,
        note=asked.note.strip()[: entries.MAX_NOTE],
        is_handed_in=asked.is_handed_in,
        job=queue.enqueue_job(Job.Kind.ORDER, owner_id=team.pk),
        **facts,
    )
    after = {"team": team.name, "what": order.what, "is_handed_in": order.is_handed_in}
    audit.record("team_order.requested", order, contest=round_.contest, actor=user, after=after)
    return order


def record_files(claim: queue.Claim, order: TeamOrder, files: Mapping[str, bytes]) -> None:
    """The files are made: store them for their team, and hand them in where it asked for that."""
    most = sum(map(len, files.values())) + MOST_ADDED * (len(files) + 1)
    stored = vault.keep_parts({name: io.BytesIO(content) for name, content in files.items()}, most)
    with claim.finish():
        order = TeamOrder.objects.select_related("round__contest", "team", "requested_by").get(pk=order.pk)
        changes: dict[str, Any] = {}
        if order.is_handed_in and order.what == TeamOrder.What.ENTRY:
            changes["entry"] = _hand_in_entry(order, stored)
        elif order.is_handed_in:
            changes["attack"] = _hand_in_answer(order, files)
        _end(order, TeamOrder.State.MADE, file_sha256=stored.sha256, file_bytes=stored.size, **changes)


MOST_ADDED = 10_000
"""More than a zip adds for a file."""


def _hand_in_entry(order: TeamOrder, stored: Stored) -> Entry:
    return entries.submit_entry(
        order.round,
        order.team,
        order.requested_by,
        stored,
        note=order.note or order.recipe[: entries.MAX_NOTE],
        slot=order.slot,
        variant=order.variant,
    )


def _hand_in_answer(order: TeamOrder, files: Mapping[str, bytes]) -> Attack:
    # Whoever asked may have deleted the account meanwhile; it is the team's attack all the same.
    user = cast(User, order.requested_by)
    note = order.note or order.recipe[: entries.MAX_NOTE]
    opened = {name: io.BytesIO(content) for name, content in files.items()}
    if order.round.game_id is not None:
        return submit_answer(order.round, order.team, user, submitted.put(vault.zip_of(opened)), note)
    guesses = {int(name.removesuffix(".csv")): file for name, file in opened.items()}
    return team_attacks.submit_guesses(order.round, order.team, user, guesses, note)


def refuse_order(claim: queue.Claim, order: TeamOrder, reason: Message | str) -> None:
    """Nothing can be made, or what was made cannot be handed in. It has cost no attempt."""
    with claim.finish(reason):
        _end(order, TeamOrder.State.FAILED, reason=reason)


def fail_order(job_id: int, reason: Any) -> None:
    """We could not make it, through our own fault."""
    for order in TeamOrder.objects.select_related("round__contest").filter(job=job_id):
        _end(order, TeamOrder.State.FAILED, reason=reason)


def _end(order: TeamOrder, state: TeamOrder.State, **changes: Any) -> None:
    waiting = TeamOrder.objects.filter(pk=order.pk, state=TeamOrder.State.WAITING)
    if waiting.update(state=state, finished_at=timezone.now(), **changes):
        audit.record(
            f"team_order.{state.value}",
            order,
            contest=order.round.contest,
            before={"state": TeamOrder.State.WAITING},
            after={"state": state},
            reason=english(changes.get("reason", ""))[:300],
        )
