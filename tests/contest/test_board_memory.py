"""A board is kept in memory by its version, so whatever changes a board must raise the version."""

from __future__ import annotations

import ast
import datetime
import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from contest import access
from contest.board import queries
from contest.board.board_cache import board_of
from contest.board.single_flight_cache import Memo
from contest.models import Attack, AttackRun, Entry, Membership, Phase, Round
from contest.services import attacks, entries, entry_marks, team_attacks
from contest.services.board_versions import bump_board
from contest.services.phase_clock import run_clock
from tests.conftest import ROOT
from tests.contest.test_leaderboard import fill_board
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

BOARD_NOUNS = ("Entry", "AttackRun", "Attack", "Team", "Phase", "Round", "Contest")
WRITES = {"update", "create", "bulk_create", "get_or_create", "update_or_create", "save", "delete"}
SILENT = {
    "commit_house_seed": "commitments are on no board",
    "accept_files": "from checking to scoring: waiting before and after",
    "_move": "from uploaded to checking: waiting before and after",
    "begin_run": "from waiting to running: under way before and after",
    "store_guess": "the guess is kept, its run is under way before and after",
    "_create": "an attack without runs; whoever queues its runs says so",
    "_queue_run": "its callers say so, once for all runs",
    "try_program": "a dry run counts for nothing and is on no board",
    "_settle": "its callers say so, once for all entries",
    "_switch": "its callers settle the entries, which says so",
    "stop_attacks_of": "its caller settles the entries, which says so",
    "preview_rescore": "a preview changes nothing",
    "join_team": "the members of a team are on no board",
    "_choose": "the callers of refresh_official say so",
    "give_attempt_back": "attempts are on no board",
    "create_team": "a team without entries is on no board",
    "house_team": "a team without entries is on no board",
    "create_contest": "a contest without rounds has no board",
    "create_round": "nobody has seen its board yet",
    "remove_round": "nobody has played it, and a new round of its address has higher versions",
    "_claim": "the version of the settings is on no board; what follows says so where it must",
    "_require_current": "locks, writes nothing",
    "_move_later": "`_set_end` follows in the same transaction and says so",
    "_take_back": "`_set_end` follows in the same transaction and says so",
    "_freeze": "a step of the clock, which says so after every step",
    "_apply": "`apply_rescore` says so after all entries",
    "count_again": "its callers say so",
    "bump_board": "says so",
    "change_note": "notes are on no board",
    "_write_rows": "the archive of a contest that is new here: nobody has seen its boards",
    "set_archive_consent": "what goes into an archive is on no board",
    "create_invitation": "invitations are on no board",
    "bring_sources": "nobody has played the round yet; its end is told by `finish_build` or `fail_build`",
    "record_targets": "`finish_build` follows in the same job and says so",
    "place_teams": "`finish_build` follows in the same job and says so",
    "fail_build": "nobody has played the round yet: its board is empty before and after",
    "name_target": "the name of a target that is being accepted; `record_scores` says so",
    "_add_inputs": "what a program may read is on no board",
    "record_made": "the entry is waiting before and after",
    "take_made": "the entry is waiting before and after",
    "begin_answer": "from uploaded to checking: waiting before and after",
    "record_boards": "raises the public version itself where a row has changed",
    "_raise_versions": "the inside of `bump_board`",
    "build_again": "nobody has played the round yet; its end is told by `finish_build` or `fail_build`",
    "commit_files": "the hashes of files are on no board",
    "_remove_game_rows": "nobody has played the round, and it is removed",
    "remove_organiser": "organisers are on no board",
    "create_webhook": "addresses are on no board",
}
"""Services that write rows that boards are made of, without saying so, and why they need not."""


def service_functions() -> dict[str, ast.FunctionDef]:
    found = {}
    for path in sorted((ROOT / "contest/services").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                found[node.name] = node
    return found


def names_called(function: ast.FunctionDef) -> set[str]:
    """The last part of everything that is called."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return {ast.unparse(call.func).rsplit(".", 1)[-1] for call in calls}


def writes_board_rows(function: ast.FunctionDef) -> bool:
    text = ast.unparse(function)
    touches = any(f"{noun}.objects" in text for noun in BOARD_NOUNS)
    return touches and bool(names_called(function) & WRITES)


def test_every_service_that_writes_what_boards_show_says_so_or_says_why_not() -> None:
    functions = service_functions()
    says = {"bump_board"}
    while True:
        more = {name for name, function in functions.items() if names_called(function) & says} - says
        if not more:
            break
        says |= more
    silent = {name for name, function in functions.items() if writes_board_rows(function)} - says
    assert silent <= set(SILENT), f"neither raises the board's version nor says why: {silent - set(SILENT)}"


def facts(round_: Round) -> Any:
    """All that a board shows, read past every memory."""
    rows = queries.board(round_, None, access.results_are_public(round_))
    return rows, queries.waiting_entries(round_)


class Scene:
    """A round with three judged teams, the first with a second valid entry."""

    def __init__(self) -> None:
        now, day = timezone.now(), datetime.timedelta(days=1)
        kinds = [Phase.Kind.ANONYMISE, Phase.Kind.ATTACK]
        phases = [(kind, now - day, now + day) for kind in kinds]
        results = (Phase.Kind.RESULTS, now + day, now + 2 * day)
        self.round = make_round(phases=[*phases, results], which_counts="latest")
        self.contest = self.round.contest
        self.organiser = self.contest.organisers.get().user
        self.teams = [make_team(self.contest) for _ in range(3)]
        self.captain = self.teams[0].memberships.get().user
        self.first = make_entry(self.round, self.teams[0])
        for team in self.teams:
            make_entry(self.round, team, entry_files("swap", seed=team.pk))
        work_off()

    def version(self) -> int:
        return Round.objects.get(pk=self.round.pk).board_version


def _submit(scene: Scene) -> None:
    make_entry(scene.round, scene.teams[1])


def _submit_nonsense(scene: Scene) -> None:
    make_entry(scene.round, scene.teams[1], {**entry_files(), "M.csv": b"nonsense\n"})


def _work(scene: Scene) -> None:
    work_off()


def _nothing(scene: Scene) -> None:
    pass


def _pin(scene: Scene) -> None:
    scene.first.refresh_from_db()
    entries.pin_entry(scene.first, scene.captain)


def _void(scene: Scene) -> None:
    entry_marks.void_entry(
        Entry.objects.get(is_official=True, team=scene.teams[1]), scene.organiser, "A test."
    )


def _guess(scene: Scene) -> None:
    target = Entry.objects.get(is_official=True, team=scene.teams[1])
    team_attacks.submit_guesses(scene.round, scene.teams[0], scene.captain, {target.pk: io.BytesIO(b"1\n")})


def _house_attack(scene: Scene) -> None:
    attacks.add_house_attack(scene.round, "re-totals", scene.organiser)


def _stop_attack(scene: Scene) -> None:
    attacks.set_attack_active(Attack.objects.get(name="re-totals"), scene.organiser, False)


def _rerun(scene: Scene) -> None:
    attacks.rerun(list(AttackRun.objects.select_related("attack", "entry__round")), scene.organiser, "Test.")


def _clock(scene: Scene) -> None:
    run_clock(timezone.now())


ACTS: dict[str, tuple[Callable[[Scene], None], Callable[[Scene], None]]] = {
    "an upload": (_nothing, _submit),
    "refused files": (_submit_nonsense, _work),
    "a pin": (_nothing, _pin),
    "a void entry": (_nothing, _void),
    "a guess": (_nothing, _guess),
    "a new house attack": (_nothing, _house_attack),
    "a stopped attack": (_house_attack, _stop_attack),
    "judgements": (_house_attack, _work),
    "cells that run again": (_nothing, _rerun),
    "the clock": (_nothing, _clock),
}
"""What goes before, and the act."""


@pytest.mark.django_db
@pytest.mark.parametrize("act", ACTS)
def test_no_board_changes_under_its_version(act: str) -> None:
    scene = Scene()
    prepare, do = ACTS[act]
    prepare(scene)
    before, seen = scene.version(), facts(scene.round)
    do(scene)
    changed = facts(scene.round) != seen
    assert changed == (act != "the clock"), "the act shows nothing about boards"
    assert scene.version() > before
    scene.round.refresh_from_db()
    board = board_of(scene.round, access.results_are_public(scene.round))
    assert (board.rows, board.n_waiting) == facts(scene.round)


@pytest.mark.django_db
def test_a_board_is_worked_out_once_for_a_version_and_anew_for_the_next(
    client: Client, django_assert_num_queries: Any
) -> None:
    round_ = make_round()
    fill_board(round_, 20)
    client.get(round_.get_absolute_url())
    with django_assert_num_queries(1):
        client.get(round_.get_absolute_url())
    entry = Entry.objects.filter(round=round_).select_related("team", "round__contest").earliest("pk")
    entry_marks.void_entry(entry, make_user(), "A test.")
    assert entry.team.name not in client.get(round_.get_absolute_url()).content.decode()


@pytest.mark.django_db
def test_a_team_sees_its_own_row_marked_and_nobody_else_sees_that(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 5)
    team = round_.entries.select_related("team").earliest("pk").team
    member = make_user()
    Membership.objects.create(team=team, contest=round_.contest, user=member)
    url = round_.get_absolute_url()
    client.force_login(member)
    assert 'class="mine"' in client.get(url).content.decode()
    client.logout()
    assert 'class="mine"' not in client.get(url).content.decode()


@pytest.mark.django_db
def test_the_board_of_a_hidden_contest_answers_no_poll_of_a_stranger(client: Client) -> None:
    round_ = make_round(make_contest(is_public=False))
    round_.refresh_from_db()
    htmx = {"HX-Request": "true"}
    for version in (0, round_.board_version):
        assert client.get(f"{round_.get_absolute_url()}?version={version}", headers=htmx).status_code == 404
    client.force_login(round_.contest.organisers.get().user)
    newest = client.get(f"{round_.get_absolute_url()}?version={round_.board_version}", headers=htmx)
    assert newest.status_code == 204


@pytest.mark.django_db
def test_a_page_never_goes_back_to_an_older_board(client: Client) -> None:
    """A process trusts a version for a moment; a page that shows a newer one already must not be set back."""
    round_ = make_round()
    fill_board(round_, 3)
    url, htmx = round_.get_absolute_url(), {"HX-Request": "true"}
    client.get(f"{url}?version=0", headers=htmx)
    bump_board(round_.pk)
    round_.refresh_from_db()
    answer = client.get(f"{url}?version={round_.board_version}", headers=htmx)
    assert answer.status_code == 204


@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 40, "１"])
@pytest.mark.django_db
def test_a_poll_with_a_strange_version_gets_the_board(version: str, client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 2)
    answer = client.get(round_.get_absolute_url(), {"version": version}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert "Team 0001" in answer.content.decode()


def test_a_value_is_made_once_however_many_ask_and_the_oldest_are_forgotten() -> None:
    memo: Memo[int] = Memo(2)
    made: list[str] = []

    def make() -> int:
        made.append("x")
        time.sleep(0.05)
        return 7

    threads = [threading.Thread(target=lambda: memo.get("key", make)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["x"]
    for other in ("a", "b"):
        memo.get(other, lambda: 1)
    assert memo.get("key", lambda: 8) == 8
    with pytest.raises(ZeroDivisionError):
        memo.get("bad", lambda: 1 // 0)
    assert memo.get("bad", lambda: 3) == 3
