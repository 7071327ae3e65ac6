"""People of every kind around rounds of several games in one contest, in which everything has happened once.

The rounds: `pair` (per-team data, two challenges), `pool` (one score over all targets, one target brought by
the organisers), `two-keys` (per-team data in alternatives and an organisers' secret), `membership` (nobody
hides), and `mini`, a game that the organisers uploaded, of which a second version is on trial.
"""

from __future__ import annotations

import datetime
import io
import os
from dataclasses import dataclass, field

import pytest
from django.utils import timezone

from contest.files.storage import submitted
from contest.models import Attack, Entry, GamePackage, Job, Phase, Round, Team, User
from contest.play.packages import declaration_of, installed_package
from contest.play.table import Table
from contest.records.audit import extend_all_chains
from contest.services.game_packages import upload_game
from contest.services.team_orders import Asked, request_entry
from contest.services.teams import create_invitation
from contest.services.tokens import create_token
from contest.services.trials import try_version
from tests.conftest import ROOT
from tests.factories import make_contest, make_entry, make_team, make_user, work_off
from tests.game_rounds import TOYS, answer, attack_files, make_game_round, method_files, sources_of
from tests.game_versions import EXACT, NEAR, PEOPLE, mini, trust_uploads, version_2
from tests.security.world import ROLES, SCOPES, People

TWO_KEYS = ROOT / "tests" / "outside_games" / "two-keys" / "two_keys"
INSTALLED = {"pair": TOYS["pair"], "pool": TOYS["pool"], "two-keys": TWO_KEYS, "membership": None}
"""The games whose code the site has, with their folders where they are not the house's."""
TEAMS = {"owner": "Owners", "rival": "Rivals"}
PHASES = ("before", "anonymise", "attack", "results", "revealed")
DAY = datetime.timedelta(days=1)


@dataclass
class GameWorld(People):
    """``rounds`` by the names of their games; ``hidden`` is another organiser's, in a contest of its own."""

    rounds: dict[str, Round] = field(default_factory=dict)
    teams: dict[str, Team] = field(default_factory=dict)
    drafts: dict[str, Entry] = field(default_factory=dict)
    """The refused entry of the owners in each round."""
    hidden: Round | None = None
    phase: str = "anonymise"

    def own(self, role: str, team_id: int | None) -> bool:
        return role in self.teams and self.teams[role].pk == team_id


def install_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the site have the toy games, and run uploaded games without the sandbox."""
    folders = [str(folder) for folder in INSTALLED.values() if folder]
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(folders))
    trust_uploads(monkeypatch)


def make_game_world(names: tuple[str, ...] = (*INSTALLED, "mini")) -> GameWorld:
    people = {
        role: make_user(f"{role}-person", is_staff=role == "staff") for role in ROLES if role != "visitor"
    }
    contest = make_contest(
        people["organiser"], slug="open-contest", title="The open contest", may_be_embedded=True
    )
    teams = {role: make_team(contest, name, people[role]) for role, name in TEAMS.items()}
    world = GameWorld(people, teams=teams)
    for name in names:
        package = _uploaded(world, mini()) if name == "mini" else installed_package(name)
        world.rounds[name] = _play(world, name, package)
    if "mini" in names:
        try_version(world.rounds["mini"], people["organiser"], _uploaded(world, version_2()))
    work_off()
    world.hidden = _hidden_round(people["stranger"])
    create_invitation(teams["owner"], people["owner"])
    world.tokens = {role: create_token(person, role, SCOPES, 7) for role, person in people.items()}
    world.tokens |= {scope: create_token(people["owner"], scope, [scope], 7) for scope in SCOPES}
    extend_all_chains()
    set_phase(world, "attack")
    return world


def _uploaded(world: GameWorld, content: bytes) -> GamePackage:
    """A game whose laws are taken as kept, because trying them takes many runs."""
    contest = next(iter(world.teams.values())).contest
    package = upload_game(contest, world.people["organiser"], io.BytesIO(content))
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    package.refresh_from_db()
    return package


def _play(world: GameWorld, name: str, package: GamePackage) -> Round:
    """Both teams hide where the game has hiding, both seek, and so does the house."""
    declared = declaration_of(package)
    now = timezone.now()
    hides = declared.phases != "seek"
    phases = [(Phase.Kind.ANONYMISE, now - DAY, now + DAY)] if hides else []
    phases += [
        (Phase.Kind.ATTACK, now + DAY, now + 2 * DAY),
        (Phase.Kind.RESULTS, now + 2 * DAY, now + 3 * DAY),
    ]
    folder = INSTALLED.get(name)
    round_ = make_game_round(
        world.teams["owner"].contest,
        package,
        {"people.csv": PEOPLE} if name == "mini" else sources_of(folder) if folder else {},
        slug=name,
        name=f"Round of {name}",
        phases=phases,
        params=declared.rehearsal,
        feedback="none",
        attacks=[attack.name for attack in declared.attacks[:1]],
    )
    if hides:
        _hide(world, name, round_)
    round_ = _moved(round_, "attack")
    for role, team in world.teams.items():
        files = attack_files(round_, team, declared.attacks[0].name)
        sent = answer(round_, team, files)
        Attack.objects.filter(pk=sent.pk).update(note=f"the note of the {role}s' answer")
    work_off()
    unjudged = Attack.objects.filter(round=round_, team__isnull=False).exclude(state=Attack.State.JUDGED)
    assert not unjudged.exists(), unjudged.values("state", "problems")
    return round_


def _hide(world: GameWorld, name: str, round_: Round) -> None:
    declared = Table(round_).declared
    refused = dict.fromkeys(declared.files_of("entry", "upload")[0].names(slot=declared.slots[0]), b"\xff")
    for role, team in world.teams.items():
        files = {"owner": EXACT, "rival": NEAR}[role] if name == "mini" else method_files(round_, team)
        make_entry(round_, team, files, slot=declared.slots[0], note=f"the note of the {role}s' entry")
    work_off()
    assert Entry.objects.filter(round=round_, team__is_house=False, is_official=True).count() == 2
    if name in INSTALLED:
        asked = Asked(declared.methods[0].name, is_handed_in=False)
        request_entry(round_, world.teams["owner"], world.people["owner"], asked)
    draft = make_entry(round_, world.teams["owner"], refused, slot=declared.slots[0])
    work_off()
    draft.refresh_from_db()
    assert draft.state == Entry.State.INVALID
    world.drafts[name] = draft


def _hidden_round(stranger: User) -> Round:
    """A round of an uploaded game in a contest that only its organiser knows."""
    contest = make_contest(stranger, slug="hidden-contest", title="The hidden contest", is_public=False)
    renamed = mini(("game.yaml", "name: mini", "name: hidden-game"))
    package = upload_game(contest, stranger, io.BytesIO(renamed))
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    package.refresh_from_db()
    return make_game_round(contest, package, {"people.csv": PEOPLE}, attacks=["copy"], slug="hidden-round")


def set_phase(world: GameWorld, kind: str) -> None:
    """Let one phase be open now in all rounds; the clock has done its work."""
    for name, round_ in world.rounds.items():
        world.rounds[name] = _moved(round_, kind)
    world.phase = kind


def _moved(round_: Round, kind: str) -> Round:
    """A round one of whose phases is open now, the others being over or to come."""
    now, place = timezone.now(), PHASES.index(kind)
    order = [Phase.Kind.ANONYMISE, Phase.Kind.ATTACK, Phase.Kind.RESULTS]
    for number, phase in enumerate(order, start=1):
        start = now + (number - min(place, 3)) * 2 * DAY - DAY
        Phase.objects.filter(round=round_, kind=phase).update(starts_at=start, ends_at=start + 2 * DAY)
    Round.objects.filter(pk=round_.pk).update(
        frozen_at=now if place >= 2 else None,
        tallied_at=now if place >= 3 else None,
        revealed_at=now if place >= 4 else None,
    )
    return Round.objects.select_related("contest", "dataset", "game").get(pk=round_.pk)


def program(text: str = "print()") -> str:
    """The name of a stored program."""
    return submitted.put(io.BytesIO(text.encode())).sha256
