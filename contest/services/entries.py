"""The life of an entry: uploaded, checked, scored; and which one of a team counts."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.board.official import DECIDES_WHICH_COUNTS, official_among
from contest.errors import Refused
from contest.files.storage import Stored
from contest.jobs import queue
from contest.language.moments import told
from contest.models import Entry, Job, Phase, Portrait, Round, Score, Sealed, Team, User
from contest.models.sealed import TRUTH
from contest.outside.notices import tell_judged
from contest.play.pictures import Illustrated
from contest.records import audit
from contest.records.locks import lock_entries, lock_team
from contest.services.attacks import queue_attacks_on
from contest.services.attempts import MAX_UPLOADS_A_DAY, count_attempts
from contest.services.board_versions import bump_board
from contest.services.illustrations import illustrate
from contest.services.seats import require_place
from contest.services.teams import require_playing
from datasets.messages import Template
from datasets.problems import Verdict
from datasets.remarks import Remark
from games.formats.measures import measure as find_measure
from scoring.measure import Measurement

MAX_NOTE = 200
BROKEN_LIMIT = Template("game-verdict.broken", "%(name)s")
"""A limit of the game, by the name of its measure or message; pages show its title."""
NOT_MADE = Template("program.not-made", "a program that ends with the files of an entry")
NO_ENTRY = Template("program.no-entry", "The program wrote no files that can be read as an entry.")
FILES_REFUSED = Template("job.files-refused", "The files break the rules.")


class RulesChanged(Exception):
    """The round's limits are no longer those by which a verdict was made."""


def submit_entry(
    round_: Round,
    team: Team,
    user: User | None,
    upload: Stored,
    *,
    note: str = "",
    method: str = "",
    slot: str = "",
    variant: int = 0,
    has_program: bool = False,
) -> Entry:
    """Accept an upload: the phase, the attempts and the entry's number are decided in one transaction."""
    with transaction.atomic():
        locked = lock_team(team.pk)
        now = timezone.now()
        if not team.is_house:
            require_playing(locked)
            require_may_submit(round_, team, now)
        require_place(round_, team, slot, variant)
        last = Entry.objects.filter(round=round_, team=team).aggregate(last=Max("number"))["last"] or 0
        entry = Entry.objects.create(
            round=round_,
            team=team,
            number=last + 1,
            submitted_by=user,
            received_at=now,
            note=note,
            method=method,
            upload_sha256=upload.sha256,
            upload_bytes=upload.size,
            slot=slot,
            variant=variant,
            costs_attempt=not team.is_house,
        )
        if round_.game_id is not None:
            name_target(entry)
        if not has_program:
            queue.enqueue_job(Job.Kind.CHECK, entry=entry, owner_id=team.pk)
        audit.record(
            "entry.submitted",
            entry,
            contest=round_.contest,
            actor=user,
            after={"team": team.name, "number": entry.number, "sha256": upload.sha256, "method": method},
        )
        bump_board(round_.pk, is_seen=False)
    return entry


def require_may_submit(round_: Round, team: Team, now: datetime.datetime | None = None) -> None:
    """Refuse an entry outside the phase for it, or of a team without an attempt left."""
    now = now or timezone.now()
    _require_open_phase(round_, now)
    _require_attempts_left(round_, team, now)


def _require_open_phase(round_: Round, now: object) -> None:
    phase = Phase.objects.filter(
        # Once the clock has closed a phase it stays closed, also where the machine's time jumps back.
        round=round_,
        kind=Phase.Kind.ANONYMISE,
        starts_at__lte=now,
        ends_at__gt=now,
        closed_at=None,
    ).first()
    if phase is None:
        raise Refused("phase-closed", _("Entries are accepted only while the anonymise phase is open."))


def _require_attempts_left(round_: Round, team: Team, now: object) -> None:
    attempts = count_attempts(round_, team, now)  # type: ignore[arg-type]
    reset = told(attempts.resets_at, round_.contest.zone)
    if attempts.left_total == 0:
        text = _("All %(in_total)s attempts of this round are used.")
        raise Refused("attempts-used-up", text % {"in_total": attempts.in_total})
    if attempts.left_today == 0:
        text = _("Today's %(per_day)s attempts are used; new ones from %(reset)s.")
        raise Refused("attempts-used-today", text % {"per_day": attempts.per_day, "reset": reset})
    if attempts.uploads_today >= MAX_UPLOADS_A_DAY:
        text = _("At most %(max_uploads_a_day)s uploads per day; again from %(reset)s.")
        values = {"max_uploads_a_day": MAX_UPLOADS_A_DAY, "reset": reset}
        raise Refused("too-many-uploads", text % values)


def name_target(entry: Entry) -> None:
    """Give an entry the name that answers use; an archive's entries keep theirs, so numbers may be taken."""
    key = str(entry.pk)
    while Entry.objects.filter(round=entry.round_id, key=key).exists():
        key += "x"
    Entry.objects.filter(pk=entry.pk).update(key=key)
    entry.key = key


def begin_check(entry: Entry) -> None:
    _move(entry, (Entry.State.UPLOADED, Entry.State.CHECKING), Entry.State.CHECKING)


def refuse_files(claim: queue.Claim, entry: Entry, verdict: Verdict) -> None:
    """The files break the rules: the team learns where, and keeps its attempt."""
    with claim.finish(FILES_REFUSED()):
        changed = Entry.objects.filter(pk=entry.pk, state=Entry.State.CHECKING).update(
            state=Entry.State.INVALID,
            costs_attempt=False,
            problems=verdict.as_data(),
            problem_total=verdict.total,
            remarks=[remark.as_data() for remark in verdict.remarks],
            finished_at=timezone.now(),
        )
        if changed:
            _record_state(entry, Entry.State.CHECKING, Entry.State.INVALID, f"{verdict.total} problems")
            bump_board(entry.round_id, is_seen=False)


def accept_files(
    claim: queue.Claim,
    entry: Entry,
    *,
    published: dict[str, str],
    sealed: Mapping[str, Stored],
    n_people: int | None = None,
    remarks: Iterable[Remark] = (),
) -> None:
    """The files are legal: store their neutral form, seal the truth, and let the scorer continue."""
    with claim.finish():
        # A change of the rules holds the locks of all teams, so they cannot change after this line.
        lock_team(entry.team_id)
        now = Round.objects.get(pk=entry.round_id)
        if now.file_rules != entry.round.file_rules or _plays_otherwise(now, entry.round):
            raise RulesChanged("The rules were changed while this entry was checked; it is checked again.")
        changed = Entry.objects.filter(pk=entry.pk, state=Entry.State.CHECKING).update(
            state=Entry.State.SCORING,
            published=published,
            n_people=n_people,
            remarks=[remark.as_data() for remark in remarks],
        )
        if changed:
            Sealed.objects.bulk_create(
                Sealed(
                    round_id=entry.round_id,
                    scope=Sealed.Scope.ENTRY,
                    entry=entry,
                    name=name,
                    sha256=file.sha256,
                    bytes=file.size,
                )
                for name, file in sealed.items()
            )
            _record_state(entry, Entry.State.CHECKING, Entry.State.SCORING)
            queue.enqueue_job(Job.Kind.SCORE, entry=entry, owner_id=entry.team_id)


def _plays_otherwise(now: Round, then: Round) -> bool:
    return (now.game_id, now.params, now.ranking) != (then.game_id, then.params, then.ranking)


@dataclass(frozen=True)
class Scored:
    """What was measured of an entry, and whether it may take part."""

    scores: Sequence[Score]
    measures: Mapping[str, float | None]
    utility: float | None
    because: Sequence[Any] = ()
    parts: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def is_valid(self) -> bool:
        return not self.because


def record_scores(
    claim: queue.Claim,
    entry: Entry,
    scored: Scored,
    portrait: Mapping[str, Any] | None = None,
    pictures: Illustrated | None = None,
) -> None:
    """Write all measures and the numbers of the pictures at once; a valid entry is official and attacked."""
    state = Entry.State.VALID if scored.is_valid else Entry.State.INVALID
    with claim.finish():
        # A change of the limits holds the locks of all teams, so they cannot change after this line.
        team = lock_team(entry.team_id)
        lock_entries(entry.round_id, entry.team_id)
        now = Round.objects.get(pk=entry.round_id)
        if now.limits != entry.round.limits or _plays_otherwise(now, entry.round):
            raise RulesChanged("The limits were changed while this entry was measured; it is measured again.")
        if scored.is_valid and now.game_id is None:
            _require_judgeable(entry, scored)
        Score.objects.bulk_create(scored.scores)
        if portrait:
            Portrait.objects.update_or_create(entry=entry, defaults={"numbers": dict(portrait)})
        if pictures:
            illustrate(pictures, entry=entry.pk)
        Entry.objects.filter(pk=entry.pk, state=Entry.State.SCORING).update(
            state=state,
            utility=scored.utility,
            measures=dict(scored.measures),
            parts=dict(scored.parts),
            because=list(scored.because),
            finished_at=timezone.now(),
        )
        _record_state(entry, Entry.State.SCORING, state)
        is_seen = False
        if scored.is_valid:
            is_seen = refresh_official(entry.round, team, [entry.slot])
            entry.refresh_from_db()
            queue_attacks_on(entry)
        bump_board(entry.round_id, is_seen=is_seen)


def _require_judgeable(entry: Entry, scored: Scored) -> None:
    if scored.utility is None or not Sealed.objects.filter(entry=entry.pk, name=TRUTH).exists():
        raise ValueError(f"Entry {entry.pk} has no truth or no utility and cannot become valid.")


def lacking_truth(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Those of some entries that no judge could compare a guess with."""
    return entries.exclude(pk__in=Sealed.objects.filter(name=TRUTH, entry__in=entries).values("entry"))


def scores_of(entry: Entry, measurements: Mapping[str, Measurement]) -> list[Score]:
    """What was measured, as rows that are not stored yet."""
    return [
        Score(
            entry=entry,
            measure=name,
            version=find_measure(name).version,
            value=result.value,
            detail=without_links(result.detail),
        )
        for name, result in measurements.items()
    ]


def without_links(detail: Any) -> Any:
    """A measure's detail without pseudonyms: beside a name they are the truth."""
    if isinstance(detail, Mapping):
        return {key: without_links(value) for key, value in detail.items() if key != "pseudonym"}
    if isinstance(detail, list | tuple):
        return [without_links(value) for value in detail]
    return detail


def refresh_official(round_: Round, team: Team, slots: Iterable[str] | None = None) -> bool:
    """In each slot let that entry count which the round's rule chooses; ``slots`` are those that can change.
    Call it with the entries locked and the team of `lock_team`. Returns whether something changed."""
    mine = Entry.objects.filter(round=round_, team=team).exclude(upload_sha256="")
    if slots is not None:
        mine = mine.filter(slot__in=list(slots))
    entries = list(mine.only("round", "team", *DECIDES_WHICH_COUNTS).order_by("pk"))
    for entry in entries:
        entry.team = team
    # The caller's round may have been read before somebody froze it or changed its rule.
    fresh = Round.objects.select_related("contest").get(pk=round_.pk)
    chosen = official_among(fresh, entries)
    changed = [
        _choose(fresh, [it for it in entries if it.slot == slot], chosen.get((team.pk, slot)))
        for slot in sorted({entry.slot for entry in entries})
    ]
    return any(changed)


def _choose(round_: Round, entries: Sequence[Entry], chosen: Entry | None) -> bool:
    """Let one entry of a slot count; returns whether another one did before."""
    if chosen and chosen.is_official:
        return False
    before = [entry.pk for entry in entries if entry.is_official]
    if before:
        Entry.objects.filter(pk__in=before).update(is_official=False)
    if chosen:
        Entry.objects.filter(pk=chosen.pk).update(is_official=True)
        audit.record("entry.official", chosen, contest=round_.contest, after={"number": chosen.number})
    return bool(chosen or before)


def is_frozen(round_: Round) -> bool:
    return Round.objects.filter(pk=round_.pk, frozen_at__isnull=False).exists()


def pin_entry(entry: Entry, user: User) -> None:
    """Make an entry the one that counts, until another is pinned."""
    with transaction.atomic():
        team = lock_team(entry.team_id)
        lock_entries(entry.round_id, entry.team_id)
        require_playing(team)
        entry.refresh_from_db()
        if is_frozen(entry.round):
            raise Refused(
                "frozen", _("The entries of this round are frozen; the choice cannot be changed now.")
            )
        if entry.state != Entry.State.VALID or entry.mark:
            raise Refused("not-valid", _("Only a valid entry can be made official."))
        same = Entry.objects.filter(round=entry.round, team=entry.team, slot=entry.slot)
        same.filter(is_pinned=True).update(is_pinned=False)
        Entry.objects.filter(pk=entry.pk).update(is_pinned=True)
        is_seen = refresh_official(entry.round, team, [entry.slot])
        bump_board(entry.round_id, is_seen=is_seen)
        audit.record("entry.pinned", entry, contest=entry.round.contest, actor=user)


def change_note(entry: Entry, user: User, note: str) -> None:
    """A team's note to itself about an entry; it may be changed at any time and is on no board."""
    note = note.strip()
    if len(note) > MAX_NOTE:
        raise Refused(
            "note-too-long",
            _("A note has at most %(most)s characters. Got %(got)s instead.")
            % {"most": MAX_NOTE, "got": len(note)},
        )
    with transaction.atomic():
        before = entry.note
        if Entry.objects.filter(pk=entry.pk).exclude(note=note).update(note=note):
            audit.record(
                "entry.note",
                entry,
                contest=entry.round.contest,
                actor=user,
                before={"note": before},
                after={"note": note},
            )
    entry.note = note


def _move(entry: Entry, sources: tuple[str, ...], target: str) -> None:
    with transaction.atomic():
        changed = (
            Entry.objects.filter(pk=entry.pk, state__in=sources).exclude(state=target).update(state=target)
        )
        if changed:
            _record_state(entry, entry.state, target)
    entry.refresh_from_db()


def _record_state(entry: Entry, before: str, after: str, reason: str = "") -> None:
    audit.record(
        "entry.state",
        entry,
        contest=entry.round.contest,
        before={"state": before},
        after={"state": after},
        reason=reason,
    )
    if after in Entry.FINAL:
        tell_judged(entry, after)
