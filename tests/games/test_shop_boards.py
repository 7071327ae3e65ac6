"""The boards of the shop games are those of the platform, by every rule, and the published ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from contest.board import queries
from contest.models import AttackRun, Entry, Round
from contest.services.attacks import settle_entries
from games.contract.boxes import EMPTY, MemoryBox, MemoryOut
from games.contract.values import Board, Cell, Hidden, Result, Target, Verdict
from games.shop.data.folder import read_original
from games.shop.data.tables import Release
from games.shop.formats import find_format
from games.shop.ranking import RANKINGS, find_ranking
from games.shop.shot_down import shot_down
from tests.factories import make_team
from tests.games.shop.formats.test_contests import ENTRIES, hand_in, play, small
from tests.games.shop.measures import pandas_oracle
from tests.games.shop.measures.test_golden_2017_2018 import S_DRILL, SAMPLE
from tests.games.shop.measures.test_utility_oracle import perturbed
from tests.games.shops import YEARS, game_of, published, world_of, written


def cells_of(round_: Round) -> list[Cell]:
    runs = AttackRun.objects.filter(entry__round=round_, state=AttackRun.State.DONE)
    return [
        Cell(
            run.attack.name,
            str(run.entry_id),
            "",
            Result(run.risk, {"hits": run.hits, "guesses": run.guesses, "of": run.entry.n_people}),
        )
        for run in runs.select_related("attack", "entry")
    ]


def hidden_of(round_: Round, year: str) -> list[Hidden]:
    """What the tally is given of the entries on the board."""
    game, rows = game_of(year), []
    params = {f"limit-{limit['measure']}": limit["limit"] for limit in round_.limits}
    for entry in Entry.objects.filter(round=round_, is_official=True).select_related("team").order_by("pk"):
        verdict = game.verdict(round_.ranking, entry.measures, params)
        assert (verdict.utility, verdict.because) == (entry.utility, ())
        target = Target(str(entry.pk), "", 0, {}, None, EMPTY, EMPTY, EMPTY)
        state = "counts" if entry.takes_place else "house"
        rows.append(Hidden(entry.team.name, target, state, entry.received_at.timestamp(), verdict))
    return rows


def main_board(year: str, rule: str, hidden: list[Hidden], cells: list[Cell]) -> Board:
    main, _attackers = game_of(year).tally(rule, {}, hidden, lambda: iter(cells), {})
    return main


@pytest.mark.django_db
@pytest.mark.parametrize("year", YEARS)
def test_the_board_is_that_of_the_platform_by_every_rule(
    year: str, client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contest.services.house.secret_seed", lambda: 1)
    monkeypatch.setattr("contest.services.bundles.secret_seed", lambda: 2016)
    contest = play(small(f"pwscup{year}"))
    round_ = contest.rounds.get(slug="practice")
    for name in ("Aki", "Haru"):
        hand_in(client, round_, make_team(contest, name), ENTRIES[f"pwscup{year}"](round_))
    entries = list(Entry.objects.filter(round=round_).values_list("pk", flat=True))
    for ranking in RANKINGS:
        round_.ranking = ranking.name
        round_.save()
        settle_entries(round_.pk, entries)
        board = main_board(year, ranking.name, hidden_of(round_, year), cells_of(round_))
        today = queries.board(round_, None, show_attacks=True)
        assert len(today) >= 3
        assert [row.key for row in board.rows] == [row.team_name for row in today]
        for ours, theirs in zip(board.rows, today, strict=True):
            values = ours.values
            assert (values["total"], values["hits"], values["safety"]) == (
                theirs.total,
                theirs.hits,
                theirs.safety,
            )
            assert values["shot-down"] == float(bool(theirs.verdict))
            assert (ours.chain is None) == (theirs.rank is None)
        chains = [row.chain for row in board.rows if row.chain is not None]
        assert chains == sorted(chains) and len(chains) >= 2


def one_entry(utility: float, numbers: dict[str, float], **more) -> tuple[list[Hidden], list[Cell]]:
    target = Target("1", "", 0, {}, None, EMPTY, EMPTY, EMPTY)
    verdict = Verdict((), utility, {"loss": 1 - utility / 100})
    risk = numbers["hits"] / numbers["of"]
    return [Hidden("Aki", target, "counts", 0.0, verdict, **more)], [
        Cell("x", "1", "", Result(risk, numbers))
    ]


@pytest.mark.parametrize(
    ("rule", "total"),
    [("2016", 130), ("2017", 0.35), ("2018", 0.4), ("2024", 130), ("2025", 125), ("2026", 60)],
)
def test_the_total_of_each_rule_by_hand(rule: str, total: float) -> None:
    """U = 60, 30 of 100 people found by 50 guesses, a deduction of 5 points in 2025."""
    given = one_entry(60.0, {"hits": 30, "guesses": 50, "of": 100}, adjusted={"penalty": 5.0})
    (row,) = main_board("2016", rule, *given).rows
    assert row.values["total"] == pytest.approx(total, abs=1e-12)
    first = row.values["total"] if find_ranking(rule).lower_wins else -row.values["total"]
    assert row.chain[:2] == (row.values["shot-down"], first)


def test_who_has_no_entry_that_counts_has_no_place() -> None:
    (aki,), cells = one_entry(60.0, {"hits": 30, "guesses": 50, "of": 100})
    others = [Hidden("Haru", None, "absent"), aki._replace(team="Natsu", state="void")]
    house = aki._replace(team="House", state="house", target=aki.target._replace(key="9"))
    rows = main_board("2016", "2016", [*others, house, aki], [*cells, cells[0]._replace(target="9")]).rows
    assert [(row.key, row.chain is None) for row in rows] == [
        ("House", True), ("Aki", False), ("Haru", True), ("Natsu", True)
    ]  # fmt: skip


def test_nobody_is_shot_down_below_the_published_table(shared_data: Path) -> None:
    lines = (shared_data / "pwscup2018" / "R.csv").read_text().split()
    for n, least in (tuple(map(int, line.split(","))) for line in lines):
        for hits in {max(0, least - 1), least}:
            given = one_entry(60.0, {"hits": hits, "guesses": n, "of": 1000})
            (row,) = main_board("2018", "2018", *given).rows
            assert row.values["shot-down"] == float(hits >= least)
    assert shot_down(0) == 1


def test_the_boards_of_attackers_count_no_own_entry() -> None:
    hidden, cells = one_entry(60.0, {"hits": 30, "guesses": 50, "of": 100})
    own = cells[0]._replace(attacker="Aki", result=cells[0].result._replace(risk=1.0))
    main, attackers = game_of("2016").tally("2016", {}, hidden, lambda: iter([own, *cells]), {})
    assert [(row.key, row.values["found"]) for row in attackers.rows] == [("x", 0.3)]
    assert main.rows[0].values["hits"] == 30


@pytest.fixture(scope="module")
def real_2017(shared_data: Path):
    folder = shared_data / "pwscup2017"
    files = {name: (folder / name).read_bytes() for name in ("M.csv", "T.csv")}
    files |= {f"T{share}.csv": (folder / f"T{share}.txt").read_bytes() for share in (25, 50, 75, 100)}
    return world_of("2017", files), folder


def test_the_sample_of_2017_has_its_published_numbers(real_2017) -> None:
    world, folder = real_2017
    game = game_of("2017")
    entry = published("2017", world, {"AT.csv": (folder / "AT_sample.csv").read_bytes()})
    figures = game.measure(world, entry, list(SAMPLE))
    assert {name: round(value, 6) for name, value in figures.items()} == SAMPLE
    assert game.verdict("2017", figures, world.params).parts["loss"] == pytest.approx(0.947189, abs=5e-7)


def test_the_drill_of_2017_has_the_organisers_shares(real_2017) -> None:
    """S_drill in the organisers' own order; a row of T for each of its rows has the same cells in A(T)."""
    world, folder = real_2017
    game = game_of("2017")
    shown, released = ((folder / name).read_bytes() for name in ("S_drill.txt", "AT_drill.txt"))
    rows = [np.argsort(np.array(raw.splitlines()), kind="stable") for raw in (shown, released)]
    truth = np.empty(len(rows[0]), dtype=np.int64)
    truth[rows[0]] = rows[1]
    secret = MemoryBox({"truth.txt": "".join(f"{row + 1}\n" for row in truth).encode()})
    entry = Target("7", "", 0, {}, None, EMPTY, MemoryBox({"S.csv": shown}), secret)
    for attack, shares in S_DRILL.items():
        files = attacked("2017", attack, world, entry)
        numbers = game.judge(world, "months", None, entry, MemoryBox(files)).numbers
        assert tuple(numbers[f"s{percent}"] for percent in (25, 50, 75, 100)) == shares


def attacked(year: str, attack: str, world, entry) -> dict[str, bytes]:
    out = MemoryOut(game_of(year).declaration.files_of("answer"))
    game_of(year).attack(attack, world, None, [entry], np.random.default_rng(0), out)
    return out.files


def test_the_sample_of_2018_loses_nothing_and_the_invalid_one_is_refused(shared_data: Path) -> None:
    folder = shared_data / "pwscup2018"
    world = world_of("2018", {"T.csv": (folder / "T.csv").read_bytes()})
    entry = published("2018", world, {"A.csv": (folder / "A.csv").read_bytes()})
    assert game_of("2018").measure(world, entry, ["ut-il"]) == {"ut-il": 0.0}
    bad = entry._replace(upload=MemoryBox({"A.csv": (folder / "A_invalid_item_test.csv").read_bytes()}))
    (verdict,) = game_of("2018").check(world, bad)
    assert [(problem.line, problem.column, problem.code) for problem in verdict.problems] == [
        (2, "item_id", "unknown-item")
    ]


def test_the_four_measures_of_2016_agree_with_pandas(shared_data: Path) -> None:
    folder = shared_data / "pwscup2016"
    original = read_original(folder)
    released, truth = perturbed(original, 2, 0.2, 0)
    spec = find_format("2016")
    upload = written(lambda place: spec.write_entry(place, Release(released, truth)), spec.upload_names)
    world = world_of("2016", {name: (folder / name).read_bytes() for name in ("M.csv", "T.csv")})
    entry = published("2016", world, upload)
    frames = (*original.to_frames(), *released.to_frames(), truth)
    names = {"ut-jaccard": "ut_jaccard", "cmae": "cmae", "subset": "subset", "rfm": "rfm"}
    for name, value in game_of("2016").measure(world, entry, list(names)).items():
        expected = getattr(pandas_oracle, names[name])(*frames)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9), name
