"""Settings of a contest and its rounds. A save names the version that was shown: nothing is lost unseen."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.declarations.contest import CONTEST
from contest.declarations.round import ROUND
from contest.errors import Refused
from contest.models import Contest, Dataset, Entry, Organiser, Phase, Round, User
from contest.names.lookalikes import look_of
from contest.names.policy import TITLE
from contest.names.validation import clean_name, clean_slug
from contest.records import audit
from contest.records.locks import lock_contest, lock_person, lock_play, lock_teams
from contest.services.board_versions import bump_board
from contest.services.consequences import TRACK_IN_USE, broken_entries, of_tracks
from contest.services.contests import JOINING, require_sound_joining, taken
from contest.services.entry_marks import choose_all_again, count_again, require_reason, void_entry
from contest.services.game_parameters import build_again, checked_changes
from contest.services.phases import require_sound
from contest.services.still_boards import require_freezable
from games.formats.rules import FIXED_ONCE_MEASURED, FileRules

CONTEST_SETTINGS = tuple(setting.name for setting in CONTEST)
ROUND_SETTINGS = (*(setting.name for setting in ROUND), "file_rules")
RANKED_BY = {setting.name for setting in ROUND if "places" in setting.on_change}
CHOSEN_BY = {setting.name for setting in ROUND if "official" in setting.on_change}

SubjectT = TypeVar("SubjectT", bound=Contest | Round)


class Stale(Refused):
    """The settings were changed by somebody else since the form was shown."""

    def __init__(self, version: int) -> None:
        text = _(
            "Somebody else has saved these settings meanwhile. Nothing of yours is lost and nothing is saved "
            "yet: compare below, and save again to replace them with yours."
        )
        super().__init__("changed-meanwhile", text)
        self.version = version


def differences(subject: Contest | Round, given: Mapping[str, Any]) -> dict[str, Any]:
    """Which of the given settings differ from the current ones. File rules that are not named stay."""
    changed = {name: value for name, value in given.items() if getattr(subject, name) != value}
    if "file_rules" in changed:
        # Rules that are not stored are at their defaults.
        now = FileRules(**getattr(subject, "file_rules", {}))
        rules = dataclasses.replace(now, **changed.pop("file_rules"))
        changed |= {"file_rules": dataclasses.asdict(rules)} if rules != now else {}
    return changed


def round_differences(round_: Round, given: Mapping[str, Any]) -> dict[str, Any]:
    """The same of a round; a game decides which rule and parameters there are."""
    changed = differences(round_, given)
    return changed if round_.game_id is None else checked_changes(round_, changed)


def change_contest(contest: Contest, user: User, version: int, given: Mapping[str, Any], reason: str) -> None:
    """Save settings of a contest, all or nothing."""
    require_reason(reason)
    changes = differences(contest, {name: given[name] for name in CONTEST_SETTINGS if name in given})
    if "title" in changes:
        changes["title"] = clean_name(changes["title"], TITLE)
    keys = {"look_key": look_of(clean_slug(changes["slug"]))} if "slug" in changes else {}
    try:
        with transaction.atomic():
            fresh = lock_contest(contest.pk)
            if "tracks" in changes:
                _require_tracks_unused(fresh, changes["tracks"])
            for round_id in contest.rounds.order_by("pk").values_list("pk", flat=True):
                bump_board(round_id)
            require_sound_joining({**_joining(fresh), **changes})
            before = {name: as_audited(getattr(fresh, name), fresh.zone) for name in changes}
            claim_version(fresh, version, **changes, **keys)
            audit.record(
                "contest.changed",
                contest,
                contest=contest,
                actor=user,
                before=before,
                after={name: as_audited(value, fresh.zone) for name, value in changes.items()},
                reason=reason,
            )
    except IntegrityError:
        raise taken(given["slug"]) from None
    contest.refresh_from_db()


def _joining(contest: Contest) -> dict[str, Any]:
    return {name: getattr(contest, name) for name in JOINING}


def as_audited(value: Any, zone: datetime.tzinfo = datetime.UTC) -> Any:
    """A value of a setting as the log holds it: times as text with their offset."""
    return value.astimezone(zone).isoformat() if isinstance(value, datetime.datetime) else value


def change_round(round_: Round, user: User, version: int, given: Mapping[str, Any], reason: str) -> None:
    """Save settings of a round, all or nothing; entries that break new file rules become void with it."""
    require_reason(reason)
    names = (*ROUND_SETTINGS, "params")
    changes = round_differences(round_, {name: given[name] for name in names if name in given})
    _require_possible(round_, changes)
    # The checker is slow, so it runs before the locks are taken; see `_require_same_entries`.
    looked_at = _standing(round_)
    rules = changes.get("file_rules")
    broken = broken_entries(round_, FileRules(**rules)) if rules is not None else {}
    try:
        with transaction.atomic():
            lock_teams(round_.contest_id)
            lock_play(round_.pk)
            fresh = _there(Round.objects.filter(pk=round_.pk).first())
            before = {name: getattr(fresh, name) for name in changes}
            if rules is not None:
                _require_same_entries(round_, looked_at)
            if "params" in changes:
                checked_changes(fresh, changes)
            claim_version(fresh, version, **changes)
            audit.record(
                "round.changed",
                round_,
                contest=round_.contest,
                actor=user,
                before={name: as_audited(value, round_.contest.zone) for name, value in before.items()},
                after={name: as_audited(value, round_.contest.zone) for name, value in changes.items()},
                reason=reason,
            )
            for entry in Entry.objects.filter(pk__in=broken).select_related("team", "round__contest"):
                void_entry(entry, user, f"{reason[:100]}: {broken[entry.pk]}"[:300])
            if "params" in changes:
                build_again(Round.objects.select_related("dataset", "game").get(pk=round_.pk))
            if CHOSEN_BY & set(changes):
                choose_all_again(round_)
            if RANKED_BY & set(changes):
                count_again(fresh, timezone.now(), reason)
            bump_board(round_.pk)
    except IntegrityError:
        raise taken(given["slug"]) from None
    round_.refresh_from_db()


def require_no_entries(round_: Round) -> None:
    """Refuse other data for a round that has been played; checked before tables are built, too."""
    if Entry.objects.filter(round=round_).exists():
        raise Refused("entries-exist", _("There are entries made from this round’s data; it stays."))


def change_data(round_: Round, user: User, dataset: Dataset, reason: str) -> None:
    """Play a round on other tables; possible until the first entry is handed in."""
    require_reason(reason)
    with transaction.atomic():
        lock_teams(round_.contest_id)
        require_no_entries(round_)
        before = _there(Round.objects.select_related("dataset").filter(pk=round_.pk).first()).dataset
        if dataset.format != before.format:
            raise Refused(
                "another-format",
                _("The round is played in the format %(format)s; choose data of that format.")
                % {"format": before.format},
            )
        Round.objects.filter(pk=round_.pk).update(dataset=dataset)
        audit.record(
            "round.data_changed",
            round_,
            contest=round_.contest,
            actor=user,
            before={"data": before.name, "files": before.files},
            after={"data": dataset.name, "files": dataset.files},
            reason=reason,
        )
        bump_board(round_.pk)
    round_.refresh_from_db()


def add_organiser(contest: Contest, user: User, person: User) -> None:
    """Let somebody else run the contest too."""
    with transaction.atomic():
        lock_person(person.pk)
        if person.memberships.filter(contest=contest).exists():
            raise Refused("plays", _("This person plays in a team of the contest and cannot organise it."))
        _made, created = Organiser.objects.get_or_create(contest=contest, user=person)
        if not created:
            raise Refused("no-change", _("This person organises the contest already."))
        after = {"organiser": person.username}
        audit.record("organiser.added", contest, contest=contest, actor=user, after=after)


def remove_organiser(contest: Contest, user: User, person: User) -> None:
    """The last organiser stays: a contest is never without one."""
    with transaction.atomic():
        lock_contest(contest.pk)
        others = Organiser.objects.filter(contest=contest).exclude(user=person)
        if not others.exists():
            raise Refused("last-organiser", _("A contest needs at least one organiser."))
        gone, _rows = Organiser.objects.filter(contest=contest, user=person).delete()
        if gone:
            before = {"organiser": person.username}
            audit.record("organiser.removed", contest, contest=contest, actor=user, before=before)


def _require_tracks_unused(contest: Contest, tracks: str) -> None:
    for found in of_tracks(contest, tracks):
        if found.code == TRACK_IN_USE:
            raise Refused(found.code, found.text)


def claim_version(subject: Contest | Round, version: int, **changes: Any) -> None:
    """Change settings that are still as they were shown; of two organisers at once, one is stale."""
    model = Contest if isinstance(subject, Contest) else Round
    saved = model.objects.filter(pk=subject.pk)
    if not saved.filter(settings_version=version).update(**changes, settings_version=version + 1):
        raise Stale(_there(saved.first()).settings_version)


def _there(found: SubjectT | None) -> SubjectT:
    """The object to change, unless a colleague has removed it meanwhile."""
    if found is None:
        raise Refused("changed-meanwhile", _("Somebody else has removed this round meanwhile."))
    return found


def _require_possible(round_: Round, changes: Mapping[str, Any]) -> None:
    if "seed" in changes and round_.committed_at is not None:
        raise Refused("seed-committed", _("The hash of this round’s seed is published; the seed stays."))
    if "feedback" in changes:
        phases = Phase.objects.filter(round=round_)
        require_sound(phases, changes["feedback"], round_.contest.zone)
    require_freezable(round_, changes)
    if "file_rules" in changes:
        _require_unmeasured(round_, FileRules(**changes["file_rules"]))


def _require_unmeasured(round_: Round, rules: FileRules) -> None:
    """A rule that measures depend on stays once an entry is measured by it."""
    before = FileRules(**round_.file_rules)
    measured = Entry.objects.filter(round=round_).exclude(measures={})
    for name, text in FIXED_ONCE_MEASURED.items():
        if getattr(rules, name) != getattr(before, name) and measured.exists():
            raise Refused("measured-already", _(text))


def _standing(round_: Round) -> list[int]:
    valid = Entry.objects.filter(round=round_, state=Entry.State.VALID, mark=Entry.Mark.NONE)
    return list(valid.order_by("pk").values_list("pk", flat=True))


def _require_same_entries(round_: Round, looked_at: list[int]) -> None:
    """An entry became valid while the others were checked: what was shown to the organiser is not all."""
    if _standing(round_) != looked_at:
        raise Refused("changed-meanwhile", _("The round has changed since; look at what follows again."))
