"""Rounds that are played by a game: what organisers bring, and the data that the game makes of it."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored
from contest.jobs.queue import Claim, enqueue_once
from contest.models import (
    Commitment,
    Contest,
    Dataset,
    Entry,
    GamePackage,
    Job,
    Phase,
    Round,
    Sealed,
    Seat,
    User,
)
from contest.models.dataset import files_key
from contest.models.round import BuildState, Feedback
from contest.models.sealed import SEED
from contest.play.packages import declaration_of
from contest.play.table import Table
from contest.records import audit
from contest.services.attacks import queue_attacks_on, targets_of
from contest.services.board_versions import bump_board
from contest.services.commitments import commit_files, withdraw_commitment
from contest.services.contests import create_round
from contest.services.game_packages import require_usable
from contest.services.game_samples import Baseline, with_samples
from contest.services.house import checked_settings, queue_waiting_orders, request_house_entry
from contest.services.teams import house_team
from datasets.messages import Template
from games.contract.declaration import Declaration, Scope

BUILDING = Template("step.building", "the game makes its data")
BREAKS_LAWS = Template("game-fault.breaks-laws", "%(game)s breaks a law of the contract.")
BAD_SOURCES = Template("game-fault.bad-sources", "What the organisers brought cannot be used: %(problem)s")
BROUGHT = "House · targets"
"""The team under which the organisers' own targets are listed."""
Secrets = Mapping[str, Stored]


def new_dataset(name: str, declared: Declaration) -> Dataset:
    """An empty data set for a round whose game will make its files."""
    return Dataset.objects.create(
        name=f"{name[:100]} {secrets.token_hex(4)}",
        format="",
        files_key=files_key({}),
        source={"game": declared.name},
    )


def bring_sources(round_: Round, user: User | None, files: Mapping[str, IO[bytes]]) -> None:
    """Store what organisers bring for a round, and let a worker make its data."""
    declared = Table(round_).declared
    expected = declared.files_of("round", "organiser")
    stored = {}
    for name, content in files.items():
        file = next((file for file in expected if file.pattern.fullmatch(name)), None)
        if file is None:
            text = _("The game has no file %(name)r that organisers bring. Expected: %(names)s.")
            names = ", ".join(file.name for file in expected) or "–"
            raise Refused("unknown-file", text % {"name": name[:100], "names": names})
        stored[name] = vault.keep_game(content, file.max_bytes)
    with transaction.atomic():
        locked = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
        if locked.build_state == BuildState.READY:
            raise Refused("already-built", _("The data of this round are made; they stay as they are."))
        withdraw_commitment(round_, Commitment.What.FILES, timezone.now(), str(_("New data were brought.")))
        Sealed.objects.filter(round=round_, scope=Sealed.Scope.ROUND).delete()
        _seal(round_, Sealed.Scope.ROUND, stored)
        seed = vault.keep_secret(secrets.token_hex(32).encode())
        _seal(round_, Sealed.Scope.ROUND, {SEED: seed})
        Round.objects.filter(pk=round_.pk).update(
            build_state=BuildState.WAITING, build_reason="", build_log=""
        )
        round_.refresh_from_db()
        audit.record(
            "round.data",
            round_,
            contest=round_.contest,
            actor=user,
            after={"game": str(round_.game), "files": sorted(files)},
        )
        enqueue_once(Job.Kind.BUILD, round_.pk)


def _seal(
    round_: Round,
    scope: Sealed.Scope,
    files: Secrets,
    *,
    seat: Seat | None = None,
    entry: Entry | None = None,
) -> None:
    Sealed.objects.bulk_create(
        Sealed(
            round=round_, scope=scope, seat=seat, entry=entry, name=name, sha256=file.sha256, bytes=file.size
        )
        for name, file in sorted(files.items())
    )


@dataclass(frozen=True)
class Built:
    """What a game has made of what organisers brought: public files by hash, secret ones, and facts."""

    public: Mapping[str, str]
    secret: Secrets
    facts: Mapping[str, Any]


def record_world(round_: Round, built: Built) -> None:
    """The files of a round are made. Organisers' own files that everybody may read become public, too.

    A worker that begins again where another died makes the same files once more.
    """
    with transaction.atomic():
        made = [*built.public, *built.secret]
        Sealed.objects.filter(round=round_, scope=Sealed.Scope.ROUND, name__in=made).delete()
        _seal(round_, Sealed.Scope.ROUND, built.secret)
        Dataset.objects.filter(pk=round_.dataset_id).update(
            files=dict(built.public),
            files_key=files_key(built.public),
            facts=[[str(label), _plain(value)] for label, value in built.facts.items()],
        )
        round_.refresh_from_db()
        round_.dataset.refresh_from_db()
        sealed = Sealed.objects.filter(round=round_, scope=Sealed.Scope.ROUND).exclude(name=SEED)
        files = {**dict(sealed.values_list("name", "sha256")), **built.public}
        commit_files(round_, None, _committed(declaration_of(_game(round_)), "round", files))


def _game(round_: Round) -> GamePackage:
    assert round_.game is not None
    return round_.game


def _committed(declared: Declaration, scope: Scope, files: Mapping[str, str]) -> dict[str, str]:
    """Those of some files whose hash is public from the moment they are made."""
    known = {name: declared.file(name, scope) for name in files}
    return {name: files[name] for name, file in known.items() if file is not None and file.committed}


def _plain(value: Any) -> Any:
    """A fact as JSON has it."""
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def record_seat(seat: Seat, files: Secrets) -> None:
    """The files of a seat are made."""
    with transaction.atomic():
        if not Sealed.objects.filter(seat=seat).exists():
            _seal(seat.round, Sealed.Scope.SEAT, files, seat=seat)
            hashes = {name: file.sha256 for name, file in files.items()}
            declared = declaration_of(_game(seat.round))
            commit_files(seat.round, seat.number, _committed(declared, "seat", hashes))


@dataclass(frozen=True)
class Brought:
    """A target of the organisers: its name and labels, and the files that the game makes of it."""

    key: str
    labels: Mapping[str, str]
    published: Mapping[str, str]
    secret: Secrets


def record_targets(round_: Round, targets: list[Brought]) -> None:
    """The organisers' targets take part like entries that were accepted; nobody may change them."""
    now = timezone.now()
    with transaction.atomic():
        team = house_team(round_.contest, BROUGHT)
        for number, target in enumerate(targets, start=1):
            if Entry.objects.filter(round=round_, key=target.key).exists():
                continue
            entry = Entry.objects.create(
                round=round_,
                team=team,
                number=number,
                key=target.key,
                state=Entry.State.VALID,
                received_at=now,
                finished_at=now,
                upload_sha256="",
                upload_bytes=0,
                labels=dict(target.labels),
                published=dict(target.published),
                costs_attempt=False,
                is_official=True,
            )
            _seal(round_, Sealed.Scope.ENTRY, target.secret, entry=entry)


def finish_build(claim: Claim, round_: Round) -> None:
    """Everything is made: teams may play."""
    with claim.finish():
        Round.objects.filter(pk=round_.pk).update(build_state=BuildState.READY, build_reason="", build_log="")
        if round_.build_state != BuildState.READY:
            audit.record("round.built", round_, contest=round_.contest, after={"game": str(round_.game)})
            for target in targets_of(round_, None):
                # Whatever house attacks take part already waited for the organisers' own targets.
                queue_attacks_on(target)
            queue_waiting_orders(round_)
        bump_board(round_.pk)


def fail_build(round_id: int, reason: Any, log: str) -> None:
    """The game could not make the data: its organisers can see why. A built round stays as it is."""
    rounds = Round.objects.filter(pk=round_id).exclude(build_state=BuildState.READY)
    if rounds.update(build_state=BuildState.FAILED, build_reason=reason, build_log=log):
        round_ = Round.objects.select_related("contest").get(pk=round_id)
        audit.record("round.build_failed", round_, contest=round_.contest)


def create_game_round(
    contest: Contest,
    user: User,
    package: GamePackage,
    *,
    phases: Sequence[tuple[Phase.Kind, datetime.datetime, datetime.datetime]],
    params: Mapping[str, Any] | None = None,
    rule: str = "",
    sources: Mapping[str, IO[bytes]] | None = None,
    attacks: Sequence[str] = (),
    baselines: Sequence[Baseline] = (),
    samples: bool = False,
    **fields: Any,
) -> Round:
    """Make a round that is played by a game, and let a worker make its data, once the game was tried.

    ``baselines`` are house entries: a method, its parameters, and a seed or none. With ``samples`` the house
    also plays everything else that the game offers.
    """
    require_usable(package)
    declared = declaration_of(package)
    if samples:
        attacks, baselines = with_samples(declared, attacks, baselines)
    _require_tellable(declared, fields.get("feedback", Feedback.BANDS))
    with transaction.atomic():
        round_ = create_round(
            contest,
            user,
            dataset=new_dataset(f"{contest.slug} {fields['slug']}", declared),
            limits=(),
            attacks=attacks,
            phases=phases,
            game=package,
            params=checked_settings(declared.parameters, params or {}),
            ranking=require_rule(declared, rule),
            **fields,
        )
        bring_sources(round_, user, sources or {})
        for method, parameters, seed in baselines:
            request_house_entry(round_, user, method, parameters, seed)
    return round_


def require_rule(declared: Declaration, rule: str) -> str:
    """The name of the rule that decides a round; the game's first where none is named."""
    known = [one.name for one in declared.rules]
    if not rule:
        return known[0] if known else ""
    if rule not in known:
        text = _("The game %(game)s has no rule %(rule)r. Expected one of %(known)s.")
        values = {"game": declared.name, "rule": rule, "known": ", ".join(known) or "–"}
        raise Refused("no-such-rule", text % values)
    return rule


def _require_tellable(declared: Declaration, feedback: str) -> None:
    """Where everything is shown at once, targets are public before the freeze, so no file can wait for it."""
    waiting = waits_for_publication(declared)
    if feedback == Feedback.FULL and waiting:
        text = _(
            "The game shows %(file)s only once entries are handed over; "
            "then not everything can be told at once."
        )
        raise Refused("feedback-too-early", text % {"file": waiting[0]})


def waits_for_publication(declared: Declaration) -> list[str]:
    """The files of rounds and seats that everybody may read only once entries are handed over."""
    owned = (file for file in declared.files if file.scope in ("round", "seat"))
    return [file.name for file in owned if file.shown.all == "publish"]
