"""PWSCUP 2026 as a game: its world, what teams get, how answers are completed, judged and ranked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import yaml

from datasets.problems import BadFiles
from games.contract.boxes import EMPTY, MemoryBox
from games.contract.declaration import Seats
from games.contract.seating import NoneLeft, commitment, placed
from games.contract.values import Board, Cell, Hidden, Result, Row, Target, Verdict
from games.laws import LAWS, checked
from games.loading import load_folder
from games.pwscup2026.cohorts import planned, planned_reference
from games.pwscup2026.general import spearman
from games.pwscup2026.layout import CENSORED, HOUSE, N_COHORTS
from games.pwscup2026.membership import _drawn, _ends, _rates, chance, membership
from games.pwscup2026.normal import cdf, quantile
from games.pwscup2026.population import LEAN, LEANER
from games.pwscup2026.survival import _moments, _ties, cox
from games.pwscup2026.world import generated
from games.rehearsal import Rehearsal, generator
from tests.conftest import ROOT

FOLDER = ROOT / "games" / "pwscup2026"
GAME = load_folder(FOLDER)
DECLARED = GAME.declaration
TEAMS = ("aki", "haru", "natsu")


def played(params: Mapping[str, Any] | None = None, sources: Mapping[str, bytes] | None = None) -> Rehearsal:
    return Rehearsal(GAME, sources or {}, TEAMS, {**DECLARED.rehearsal, **(params or {})})


@pytest.fixture(scope="module")
def entered() -> Rehearsal:
    """A round in which three teams entered what a house method made."""
    round_ = played()
    for seat, method in enumerate(("unchanged", "noise", "copula")):
        assert round_.enter(seat, round_.anonymize(method, seat)).problems == ()
    return round_


def rows_of(content: bytes) -> list[list[str]]:
    return [line.split(",") for line in content.decode().splitlines()]


def as_file(rows: list[list[str]]) -> bytes:
    return "".join(",".join(row) + "\n" for row in rows).encode()


def published_by(round_: Rehearsal, team: str) -> bytes:
    target = round_.entries[team].target
    assert target is not None
    return target.published.open("C.csv").read()


def test_every_law_holds() -> None:
    findings = {finding.law: finding for finding in checked(FOLDER)}
    assert list(findings) == list(LAWS)
    assert {law: finding.detail for law, finding in findings.items() if finding.holds is not True} == {}


@pytest.mark.parametrize("name", DECLARED.presets)
def test_a_preset_names_a_rule_and_legal_values(name: str) -> None:
    preset = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    assert DECLARED.rule(preset["rule"])
    settings = {setting.name: setting for setting in DECLARED.parameters}
    for parameter, value in preset["parameters"].items():
        assert settings[parameter].checked(value) == value


def test_both_languages_have_the_rules() -> None:
    for language, name in DECLARED.texts.items():
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert "A = 1 − max(a_MIA, a_AIA)" in text, language


def test_the_cohorts_have_the_published_structure() -> None:
    """The specification, section 1: 313 people alone, 736 shared, 25 to 27 by each pair, 17 + 7 rare."""
    plan = planned(300, 25, generator("plan"))
    cohorts = [set(one.tolist()) for one in plan.cohorts]
    assert [len(one) for one in cohorts] == [1049] * N_COHORTS
    pairs = [len(left & right) for left, right in itertools.combinations(cohorts, 2)]
    assert set(pairs) == {25, 26, 27}
    for number, cohort in enumerate(cohorts):
        others = set().union(*(other for place, other in enumerate(cohorts) if place != number))
        alone = cohort - others
        assert (len(alone), len(cohort & others)) == (313, 736)
        kinds = plan.kinds[sorted(cohort)].tolist()
        assert (kinds.count(LEAN), kinds.count(LEANER)) == (17, 7)
        assert sum(plan.kinds[sorted(alone)] != 0) == 13


def test_a_generated_world_has_the_published_rates() -> None:
    """About a tenth fall ill, 7 to 8 % die first, of the rare 3 to 4 in 10 fall ill, the rest is censored."""
    background, cohorts = generated(DECLARED.defaults, generator("world"))
    assert len(background["age"]) == 5143
    people = {int(pool): row for cohort in cohorts for row, pool in enumerate(cohort["pool_id"])}
    joined = {name: np.concatenate([cohort[name] for cohort in cohorts]) for name in cohorts[0]}
    _, first = np.unique(joined["pool_id"], return_index=True)
    assert len(first) == len(people)
    onset, death, rare = (joined[name][first] == 1 for name in ("onset", "death", "is_rare"))
    assert 0.085 < onset.mean() < 0.115
    assert 0.07 < death.mean() < 0.08
    assert 0.3 < onset[rare].mean() < 0.4
    assert set(joined["time"][first][~onset & ~death]) == {CENSORED}
    assert not (onset & death).any()


def test_a_person_has_the_same_record_in_every_cohort() -> None:
    _, cohorts = generated(DECLARED.defaults | {"alone": 20, "shared": 2, "background": 100}, generator("w"))
    seen: dict[int, tuple[Any, ...]] = {}
    names = [name for name in cohorts[0] if name != "record_id"]
    for cohort in cohorts:
        for row in zip(*(cohort[name].tolist() for name in names), strict=True):
            assert seen.setdefault(row[-1], row) == row


def test_the_salt_is_committed_to_and_decides_with_the_house_out_of_reach() -> None:
    round_ = played()
    salt = round_.round_files["salt.txt"].decode()
    assert round_.facts["commitment"] == commitment(salt)
    assert "salt.txt" not in round_.world(moment="open").public.names()
    assert "salt.txt" in round_.world(moment="publish").public.names()
    teams = [f"team {number}" for number in range(N_COHORTS)]
    assert HOUSE not in placed(teams, salt, N_COHORTS)
    assert sorted(placed(teams, salt, N_COHORTS)) == list(range(N_COHORTS))
    with pytest.raises(NoneLeft, match="none is left for 'one more'"):
        placed([*teams, "one more"], salt, N_COHORTS)
    assert DECLARED.seats == Seats(count=30, spare=1, placing="hash", salt="salt.txt")


def test_a_salt_whose_hash_is_known_already_is_taken() -> None:
    sources = {"brought-salt.txt": b"known before\n"}
    round_ = Rehearsal(GAME, sources, ("aki",), DECLARED.rehearsal)
    assert round_.round_files["salt.txt"] == b"known before"
    assert round_.facts["commitment"] == commitment("known before")
    with pytest.raises(ValueError, match=r"brought-salt\.txt: got '', expected one line"):
        Rehearsal(GAME, {"brought-salt.txt": b"\n"}, ("aki",), DECLARED.rehearsal)


def test_the_cohort_of_the_house_is_like_the_others_and_changes_none_of_them() -> None:
    plan = planned(300, 25, generator("plan"))
    reference = planned_reference(plan, 300, 25, generator("reference"))
    known = set(reference.known.tolist())
    assert len(known) == len(reference.known)
    assert len(reference.known) + len(reference.kinds) == 1049
    kinds = [*plan.kinds[reference.known].tolist(), *reference.kinds.tolist()]
    assert (kinds.count(LEAN), kinds.count(LEANER)) == (17, 7)
    assert {len(known & set(cohort.tolist())) for cohort in plan.cohorts} <= {25, 26, 27}


def test_nobody_reads_what_is_secret() -> None:
    round_ = played()
    assert set(round_.seat(1, "team").files.names()) == {
        "B.csv", "B_self.csv", "aia_challenge.csv", "floor.csv", "token.txt", "utility_ref.json",
    }  # fmt: skip
    assert round_.seat(1, "all").files.names() == ["aia_challenge.csv"]
    assert round_.world(secret=False).public.names() == ["A_bg.csv", "salt.txt"]


def test_controls_are_like_members_and_in_no_cohort() -> None:
    round_ = played()
    seat = round_.seat_files[4]
    asked, truth = (rows_of(seat[f"aia_{name}.csv"])[1:] for name in ("challenge", "truth"))
    sides: dict[str, list[tuple[str, ...]]] = {"member": [], "control": []}
    everybody = {
        tuple(row[5:8])
        for number in range(N_COHORTS + 1)
        for row in rows_of(round_.round_files[f"cohorts/B_{number}.csv"])[1:]
    }
    for row, true in zip(asked, truth, strict=True):
        assert row[0] == true[0]
        sides[true[1]].append((row[1], row[6], row[7], true[4]))
        labs = tuple(row[2:5])
        assert (labs in {key[:3] for key in everybody}) is (true[1] == "member")
    assert sorted(sides["member"]) == sorted(sides["control"])
    assert len(sides["member"]) == 40
    assert sum(row[3] == "1" for row in sides["member"]) == 8


def test_a_world_of_the_organisers_is_taken_as_it_is() -> None:
    made = played()
    sources = {
        "brought/A_bg.csv": made.round_files["A_bg.csv"],
        "brought/aia_floor.csv": b"team_id,aia_floor\n3,0.25\n",
    }
    for number, files in made.seat_files.items():
        names = {"B.csv": f"B_{number}.csv", "pool_ids.csv": f"pool_ids_{number}.csv",
                 "utility_ref.json": f"utility_ref_{number}.json",
                 "aia_challenge.csv": f"aia_challenge_{number}.csv",
                 "aia_truth.csv": f"aia_truth_{number}.csv"}  # fmt: skip
        sources |= {f"brought/{theirs}": files[ours] for ours, theirs in names.items()}
    again = played(sources=sources)
    for number, files in made.seat_files.items():
        different = {name for name in files if files[name] != again.seat_files[number][name]}
        assert different <= {"token.txt", "floor.csv"}
    assert again.seat_files[3]["floor.csv"] == b"aia_floor\n0.25\n"
    assert again.seat_files[4]["floor.csv"] == b"aia_floor\n0.0\n"
    del sources["brought/aia_truth_7.csv"]
    with pytest.raises(BadFiles, match=r"brought/aia_truth_7\.csv"):
        played(sources=sources)


def test_a_challenge_that_is_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="got 192 ordinary and 8 rare members"):
        played({"challenge": 200})


def test_the_token_of_another_team_is_refused(entered: Rehearsal) -> None:
    upload = entered.anonymize("swap", 0)
    other = entered.seat_files[1]["token.txt"]
    assert other != upload["token.txt"]
    problems = played().enter(0, upload | {"token.txt": other}).problems
    assert [(problem.file, str(problem.expected)) for problem in problems] == [
        ("token.txt", "a token that is registered for this account")
    ]
    answer = entered.attack("blind", 0)
    assert entered.answer(0, answer | {"token.txt": other}, "x").problems[0].file == "token.txt"
    without = {name: content for name, content in answer.items() if name != "token.txt"}
    assert entered.answer(0, without, "x").problems == ()
    entered.cells = [cell for cell in entered.cells if cell.attacker != "x"]


def test_a_release_is_published_sorted_and_in_its_columns(entered: Rehearsal) -> None:
    upload = entered.anonymize("noise", 1)
    published = published_by(entered, "haru")
    header, *rows = rows_of(upload["C.csv"])
    assert rows_of(published)[0] == header
    turned = as_file([row[::-1] for row in rows_of(upload["C.csv"])])
    again = played()
    assert again.enter(1, {"C.csv": turned.replace(b",0,", b",0.0,")}).problems == ()
    assert published_by(again, "haru") == published
    assert len(rows) == 172


def test_the_house_has_no_protection_against_itself(entered: Rehearsal) -> None:
    round_ = played()
    assert round_.enter(HOUSE, round_.anonymize("noise", HOUSE)).measures["protection"] is None
    assert entered.entries["aki"].measures["protection"] is not None


def test_an_answer_covers_everybody_but_oneself(entered: Rehearsal) -> None:
    answer = entered.attack("reference", 1)
    found = entered.answer(1, answer, "haru")
    assert found.problems == ()
    assert [(cell.target, cell.challenge) for cell in found.cells] == [
        ("aki", "mia"), ("aki", "aia"), ("natsu", "mia"), ("natsu", "aia"),
    ]  # fmt: skip
    header = rows_of(answer["F_mia.csv"])[0]
    assert header == ["record_id", "0", "2"]
    aia = rows_of(answer["F_aia.csv"])
    about_one = [aia[0], *(row for row in aia[1:] if row[0] == "0")]
    problems = entered.answer(1, answer | {"F_aia.csv": as_file(about_one)}).problems
    assert [str(problem.expected) for problem in problems] == ["an answer about the target 2"]
    problems = entered.answer(1, {"F_mia.csv": answer["F_mia.csv"]}).problems
    assert [(problem.file, str(problem.expected)) for problem in problems] == [
        ("F_aia.csv", "F_mia.csv and F_aia.csv, both")
    ]


def test_of_several_releases_of_one_cohort_an_answer_is_about_the_first(entered: Rehearsal) -> None:
    targets = entered.targets()
    house = next(target for target in targets if target.key == "natsu")
    both = [*targets, house._replace(key="natsu-2")]
    answer = MemoryBox(entered.attack("reference", 1))
    covered = set(GAME.cover(entered.world(), entered.seat(1), answer, both))
    assert covered == {(key, challenge) for key in ("aki", "natsu") for challenge in ("mia", "aia")}


def test_in_practice_one_target_may_be_missing_from_each_file() -> None:
    round_ = played({"practice": True})
    for seat in range(3):
        round_.enter(seat, round_.anonymize("swap", seat))
    answer = round_.attack("nearest", 3)
    two = as_file([row[:3] for row in rows_of(answer["F_mia.csv"])])
    found = round_.answer(3, answer | {"F_mia.csv": two}, "x")
    assert [cell.target for cell in found.cells if cell.challenge == "mia"] == ["aki", "haru"]
    one = as_file([row[:2] for row in rows_of(answer["F_mia.csv"])])
    problems = round_.answer(3, answer | {"F_mia.csv": one}, "x").problems
    assert len(problems) == 2


def test_what_is_told_about_a_target_before_the_results() -> None:
    """The specification, section 6: a band of one number, another as it is, means of the rest."""
    told = {challenge.name: {number.name: number.told for number in challenge.numbers}
            for challenge in DECLARED.challenges}  # fmt: skip
    assert [name for name, how in told["mia"].items() if how == "band"] == ["all"]
    assert "at once" not in told["mia"].values()
    assert [name for name, how in told["aia"].items() if how == "at once"] == ["score"]


@pytest.mark.parametrize("values", [40, 6, 1])
def test_luck_is_what_permuted_labels_reach(values: int) -> None:
    """Against the score of each permutation by itself; with few values there are ties, with one all tie."""
    rng = generator("luck", values)
    n, n_members, fpr = 90, 7, 0.02
    confidence, is_rare = rng.integers(0, values, n) / values, rng.random(n) < 0.3
    lines = _drawn(n, n_members, 300, rng)
    assert all(len(set(line)) == n_members for line in lines.tolist())
    order = np.argsort(-confidence, kind="stable")
    found = _rates(lines, np.full(len(lines), n_members), n, _ends(confidence[order]), fpr)
    scores = []
    for line, rate in zip(lines, found, strict=True):
        member = np.zeros(n, dtype=bool)
        member[order[line]] = True
        alone = membership(confidence, member, is_rare, fpr)
        assert alone.all == rate
        scores.append(alone.score)
    assert len(set(scores)) == (1 if values == 1 else len(set(scores)))
    luck = chance(confidence, n_members, is_rare, fpr, 300, "seed")
    again = chance(confidence, n_members, is_rare, fpr, 300, "seed")
    assert luck == again != chance(confidence, n_members, is_rare, fpr, 300, "another") or values == 1


def test_many_members_are_permuted_as_well() -> None:
    lines = _drawn(10, 8, 50, generator("many"))
    assert all(len(set(line)) == 8 and max(line) < 10 for line in lines.tolist())


def test_luck_takes_the_rare_into_account() -> None:
    """Every way to choose 1 of 6 members: the first of all, or the first of the two rare ones, scores 1."""
    confidence = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    is_rare = np.array([False, False, True, False, True, False])
    scores = [membership(confidence, np.arange(6) == one, is_rare, 0.01).score for one in range(6)]
    assert scores == [1, 0, 1, 0, 0, 0]
    luck = chance(confidence, 1, is_rare, 0.01, 60_000, "rare")
    # The mean of 60,000 draws of a chance of 1/3 is 0.01 off less than once in a million times.
    assert abs(luck.mean - sum(scores) / 6) < 0.01
    assert luck.level == 1


def efron(rows: np.ndarray, time: np.ndarray, event: np.ndarray, beta: np.ndarray) -> float:
    """Efron's log-likelihood (1977), written out."""
    total = 0.0
    linear = [sum(x * b for x, b in zip(row, beta, strict=True)) for row in rows]
    for when in sorted(set(time[event == 1])):
        tied = [i for i in range(len(time)) if time[i] == when and event[i] == 1]
        at_risk = sum(math.exp(linear[i]) for i in range(len(time)) if time[i] >= when)
        own = sum(math.exp(linear[i]) for i in tied)
        total += sum(linear[i] for i in tied)
        total -= sum(math.log(at_risk - place / len(tied) * own) for place in range(len(tied)))
    return total


def test_the_cox_likelihood_and_its_slopes_are_efrons() -> None:
    rng = generator("cox")
    rows, time = rng.standard_normal((40, 3)), rng.integers(1, 8, 40).astype(float)
    event, beta = rng.integers(0, 2, 40), np.array([0.3, -0.2, 0.5])
    order = np.argsort(-time, kind="stable")
    likelihood, slope, information = _moments(rows[order], beta, _ties(time[order], event[order]))
    assert likelihood == pytest.approx(efron(rows, time, event, beta), abs=1e-10)
    step = 1e-4
    for place in range(3):
        more, less = beta.copy(), beta.copy()
        more[place] += step
        less[place] -= step
        ends = [efron(rows, time, event, one) for one in (more, less)]
        assert slope[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-5)
        bend = (ends[0] - 2 * efron(rows, time, event, beta) + ends[1]) / step**2
        assert information[place, place] == pytest.approx(-bend, abs=1e-4)
    found = cox(rows, time, event)
    assert np.isfinite(found.errors).all()


def test_the_normal_distribution_and_ranks_are_those_of_scipy() -> None:
    from scipy import stats

    chances = np.linspace(1e-6, 1 - 1e-6, 999)
    assert np.abs(quantile(chances) - stats.norm.ppf(chances)).max() < 1e-8
    assert np.abs(cdf(stats.norm.ppf(chances)) - chances).max() < 1e-7
    table = generator("ranks").integers(0, 5, (60, 4)).astype(float)
    assert np.abs(spearman(table) - stats.spearmanr(table).statistic).max() < 1e-12


def bare(team: str) -> Target:
    return Target(team, "", 0, {}, None, EMPTY, EMPTY, EMPTY)


def hidden(
    team: str, utility: float, rare: float = 0.5, received: float = 0.0, state: Any = "counts"
) -> Hidden:
    return Hidden(
        team, bare(team), state, received, Verdict((), utility, {"u-rare": rare, "protection": 0.9})
    )


def mia(attacker: str, target: str, score: float, beyond: float) -> Cell:
    return Cell(attacker, target, "mia", Result(score, {"score": score, "excess": beyond}))


def aia(attacker: str, target: str, score: float) -> Cell:
    return Cell(attacker, target, "aia", Result(score, {"score": score}))


def boards(rows: list[Hidden], cells: list[Cell], rule: str = "one-round",
           earlier: Mapping[str, list[Board]] | None = None) -> dict[str, dict[str, Row]]:  # fmt: skip
    found = GAME.tally(rule, DECLARED.defaults, rows, lambda: iter(cells), earlier or {})
    return {board.name: {row.key: row for row in board.rows} for board in found}


def test_the_mean_counts_for_membership_and_the_strongest_for_times() -> None:
    """By hand: β = 0.01 + (0.022 + 0.066) / 2 = 0.054, a_MIA = 4.4 / 11 = 0.4; a_AIA = max(0.1, 0.3)."""
    rows = [hidden(team, 0.9) for team in TEAMS]
    cells = [mia("haru", "aki", 0.1, 0.022), mia("natsu", "aki", 0.2, 0.066), aia("haru", "aki", 0.1),
             aia("natsu", "aki", 0.3), mia("aki", "aki", 1.0, 1.0)]  # fmt: skip
    row = boards(rows, cells)["main"]["aki"]
    assert row.values["a-mia"] == pytest.approx(0.4)
    assert row.values["a-aia"] == 0.3
    assert row.values["anonymity"] == row.values["score"] == pytest.approx(0.6)
    power = boards(rows, cells)["power"]
    assert power["natsu"].values == {"power": pytest.approx(0.25), "mia": 0.1, "aia": 0.15}
    assert power["aki"].values["power"] == 0


def test_the_house_attacks_count_where_no_team_attacks() -> None:
    rows = [hidden("aki", 0.9), hidden("haru", 0.9)]
    house = [mia("reference", "aki", 0.5, 0.05), mia("nearest", "aki", 0.6, 0.11), aia("nearest", "aki", 0.2)]
    row = boards(rows, house)["main"]["aki"]
    assert row.values["a-mia"] == pytest.approx(1.0)
    assert row.values["a-aia"] == 0.2
    row = boards(rows, [*house, mia("haru", "aki", 0.0, 0.0)])["main"]["aki"]
    assert row.values["anonymity"] == 1
    assert boards(rows, house)["power"]["nearest"].chain is None


def test_ties_and_teams_without_an_entry() -> None:
    rows = [hidden("late", 0.5, received=2), hidden("early", 0.5, received=1), hidden("open", 0.8),
            hidden("rare", 0.5, rare=0.9), Hidden("none", None, "absent"),
            hidden("ours", 1.0, state="house")]  # fmt: skip
    cells = [aia("x", "open", 0.5)]
    main = boards(rows, cells)["main"]
    ranked = sorted((row for row in main.values() if row.chain), key=lambda row: row.chain)
    # "open" has U 0.8 and A 0.5; the others have U 0.5 and A 1: the same score, a higher other part.
    assert [row.key for row in ranked] == ["rare", "early", "late", "open", "none"]
    assert main["none"].values["score"] == 0
    assert main["ours"].chain is None
    # Nobody attacked the house's release: that says nothing about its anonymity.
    assert [main["ours"].values[name] for name in ("score", "anonymity", "a-mia", "a-aia")] == [None] * 4


def test_an_adjustment_by_hand_is_final() -> None:
    rows = [hidden("aki", 0.9)._replace(adjusted={"anonymity": 0.0})]
    assert boards(rows, [])["main"]["aki"].values["score"] == 0


def test_two_rounds_are_weighted_one_to_nine() -> None:
    before = boards([hidden("aki", 0.5)], [])["main"]["aki"]
    earlier = {"preliminary": [Board("main", ("score",), [before])]}
    rows = [hidden("aki", 0.8), hidden("new", 0.8)]
    overall = boards(rows, [], "last-round", earlier)["overall"]
    assert overall["aki"].values["score"] == pytest.approx(0.1 * 0.5 + 0.9 * 0.8)
    assert overall["new"].values == {"score": pytest.approx(0.72), "earlier": 0.0, "last": 0.8}


def test_null_floors_follow_the_parameter() -> None:
    found = {how: float(played({"floor": how}).seat_files[5]["floor.csv"].decode().split()[1])
             for how in ("off", "mean", "percentile-95")}  # fmt: skip
    assert found["off"] == 0
    assert 0 <= found["mean"] <= found["percentile-95"] < 1
    assert found["percentile-95"] > 0


def test_an_unchanged_cohort_is_found_and_a_blind_answer_finds_nothing(entered: Rehearsal) -> None:
    answers = {name: entered.answer(2, entered.attack(name, 2), f"{name} by natsu")
               for name in ("nearest", "blind")}  # fmt: skip
    risks = {name: {(cell.target, cell.challenge): cell.result.risk for cell in found.cells}
             for name, found in answers.items()}  # fmt: skip
    assert risks["nearest"]["aki", "mia"] == 1
    assert risks["blind"]["aki", "aia"] < 0.25
