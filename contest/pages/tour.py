"""The guided tour of a first-time team: the steps in their order, and which of them the team has done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _

from contest import access
from contest.board import queries
from contest.board.official import rule_in_words
from contest.language.translation import say
from contest.models import Attack, Contest, Entry, Membership, Phase, Round, Team
from contest.play.offers import has_methods
from games.formats.texts import FORMAT_TEXTS


@dataclass(frozen=True)
class TourStep:
    """One step: what to do and why, where, and whether it is done; None where nobody can know."""

    name: str
    title: str
    words: str
    url: str
    label: str
    is_done: bool | None


@dataclass(frozen=True)
class Tour:
    """The steps, how many of the detectable ones are done, and the first that is not."""

    steps: list[TourStep]

    @property
    def n_known(self) -> int:
        return sum(step.is_done is not None for step in self.steps)

    @property
    def n_done(self) -> int:
        return sum(step.is_done is True for step in self.steps)

    @property
    def n_to_look_at(self) -> int:
        """Steps of which nobody can know whether they are done, such as reading the rules."""
        return len(self.steps) - self.n_known

    @property
    def next_step(self) -> TourStep | None:
        return next((step for step in self.steps if step.is_done is False), None)


@dataclass(frozen=True)
class Deeds:
    """What a team has done in a round, read in a few queries."""

    entries: int = 0
    valid: int = 0
    chosen: int = 0
    tries: int = 0
    attacks: int = 0
    members: int = 0


def tour_of(user: access.Viewer, contest: Contest) -> Tour:
    """The tour through the round that is open now, or else the last one."""
    team = access.team_of(user, contest)
    round_ = _current_round(user, contest)
    steps = _beginning(user, contest, team)
    if round_ is not None:
        deeds = _deeds(round_, team) if team else Deeds()
        if round_.game_id is not None:
            steps += steps_of_game(round_, team, deeds, _hiding(round_, team, deeds))
        else:
            steps += _hiding(round_, team, deeds) + _seeking(round_, deeds)
    return Tour(steps)


def _current_round(user: access.Viewer, contest: Contest) -> Round | None:
    rounds = access.rounds_for(user, contest)
    hiding = (round_ for round_ in rounds if queries.open_phase(round_, Phase.Kind.ANONYMISE))
    return next(hiding, rounds[-1] if rounds else None)


def _deeds(round_: Round, team: Team) -> Deeds:
    entries = Entry.objects.filter(round=round_, team=team).aggregate(
        entries=Count("pk"),
        valid=Count("pk", filter=Q(state=Entry.State.VALID)),
        chosen=Count("pk", filter=Q(is_pinned=True)),
    )
    attacks = Attack.objects.filter(round=round_, team=team).aggregate(
        tries=Count("pk", filter=Q(is_dry_run=True)), attacks=Count("pk", filter=Q(is_dry_run=False))
    )
    return Deeds(**entries, **attacks, members=Membership.objects.filter(team=team).count())


def _beginning(user: access.Viewer, contest: Contest, team: Team | None) -> list[TourStep]:
    make = reverse("team_create", args=[contest.slug])
    return [
        TourStep(
            "account",
            _("Make an account"),
            _("With it you join a team. Others see your public name, or your user name if you choose none."),
            reverse("signup"),
            _("Sign up"),
            user.is_authenticated,
        ),
        TourStep(
            "team",
            _("Create a team, or join one"),
            _("Entries and attacks belong to teams; one person alone is a team too. To join one, ask it for "
              "an invitation link."),
            team.get_absolute_url() if team else make,
            team.name if team else _("Make a team"),
            team is not None,
        ),
    ]  # fmt: skip


def _about_data(round_: Round) -> str:
    """What the format says about its data; a game has a step of its own."""
    return "" if round_.game_id is not None else say(FORMAT_TEXTS[round_.dataset.format].data)


def _hiding(round_: Round, team: Team | None, deeds: Deeds) -> list[TourStep]:
    place = [round_.contest.slug, round_.slug]
    advice = _("Once you have two, compare them and pin the one that is to count.")
    return [
        TourStep(
            "rules",
            _("Read the rules"),
            _("They are generated from the program that judges: the measures with their limits, what files "
              "may hold, how the total is computed."),
            reverse("rules", args=place),
            _("Rules"),
            None,
        ),
        TourStep(
            "data",
            _("Get the data"),
            _about_data(round_),
            reverse("dataset", args=place),
            _("Data"),
            None,
        ),
        TourStep(
            "upload",
            _("Hide the people and hand in"),
            _("Change the tables as you like within the rules, or begin with a house method. A file that "
              "breaks the format is reported with file, line and column, and costs no attempt."),
            reverse("upload", args=place),
            _("Upload"),
            deeds.entries > 0,
        ),
        *_house_step(round_),
        TourStep(
            "valid",
            _("Get a valid entry"),
            _("An entry is valid when it is within every limit. Its page says what each number means and "
              "which limit binds; the pictures show before and after."),
            team.get_absolute_url() if team else reverse("leaderboard", args=place),
            _("Your entries") if team else _("Leaderboard"),
            deeds.valid > 0,
        ),
        TourStep(
            "choose",
            _("Choose the one that counts"),
            f"{rule_in_words(round_)} {advice}",
            team.get_absolute_url() if team else reverse("leaderboard", args=place),
            _("Your entries") if team else _("Leaderboard"),
            deeds.chosen > 0,
        ),
    ]  # fmt: skip


def _house_step(round_: Round) -> list[TourStep]:
    """The way to a first entry without any file, where the house has a method."""
    step = TourStep(
        "house",
        _("No file yet? Let the house hide them"),
        _("Choose a house method and hand in what it makes. There is nothing to install."),
        reverse("upload", args=[round_.contest.slug, round_.slug]) + "#house",
        _("Hide them with a house method"),
        None,
    )
    return [step] if has_methods(round_) else []


def _seeking(round_: Round, deeds: Deeds) -> list[TourStep]:
    place = [round_.contest.slug, round_.slug]
    return [
        TourStep(
            "try",
            _("Try a program that seeks"),
            _("A template is there to begin with. A dry run against a house entry is free, and its log is "
              "shown to you."),
            reverse("seek", args=place),
            _("Seek"),
            deeds.tries > 0,
        ),
        TourStep(
            "attack",
            _("Seek the others"),
            _("Send guesses, or let your program run in the sandbox against every entry but your own."),
            reverse("seek", args=place),
            _("Seek"),
            deeds.attacks > 0,
        ),
        TourStep(
            "watch",
            _("Watch the board"),
            _("It changes by itself. Who finds whom shows every attack on every entry; the map shows who is "
              "useful and who is safe."),
            reverse("leaderboard", args=place),
            _("Leaderboard"),
            None,
        ),
    ]  # fmt: skip


def steps_of_game(round_: Round, team: Team | None, deeds: Deeds, hiding: list[TourStep]) -> list[TourStep]:
    """The steps of a round that is played by a game: what is said about tables and programs is left out."""
    place = [round_.contest.slug, round_.slug]
    data = TourStep(
        "data",
        _("Get the data"),
        _("Every file of the round with what is in it, who may read it and from when on."),
        reverse("dataset", args=place),
        _("Data"),
        None,
    )
    upload = TourStep(
        "upload",
        _("Hide the people and hand in"),
        _("Change what your team got as you like within the rules. A file that breaks them is reported with "
          "file, line and column, and costs no attempt."),
        reverse("upload", args=place),
        _("Upload"),
        deeds.entries > 0,
    )  # fmt: skip
    valid = TourStep(
        "valid",
        _("Get a valid entry"),
        _("An entry is valid when it is within every limit. Its page says what each number means."),
        team.get_absolute_url() if team else reverse("leaderboard", args=place),
        _("Your entries") if team else _("Leaderboard"),
        deeds.valid > 0,
    )
    attack = TourStep(
        "attack",
        _("Seek the others"),
        _("One answer to all targets and questions at once, as the rules ask for it."),
        reverse("seek", args=place),
        _("Seek"),
        deeds.attacks > 0,
    )
    own = {"data": data, "upload": upload, "valid": valid}
    hides = any(phase.kind == Phase.Kind.ANONYMISE for phase in round_.phases.all())
    steps = [own.get(step.name, step) for step in hiding if hides or step.name in ("rules", "data")]
    watch = next(step for step in _seeking(round_, deeds) if step.name == "watch")
    words = _("It changes by itself. Who finds whom shows every attacker and every target.")
    return [*steps, attack, replace(watch, words=words)]
