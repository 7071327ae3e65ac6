"""What a change of settings would do, computed on the current data; nothing is touched."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, BinaryIO, cast
from zoneinfo import ZoneInfo

from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.board import queries
from contest.board.disclosure import budget_of
from contest.board.official import official_among
from contest.board.overall import public_overall
from contest.board.ranking import find_ranking, rank
from contest.declarations.round import ROUND
from contest.files.storage import published
from contest.language.moments import told
from contest.models import Attack, AttackRun, Contest, Entry, Phase, Round, Team
from contest.models.round import Feedback
from contest.names.tracks import read_tracks
from contest.services.attempts import count_attempts
from contest.services.consequence import Consequence
from contest.services.datasets import load_original
from contest.services.odd_times import remarks_on
from contest.services.still_boards import of_freeze
from games.formats.rules import FileRules

NAMED = 5
"""How many entries or teams a sentence names before it says how many more there are."""


def of_contest(contest: Contest, changes: Mapping[str, Any]) -> list[Consequence]:
    """What other settings of a contest would do. ``changes`` holds only what is different."""
    found = []
    teams = Team.objects.filter(contest=contest, is_house=False).exclude(status=Team.Status.REMOVED)
    if "is_public" in changes:
        n = teams.count()
        if changes["is_public"]:
            found.append(Consequence("becomes-public", n, _("Everybody sees the contest from now on.")))
        else:
            text = ngettext(
                "Nobody but organisers sees the contest any more, not even its %(n)s team.",
                "Nobody but organisers sees the contest any more, not even its %(n)s teams.",
                n,
            )
            found.append(Consequence("becomes-hidden", n, text % {"n": n}))
    if "max_team_size" in changes:
        cap = changes["max_team_size"]
        large = teams.annotate(n=Count("memberships")).filter(n__gt=cap).order_by("pk")
        names = [team.name for team in large]
        if names:
            text = ngettext(
                "%(n)s team is larger than that already and stays so: %(names)s.",
                "%(n)s teams are larger than that already and stay so: %(names)s.",
                len(names),
            )
            said = text % {"n": len(names), "names": _named(names)}
            found.append(Consequence("teams-too-large", len(names), said))
    if "min_team_size" in changes:
        found += _too_small(teams, changes["min_team_size"])
    if "tracks" in changes:
        found += of_tracks(contest, changes["tracks"])
    if "time_zone" in changes:
        text = _("Days, and with them the attempts per day, begin at midnight of the new zone.")
        found.append(Consequence("other-midnight", teams.count(), text))
        found += _times_in(contest, ZoneInfo(changes["time_zone"]))
    if "approve_teams" in changes and not changes["approve_teams"]:
        n = teams.filter(status=Team.Status.PENDING).count()
        if n:
            text = ngettext("%(n)s team still waits for approval.", "%(n)s teams still wait for approval.", n)
            found.append(Consequence("teams-waiting", n, text % {"n": n}))
    if "may_be_embedded" in changes:
        found.append(_embedding(contest.rounds.count(), changes["may_be_embedded"]))
    if "slug" in changes:
        found.append(_new_address(contest.rounds.count()))
    return found


def _too_small(teams: QuerySet[Team], least: int) -> list[Consequence]:
    small = teams.annotate(n=Count("memberships")).filter(n__lt=least).order_by("pk")
    names = [team.name for team in small]
    if not names:
        return []
    text = ngettext(
        "%(n)s team is too small and hands nothing in until more people join: %(names)s.",
        "%(n)s teams are too small and hand nothing in until more people join: %(names)s.",
        len(names),
    )
    return [Consequence("teams-too-small", len(names), text % {"n": len(names), "names": _named(names)})]


TRACK_IN_USE = "track-in-use"
"""What is refused: a track stays as long as teams are in it, or their places there would end unsaid."""


def of_tracks(contest: Contest, tracks: str) -> list[Consequence]:
    """What other tracks would do."""
    found = []
    stays = [track.name for track in read_tracks(tracks)]
    teams = Team.objects.filter(contest=contest, is_house=False).exclude(track__in=["", *stays])
    lost = dict(teams.order_by().values_list("track").annotate(n=Count("pk")))
    if lost:
        text = _("Tracks that have teams stay: %(tracks)s. Put the teams into other tracks first.")
        said = text % {"tracks": ", ".join(f"{name} ({n})" for name, n in sorted(lost.items()))}
        found.append(Consequence(TRACK_IN_USE, sum(lost.values()), said))
    n = Team.objects.filter(contest=contest, is_house=False, track="").count() if tracks else 0
    if n:
        text = ngettext(
            "%(n)s team is in no track and may choose one.",
            "%(n)s teams are in no track and may choose one.",
            n,
        )
        found.append(Consequence("teams-without-track", n, text % {"n": n}))
    return found


def _times_in(contest: Contest, zone: ZoneInfo) -> list[Consequence]:
    """Phases stay at the same instants; the clock on the wall reads otherwise."""
    phases = Phase.objects.filter(round__contest=contest).select_related("round__contest")
    ahead = list(phases.filter(ends_at__gt=timezone.now()).order_by("starts_at", "pk"))
    if not ahead:
        return []
    text = _("No phase moves: what is %(before)s now is shown as %(after)s, which is the same moment.")
    first = ahead[0]
    values = {"before": told(first.starts_at, contest.zone), "after": told(first.starts_at, zone)}
    found = [Consequence("same-instants", len(ahead), text % values)]
    return found + [Consequence("odd-time", 1, remark) for remark in remarks_on(ahead, zone)]


def _embedding(n: int, is_allowed: bool) -> Consequence:
    if is_allowed:
        text = _("Any site may show the boards in a frame from now on, as everybody may see them.")
        return Consequence("may-be-embedded", n, text)
    text = _("Sites that show the boards in a frame get an error from now on.")
    return Consequence("no-longer-embedded", n, text)


def of_round(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    """What other settings of a round would do. ``changes`` holds only what is different."""
    found = [
        *_of_rules(round_, changes),
        *(_of_places(round_, changes) if round_.game_id is None else _of_game(round_, changes)),
        *_of_choice(round_, changes),
        *_of_weight(round_, changes),
        *_of_feedback(round_, changes),
        *(_of_budget(round_, changes) if round_.game_id is None else ()),
        *_of_attempts(round_, changes),
        *of_freeze(round_, changes),
    ]
    if _concerns(changes, "programs"):
        waiting = AttackRun.objects.filter(attack__round=round_, attack__kind=Attack.Kind.PROGRAM)
        n = waiting.filter(state=AttackRun.State.QUEUED).count()
        text = ngettext(
            "%(n)s waiting run of a program gets the new bounds; what has run stays as it is.",
            "%(n)s waiting runs of programs get the new bounds; what has run stays as it is.",
            n,
        )
        found.append(Consequence("program-bounds", n, text % {"n": n}))
    if "is_hidden" in changes and not round_.has_begun:
        if changes["is_hidden"]:
            text = _("Nobody but organisers sees the round until its first phase begins.")
            found.append(Consequence("round-hidden", 1, text))
        else:
            text = _("Everybody who sees the contest sees the round from now on.")
            found.append(Consequence("round-shown", 1, text))
    if "slug" in changes:
        found.append(_new_address(1))
    return found


def _concerns(changes: Mapping[str, Any], what: str) -> bool:
    """Whether a changed setting has this consequence, as the settings declare."""
    return any(what in setting.on_change for setting in ROUND if setting.name in changes)


def broken_entries(round_: Round, rules: FileRules) -> dict[int, str]:
    """Entries that count or could count and break other file rules: their key, and the first problem.

    The checker of the format looks at the public files; the truth in the vault is not needed for that.
    """
    spec = round_.dataset.spec
    original = load_original(round_.dataset)
    broken = {}
    standing = Entry.objects.filter(round=round_, state=Entry.State.VALID, mark=Entry.Mark.NONE)
    for entry in standing.order_by("pk"):
        entry.round = round_
        with ExitStack() as stack:
            files = {
                name: cast("BinaryIO", stack.enter_context(published.open(sha256)))
                for name, sha256 in entry.published.items()
            }
            verdict = spec.check_public(files, original, rules, entry.n_people or 0)
        if not verdict.ok:
            broken[entry.pk] = str(verdict.problems[0])
    return broken


def _of_rules(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    if "file_rules" not in changes:
        return []
    broken = broken_entries(round_, FileRules(**changes["file_rules"]))
    if not broken:
        return [Consequence("entries-keep-rules", 0, _("All entries follow the new file rules."))]
    entries = Entry.objects.filter(pk__in=broken).select_related("team").order_by("pk")
    text = ngettext(
        "This makes %(n)s entry invalid, which becomes void: %(names)s.",
        "This makes %(n)s entries invalid, which become void: %(names)s.",
        len(broken),
    )
    said = text % {"n": len(broken), "names": _named([str(entry) for entry in entries])}
    return [Consequence("entries-invalid", len(broken), said)]


def _of_places(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    """What another ranking rule does, or the house taking places or no longer taking them."""
    if not _concerns(changes, "places"):
        return []
    standing = queries.places(round_, show_attacks=True)
    house_takes_places = changes.get("house_takes_places", round_.house_takes_places)
    results = [
        dataclasses.replace(place.result, takes_place=house_takes_places or not entry.is_house)
        for place, entry in standing
    ]
    ranked = rank(results, find_ranking(changes.get("ranking", round_.ranking)))
    after = {place.result.key: place.rank for place in ranked}
    n = sum(place.rank != after[entry.pk] for place, entry in standing if not entry.is_house)
    text = ngettext("%(n)s team changes its place.", "%(n)s teams change their places.", n)
    found = [Consequence("places-change", n, text % {"n": n})]
    if "house_takes_places" in changes:
        n_house = sum(entry.is_house for _place, entry in standing)
        found.append(_of_house(n_house, takes_places=house_takes_places))
    if round_.tallied_at is not None:
        text = _("The committed board is withdrawn publicly and committed again.")
        found.append(Consequence("board-withdrawn", 1, text))
    return found


def _of_choice(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    """For how many teams another entry counts then."""
    if not _concerns(changes, "official"):
        return []
    after = copy.copy(round_)
    for name in ("ranking", "which_counts"):
        setattr(after, name, changes.get(name, getattr(round_, name)))
    entries = list(Entry.objects.filter(round=round_).select_related("team").order_by("pk"))
    chosen = official_among(after, entries).values()
    changed = sorted({entry.team.name for entry in chosen if not entry.is_official})
    if not changed and "which_counts" not in changes:
        return []
    text = ngettext(
        "Another entry counts for %(n)s team: %(names)s.",
        "Another entry counts for %(n)s teams: %(names)s.",
        len(changed),
    )
    if not changed:
        text = _("For every team the same entry counts as before.")
    return [Consequence("other-entries", len(changed), text % {"n": len(changed), "names": _named(changed)})]


def _of_game(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    """What other parameters, another rule, or the house taking places do where a game counts the boards."""
    found = []
    if "params" in changes:
        text = _("The game makes the data of the round again; what was handed out before is void.")
        found.append(Consequence("built-again", 1, text))
    if _concerns(changes, "places"):
        found.append(Consequence("counted-again", 1, _("The game counts the boards of the round again.")))
        if round_.tallied_at is not None:
            text = _("The committed board is withdrawn publicly and committed again.")
            found.append(Consequence("board-withdrawn", 1, text))
    return found


def _of_house(n: int, *, takes_places: bool) -> Consequence:
    if takes_places:
        text = ngettext(
            "The house takes places from now on: %(n)s house entry on the board, and its attacks.",
            "The house takes places from now on: %(n)s house entries on the board, and its attacks.",
            n,
        )
        return Consequence("house-takes-places", n, text % {"n": n})
    text = ngettext(
        "The house takes no place any more: %(n)s house entry on the board, and its attacks.",
        "The house takes no place any more: %(n)s house entries on the board, and its attacks.",
        n,
    )
    return Consequence("house-takes-no-place", n, text % {"n": n})


def _of_weight(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    if "weight" not in changes:
        return []
    before = {line.team_id: line.rank for line in public_overall(round_.contest).lines}
    weights = {round_.pk: changes["weight"]}
    after = {line.team_id: line.rank for line in public_overall(round_.contest, weights).lines}
    n = sum(before.get(key) != after.get(key) for key in before.keys() | after.keys())
    text = ngettext("%(n)s team changes its overall place.", "%(n)s teams change their overall places.", n)
    return [Consequence("overall-places-change", n, text % {"n": n})]


def _of_feedback(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    if "feedback" not in changes:
        return []
    judged = AttackRun.objects.filter(attack__round=round_, attack__is_dry_run=False)
    n = judged.filter(state=AttackRun.State.DONE).count()
    if changes["feedback"] == Feedback.FULL:
        text = ngettext(
            "%(n)s result of an attack becomes public at once.",
            "%(n)s results of attacks become public at once.",
            n,
        )
        return [Consequence("results-shown", n, text % {"n": n})]
    if round_.feedback == Feedback.FULL:
        text = ngettext(
            "%(n)s result of an attack, public so far, is hidden until the results phase.",
            "%(n)s results of attacks, public so far, are hidden until the results phase.",
            n,
        )
        return [Consequence("results-hidden", n, text % {"n": n})]
    return [
        Consequence("feedback-changes", n, _("From now on teams get different feedback about their attacks."))
    ]


def _of_budget(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    """How many bits about a P the answers may then reveal, where that changes."""
    before, after = budget_of(round_), budget_of(round_, changes)
    if before == after:
        return []
    text = _(
        "The round reveals to an attacker at most %(after)s bits about a P, instead of %(before)s; all of it "
        "is %(most)s bits."
    )
    values = {"after": after.shown, "before": before.shown, "most": round(after.most)}
    return [Consequence("bits-told", after.shown, text % values)]


def _of_attempts(round_: Round, changes: Mapping[str, Any]) -> list[Consequence]:
    if not _concerns(changes, "attempts"):
        return []
    per_day = changes.get("entries_per_day", round_.entries_per_day)
    in_total = changes.get("entries_in_total", round_.entries_in_total)
    over = []
    teams = Team.objects.filter(contest=round_.contest_id, is_house=False).order_by("pk")
    for team in teams.exclude(status=Team.Status.REMOVED):
        used = count_attempts(round_, team)
        if used.used_today > per_day or used.used_in_total > in_total:
            over.append(team.name)
    if not over:
        return [Consequence("attempts-suffice", 0, _("No team has used more attempts than that."))]
    text = ngettext(
        "%(n)s team has used more than that already; its entries stay: %(names)s.",
        "%(n)s teams have used more than that already; their entries stay: %(names)s.",
        len(over),
    )
    return [Consequence("attempts-overdrawn", len(over), text % {"n": len(over), "names": _named(over)})]


def _new_address(n: int) -> Consequence:
    return Consequence(
        "new-address", n, _("The pages get new addresses; links to the old ones stop working.")
    )


def _named(names: list[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown + (" …" if len(names) > NAMED else "")
