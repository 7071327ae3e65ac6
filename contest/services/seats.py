"""Seats: which place at the table of a round a team has, and whether it may play there."""

from __future__ import annotations

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.jobs.queue import enqueue_once
from contest.models import Contest, Job, Round, Seat, Team
from contest.models.round import BuildState
from contest.play.table import Table
from games.contract.declaration import Declaration, Seats
from games.contract.seating import placed
from games.rehearsal import generator


def require_place(round_: Round, team: Team, slot: str, variant: int) -> None:
    """Refuse an entry of a game whose data are not made, of a team without a seat, or for no such slot."""
    if round_.game_id is None:
        return
    require_built(round_)
    declared = Table(round_).declared
    if slot not in declared.slots:
        text = _("There is no part %(slot)r in this round. Expected one of %(slots)s.")
        raise Refused("no-such-slot", text % {"slot": slot, "slots": ", ".join(declared.slots)})
    require_variant(declared, variant)
    if not team.is_house:
        seat = seat_for(round_, team)
        if seat.choice is not None and seat.choice != variant:
            text = _("Your team has chosen alternative %(n)s; entries are made from that one.")
            raise Refused("other-variant", text % {"n": seat.choice + 1})


def require_variant(declared: Declaration, variant: int) -> None:
    if not 0 <= variant < declared.seats.variants:
        text = _("There is no alternative %(got)s. Expected 1 to %(n)s.")
        raise Refused("no-such-variant", text % {"got": variant + 1, "n": declared.seats.variants})


def require_built(round_: Round) -> None:
    state = Round.objects.values_list("build_state", flat=True).get(pk=round_.pk)
    if state != BuildState.READY:
        raise Refused("not-ready", _("The data of this round are not ready yet."))


def seat_for(round_: Round, team: Team) -> Seat:
    """The seat of a team, which must have one."""
    seat = Seat.objects.filter(round=round_, team=team).first()
    if seat is None:
        raise Refused("no-seat", _("Your team has no place in this round yet; it gets one shortly."))
    return seat


def seat_teams(contest: Contest) -> None:
    """Let a worker place teams that have no seat yet, in every round that is played by a game."""
    rounds = Round.objects.filter(contest=contest, game__isnull=False, build_state=BuildState.READY)
    for round_id in rounds.values_list("pk", flat=True):
        enqueue_once(Job.Kind.BUILD, round_id)


def make_seats(table: Table) -> list[Seat]:
    """The seats that the game declares and that are not there yet; the spare ones are the house's."""
    seats = table.declared.seats
    if Seat.objects.filter(round=table.round).exists():
        return []
    # Where each team brings its own seat, the spare ones come first and teams are counted after them.
    return Seat.objects.bulk_create(
        Seat(round=table.round, number=number, is_spare=number >= seats.count)
        for number in range(seats.count + seats.spare)
    )


def place_teams(table: Table) -> list[Seat]:
    """Give every team that plays a seat, in the order in which they registered; returns the new ones."""
    round_, seats = table.round, table.declared.seats
    seated = Seat.objects.filter(round=round_, team__isnull=False).values("team")
    playing = Team.objects.filter(contest=round_.contest_id, is_house=False, status=Team.Status.ACTIVE)
    new = []
    for team in playing.exclude(pk__in=seated).order_by("pk"):
        seat = _free_seat(table, seats, team)
        if seat is None:
            break
        seat.team, seat.placed_at = team, timezone.now()
        seat.save()
        new.append(seat)
    return new


def _free_seat(table: Table, seats: Seats, team: Team) -> Seat | None:
    """The seat that the game's way of placing gives a team; None where all are taken."""
    if not seats.count:
        last = Seat.objects.filter(round=table.round).aggregate(last=Max("number"))["last"]
        return Seat(round=table.round, number=0 if last is None else last + 1)
    free = list(Seat.objects.filter(round=table.round, team=None, is_spare=False).order_by("number"))
    if not free:
        return None
    if seats.placing == "drawn":
        return free[int(generator(table.seed, "place", team.name).integers(len(free)))]
    if seats.placing == "hash":
        numbers = {seat.number: seat for seat in free}
        taken = set(range(seats.count)) - set(numbers)
        (number,) = placed([team.name], table.round_text(seats.salt), seats.count, taken)
        return numbers[number]
    return free[0]
