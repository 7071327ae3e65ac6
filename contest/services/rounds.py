"""Adding and removing rounds: one is copied from another or from a preset, an unplayed one is removed."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.bundle.files import preset_bundle
from contest.bundle.schema import MOST_ROUNDS
from contest.bundle.specification import PhaseSpec, RoundSpec, later
from contest.errors import Refused
from contest.models import (
    Attack,
    AttackRun,
    Commitment,
    Contest,
    Dataset,
    Entry,
    HouseOrder,
    Job,
    Phase,
    Rescore,
    Round,
    Sealed,
    User,
)
from contest.records import audit
from contest.records.locks import lock_phases, lock_teams
from contest.services.bundles import create_round_of, round_spec
from contest.services.consequence import Consequence
from contest.services.contests import taken
from contest.services.entry_marks import require_reason
from contest.services.settings import claim_version
from games.formats.presets import preset_names


@dataclass(frozen=True)
class Source:
    """What a new round may be copied from, and on which data; ``key`` names it in forms and in the API."""

    key: str
    title: str
    spec: RoundSpec
    dataset: Dataset


@dataclass(frozen=True)
class NewRound:
    """What is decided about a round before it exists; everything else comes from its source."""

    like: str
    name: str
    slug: str
    starts_at: datetime.datetime


def sources(contest: Contest) -> Iterator[Source]:
    """The rounds of the contest, then those of presets that can be played on its data."""
    data = {}
    for round_ in contest.rounds.select_related("dataset").prefetch_related("phases"):
        if round_.game_id is not None:
            continue
        data[round_.dataset.format] = round_.dataset
        spec = round_spec(round_, round_.dataset.name)
        if spec.phases:
            yield Source(f"round/{round_.slug}", round_.name, spec, round_.dataset)
    for name in preset_names():
        bundle = preset_bundle(name)
        formats = {it.name: it.format for it in bundle.data}
        for spec in bundle.rounds:
            if formats.get(spec.data) in data:
                title = f"{bundle.title} · {spec.name}"
                yield Source(f"preset/{name}/{spec.slug}", title, spec, data[formats[spec.data]])


def add_round(contest: Contest, user: User, version: int, new: NewRound, reason: str) -> Round:
    """Add a round that only organisers see until it begins; refused where the contest was changed meanwhile.

    It has the settings, limits, house attacks and phases of its source, and no entries.
    """
    require_reason(reason)
    source, spec = planned(contest, new)
    try:
        with transaction.atomic():
            claim_version(contest, version)
            rounds = contest.rounds.aggregate(last=Max("position"))
            made = create_round_of(
                contest, user, spec, source.dataset, (rounds["last"] or 0) + 1, reason=reason
            )
            # A process may have cached the board of a round that had this address: its versions are smaller.
            Round.objects.filter(pk=made.pk).update(board_version=int(timezone.now().timestamp()))
    except IntegrityError:
        raise taken(new.slug) from None
    contest.refresh_from_db()
    return made


def planned(contest: Contest, new: NewRound) -> tuple[Source, RoundSpec]:
    """The round as it would be added."""
    source = next((source for source in sources(contest) if source.key == new.like), None)
    if source is None:
        known = ", ".join(source.key for source in sources(contest))
        text = _("There is no round %(key)r to begin from. There are: %(known)s.")
        raise Refused("no-source", text % {"key": new.like, "known": known})
    if new.starts_at <= timezone.now():
        raise Refused("round-in-the-past", _("The first phase of a new round must be in the future."))
    if contest.rounds.count() >= MOST_ROUNDS:
        raise Refused("too-many-rounds", _("A contest has at most %(n)s rounds.") % {"n": MOST_ROUNDS})
    then = later(source.spec, new.starts_at - source.spec.starts_at)
    spec = dataclasses.replace(
        then,
        slug=new.slug,
        name=new.name,
        settings={**then.settings, "is_hidden": True},
        seed=None,
        baselines=(),
    )
    return source, spec


def of_new_round(contest: Contest, new: NewRound) -> list[Consequence]:
    """What adding a round would create."""
    source, spec = planned(contest, new)
    n = len(spec.attacks)
    attacks = ngettext(
        "%(n)s house attack takes part: %(names)s.", "%(n)s house attacks take part: %(names)s.", n
    )
    weight = f"{spec.settings['weight']:g}"
    return [
        *(_of_phase(phase, contest) for phase in spec.phases),
        Consequence("data", 1, _("It is played on %(data)s.") % {"data": source.dataset.name}),
        Consequence("attacks", n, attacks % {"n": n, "names": ", ".join(spec.attacks) or "–"}),
        Consequence("weight", 1, _("Its weight in the overall ranking is %(weight)s.") % {"weight": weight}),
        Consequence(
            "round-hidden", 1, _("Nobody but organisers sees the round until its first phase begins.")
        ),
    ]


def _of_phase(phase: PhaseSpec, contest: Contest) -> Consequence:
    times = [moment.astimezone(contest.zone) for moment in (phase.starts_at, phase.ends_at)]
    starts_at, ends_at = (moment.strftime("%Y-%m-%d %H:%M %Z") for moment in times)
    text = _("%(phase)s: from %(starts_at)s until %(ends_at)s.")
    said = text % {"phase": Phase.Kind(phase.kind).label, "starts_at": starts_at, "ends_at": ends_at}
    return Consequence(f"phase-{phase.kind}", 1, said)


def remove_round(round_: Round, user: User, version: int, reason: str) -> None:
    """Remove a round that nobody has played; refused where it was changed meanwhile."""
    require_reason(reason)
    contest = round_.contest
    with transaction.atomic():
        # An upload holds the lock of the team: with all of them held, no entry comes in between.
        lock_teams(contest.pk)
        Contest.objects.filter(pk=contest.pk).update(settings_version=F("settings_version") + 1)
        lock_phases(round_.pk)
        Attack.objects.filter(round=round_, runs=None).delete()
        claim_version(round_, version)
        require_removable(round_)
        audit.record(
            "round.removed",
            round_,
            contest=contest,
            actor=user,
            before={"name": round_.name, "slug": round_.slug, "is_hidden": round_.is_hidden},
            reason=reason,
        )
        HouseOrder.objects.filter(round=round_).delete()
        _looks_for_signals(round_).delete()
        made_before = [Commitment.What.HOUSE, Commitment.What.FILES]
        Commitment.objects.filter(round=round_, what__in=made_before).delete()
        Rescore.objects.filter(round=round_).delete()
        _remove_game_rows(round_)
        Round.objects.filter(pk=round_.pk).delete()
        if round_.game_id is not None:
            # Its game made these data for it alone; an imported copy of the contest may have the same.
            Dataset.objects.filter(pk=round_.dataset_id, rounds=None).delete()


def _remove_game_rows(round_: Round) -> None:
    """What a game has made before its round began: targets that were brought, seats, secrets, boards."""
    brought = Entry.objects.filter(round=round_, upload_sha256="")
    AttackRun.objects.filter(entry__in=brought).delete()
    Attack.objects.filter(round=round_, runs=None).delete()
    Sealed.objects.filter(round=round_).delete()
    brought.delete()


def require_removable(round_: Round) -> None:
    """Refuse to remove a round that was played, or the last round: a contest has at least one."""
    if Round.objects.get(pk=round_.pk).has_begun or round_.committed_at is not None:
        raise Refused("round-begun", _("This round has begun; it stays."))
    if Entry.objects.filter(round=round_).exclude(upload_sha256="", program_sha256="").exists():
        raise Refused(
            "entries-exist", _("There are entries in this round, of teams or of the house; it stays.")
        )
    looks = _looks_for_signals(round_).filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])
    orders = HouseOrder.objects.filter(round=round_, state=HouseOrder.State.WAITING)
    under_way = Job.objects.filter(state=Job.State.RUNNING).filter(
        Q(round=round_) | Q(attack_run__entry__round=round_)
    )
    if orders.exists() or looks.exists() or under_way.exists():
        raise Refused("work-waits", _("The house is making an entry for this round; it stays."))
    if not Round.objects.filter(contest=round_.contest_id).exclude(pk=round_.pk).exists():
        raise Refused("last-round", _("A contest needs at least one round."))


def may_remove(round_: Round) -> bool:
    try:
        require_removable(round_)
    except Refused:
        return False
    return True


def of_removal(round_: Round) -> list[Consequence]:
    """What would be removed together with a round."""
    require_removable(round_)
    n_phases, n_attacks = round_.phases.count(), round_.attacks.count()
    phases = ngettext("%(n)s phase goes with it.", "%(n)s phases go with it.", n_phases)
    attacks = ngettext("%(n)s house attack goes with it.", "%(n)s house attacks go with it.", n_attacks)
    return [
        Consequence("phases", n_phases, phases % {"n": n_phases}),
        Consequence("attacks", n_attacks, attacks % {"n": n_attacks}),
        _told(round_),
    ]


def _told(round_: Round) -> Consequence:
    if round_.is_hidden:
        return Consequence("never-seen", 0, _("Only organisers have seen the round; nobody is notified."))
    text = _("Everybody could see the round: that it is removed, and why, appears among the changes.")
    return Consequence("seen", 1, text)


def _looks_for_signals(round_: Round) -> QuerySet[Job]:
    return Job.objects.filter(kind=Job.Kind.SIGNALS, payload__round=round_.pk)
