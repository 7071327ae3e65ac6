"""The rounds of the four games from outside the tree. Every number is worked out beside it, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from datasets.zip_writer import zipped
from tests.outside_games.script import Asked, Boards, Files, Place, Refused, Script, Upload, rows, table

HERE = Path(__file__).parent
TEAMS = ("fox", "badger", "hare")


def counted_auc(pairs: list[tuple[float, bool]]) -> float:
    """Pairs of a member and somebody else whose scores are in the right order, equal ones half."""
    inside, outside = ([score for score, member in pairs if member is kind] for kind in (True, False))
    won = sum(Fraction((a > b) * 2 + (a == b), 2) for a in inside for b in outside)
    return float(won / (len(inside) * len(outside)))


def scored(answer: Files, key: str, secret: Files) -> list[tuple[float, bool]]:
    scores = [float(cell) for (cell,) in rows(answer[f"{key}.csv"], header=False)]
    return list(zip(scores, [cell == "1" for (cell,) in rows(secret["truth.csv"])], strict=True))


def matches(files: Files, released: str) -> list[bool]:
    """For each candidate whether the release has the same row, as numbers."""
    known = {tuple(map(float, row)) for row in rows(files[released])}
    return [tuple(map(float, row)) in known for row in rows(files["candidates.csv"])]


def by_worst_risk(utility: Mapping[str, float], risks: Mapping[Place, float | None]) -> Boards:
    """The default boards: utility + 100·(1 − worst risk), and the mean over the entries of others."""
    main = []
    for team in utility:
        worst = max((risk or 0.0 for place, risk in risks.items() if place[1] == team), default=0.0)
        safety = 100 * (1 - worst)
        main.append((team, {"utility": utility[team], "safety": safety, "total": utility[team] + safety}))
    main.sort(key=lambda row: (-row[1]["total"], -row[1]["safety"], list(utility).index(row[0])))
    seekers = []
    for attacker in sorted({place[0] for place in risks}):
        found = [risk or 0.0 for place, risk in risks.items() if place[0] == attacker != place[1]]
        seekers.append((attacker, {"found": sum(found) / len(found), "targets": float(len(found))}))
    return {"main": main, "attackers": sorted(seekers, key=lambda row: (-row[1]["found"], row[0]))}


# Lantern, the skeleton: eight people, of whom each team gets four. A mean of four whole numbers is exact.
LANTERN_PEOPLE = [[i, 35 + 5 * i, 100 * i] for i in range(1, 9)]


def lantern_shifted(given: Files) -> Files:
    """Everybody a year older and 10 richer: nobody's row is that of anybody else."""
    moved = [[int(age) + 1, float(spent) + 10] for age, spent in rows(given["mine.csv"])]
    return {"release.csv": table("age,spent", moved)}


def lantern_answer(asked: Asked, most: int) -> Files:
    """1 for the first few candidates whose row is in the release."""
    answer = {}
    for key, files in asked.others.items():
        named = [place for place, is_there in enumerate(matches(files, "release.csv")) if is_there][:most]
        n = len(rows(files["candidates.csv"]))
        answer[f"{key}.csv"] = table("", [[int(place in named)] for place in range(n)])
    return answer


LANTERN_UTILITY = {"fox": 100.0, "badger": 80.0, "hare": 100.0}
LANTERN = Script(
    game="lantern",
    project=None,
    teams=TEAMS,
    sources={"people.csv": table("id,age,spent", LANTERN_PEOPLE)},
    uploads={
        "fox": Upload(lambda given: {"release.csv": given["mine.csv"]}, {"age": 0, "spent": 0}, 100),
        # The limits are 5 and 50: 1 − 1/5 and 1 − 10/50 are left.
        "badger": Upload(lantern_shifted, {"age": 1, "spent": 10}, 80),
        "hare": Upload(lambda given: {"release.csv": given["mine.csv"]}, {"age": 0, "spent": 0}, 100),
    },
    answers={
        "fox": lambda asked: lantern_answer(asked, 1),
        "badger": lambda asked: lantern_answer(asked, 4),
        "hare": lambda asked: {f"{key}.csv": b"0.5\n" * 8 for key in asked.others},
    },
    refused_upload=Refused(lambda given: {"release.csv": table("age,spent", [[50, 1]] * 4)}, ("game-check",)),
    refused_answer=Refused(lambda asked: {f"{next(iter(asked.others))}.csv": b"0.5\n"}, ("game-check",)),
    house_methods=(("unchanged", {}), ("noise", {"width": 5})),
    house_attacks=("nearest",),
    results={
        # One of four members is named and nobody else: of the 4 · 4 pairs 4 are won and 12 equal, 10/16.
        ("fox", "hare", "member"): {"risk": 0.25, "auc": 0.625},
        ("fox", "badger", "member"): {"risk": 0, "auc": 0.5},
        ("badger", "fox", "member"): {"risk": 1, "auc": 1},
        ("badger", "hare", "member"): {"risk": 1, "auc": 1},
        ("hare", "fox", "member"): {"risk": 0, "auc": 0.5},
        ("hare", "badger", "member"): {"risk": 0, "auc": 0.5},
        # Two people differ by at least 5 years and 100, which is more than the shift by 1 and 10.
        ("nearest", "fox", "member"): {"risk": 1, "auc": 1},
        ("nearest", "badger", "member"): {"risk": 1, "auc": 1},
        ("nearest", "hare", "member"): {"risk": 1, "auc": 1},
    },
    recount=lambda challenge, answer, key, secret: {"auc": counted_auc(scored(answer, key, secret))},
    boards=lambda risks: {
        "main": [
            ("fox", {"total": 100, "utility": 100, "safety": 0}),
            ("hare", {"total": 100, "utility": 100, "safety": 0}),
            ("badger", {"total": 80, "utility": 80, "safety": 0}),
        ],
        "attackers": [
            ("badger", {"found": 1, "targets": 2}),
            ("nearest", {"found": 1, "targets": 3}),
            ("fox", {"found": 0.125, "targets": 2}),
            ("hare", {"found": 0, "targets": 2}),
        ],
    },
)

# Roll call: 200 people, 100 of them members, so that 1 % of the others is one person. Whoever visits less
# spends more: Kendall's τ is −1 in every part of the table.
PUPILS = [[i, 10 + 7 * i % 71, 3 * (200 - i), 2.5 * i] for i in range(1, 201)]
SYNTHETIC = "age,visits,spent"
EVERYBODY = 200


def ten_are_old(given: Files) -> Files:
    """The ages of ten rows become 120, which nobody is: a tenth of the column is beyond all others."""
    changed = [[120 if n < 10 else row[0], *row[1:]] for n, row in enumerate(rows(given["training.csv"]))]
    return {"synthetic.csv": table(SYNTHETIC, changed)}


def columns_sorted(given: Files) -> Files:
    """Every column on its own in ascending order: the same columns, but τ is 1.

    A row would be somebody's only if the k-th smallest were the k-th largest, and 100 rows have no such k.
    """
    columns = [sorted(column, key=float) for column in zip(*rows(given["training.csv"]), strict=True)]
    return {"synthetic.csv": table(SYNTHETIC, list(zip(*columns, strict=True)))}


def exact(asked: Asked) -> Files:
    """1 for everybody whose row is in the release."""
    return {
        f"{key}.csv": table("", [[int(one)] for one in matches(files, "synthetic.csv")])
        for key, files in asked.others.items()
    }


def ladder(asked: Asked) -> Files:
    """Steps of 20 members, 15 and a stranger, 50 and a stranger, all others; 0.5 where nobody is known."""
    answer = {}
    for key, files in asked.others.items():
        there = matches(files, "synthetic.csv")
        scores = []
        seen = {True: 0, False: 0}
        for is_there in there:
            seen[is_there] += 1
            steps = ((20, 0.9), (35, 0.8), (85, 0.7)) if is_there else ((0, 0.9), (1, 0.8), (2, 0.7))
            scores.append(next((score for most, score in steps if seen[is_there] <= most), 0.1))
        answer[f"{key}.csv"] = table("", [[score if any(there) else 0.5] for score in scores])
    return answer


def two_too_many(asked: Asked) -> Files:
    """All members and two strangers at 1, of whoever handed in the training table itself."""
    answer = {}
    for key, files in asked.others.items():
        there = matches(files, "synthetic.csv")
        if sum(there) == EVERYBODY // 2:
            strangers = [place for place, is_there in enumerate(there) if not is_there][:2]
            named = [int(one or place in strangers) for place, one in enumerate(there)]
            answer[f"{key}.csv"] = table("", [[one] for one in named])
    return answer


def counted_tpr(pairs: list[tuple[float, bool]], fpr: Fraction) -> float:
    """By every threshold: the largest share of members above it, where at most this share of others is."""
    best = Fraction(0)
    for threshold in {score for score, _ in pairs}:
        called = [member for score, member in pairs if score >= threshold]
        others = Fraction(called.count(False), sum(not member for _, member in pairs))
        if others <= fpr:
            best = max(best, Fraction(called.count(True), sum(member for _, member in pairs)))
    return float(best)


def roll_call_numbers(challenge: str, answer: Files, key: str, secret: Files) -> dict[str, float]:
    pairs = scored(answer, key, secret)
    return {"tpr": counted_tpr(pairs, Fraction(1, 100)), "auc": counted_auc(pairs)}


ROLL_CALL_UTILITY = {"fox": 100.0, "badger": 75.0, "hare": 50.0}
ROLL_CALL = Script(
    game="roll-call",
    project=HERE / "roll-call",
    teams=TEAMS,
    sources={"people.csv": table("id,age,visits,spent", PUPILS)},
    params={"limit-marginals": 0.2, "limit-order": 1},
    uploads={
        "fox": Upload(
            lambda given: {"synthetic.csv": given["training.csv"]}, {"marginals": 0, "order": 0}, 100
        ),
        # 1 − 0.1/0.2 and 1 are left.
        "badger": Upload(ten_are_old, {"marginals": 0.1, "order": 0}, 75),
        # 1 and 1 − 1/1 are left.
        "hare": Upload(columns_sorted, {"marginals": 0, "order": 1}, 50),
    },
    answers={"fox": exact, "badger": ladder, "hare": two_too_many},
    refused_upload=Refused(
        lambda given: {"synthetic.csv": table(SYNTHETIC, [[50, 1, 1]] * 9)}, ("game-check",)
    ),
    refused_answer=Refused(
        lambda asked: {f"{next(iter(asked.others))}.csv": b"0.5\n" * (EVERYBODY + 1)}, ("game-check",)
    ),
    house_methods=(("unchanged", {}), ("noise", {"width": 0.05})),
    house_attacks=("nearest", "blind"),
    results={
        # 90 members and no stranger: of the pairs 90 % are won and 10 % equal.
        ("fox", "badger", "member"): {"risk": 0.9, "tpr": 0.9, "auc": 0.95},
        ("fox", "hare", "member"): {"risk": 0, "tpr": 0, "auc": 0.5},
        # The first two steps hold 35 members and one stranger of 100. Of 10,000 pairs
        # 20·100 + 15·99.5 + 50·98.5 + 15·49 are won.
        ("badger", "fox", "member"): {"risk": 0.35, "tpr": 0.35, "auc": 0.91525},
        ("badger", "hare", "member"): {"risk": 0, "tpr": 0, "auc": 0.5},
        # Two strangers at the top are 2 %, so no point is legal: lines between the points would give 0.5.
        ("hare", "fox", "member"): {"risk": 0, "tpr": 0, "auc": 0.99},
        ("nearest", "fox", "member"): {"risk": 1, "tpr": 1, "auc": 1},
    },
    recount=roll_call_numbers,
    boards=lambda risks: by_worst_risk(ROLL_CALL_UTILITY, risks),
)

# Two keys: 60 patients with 60 ages. Each table has 12 of those who are not kept aside; six are asked about.
PATIENTS = [[i, 19 + i, "NESW"[i % 4], "ABC"[i % 3], 100 + 10 * i] for i in range(1, 61)]
RELEASE = "age,ward,diagnosis,cost"
NEXT = {"A": "B", "B": "C", "C": "A", "-": "-"}
BEFORE = {after: before for before, after in NEXT.items()}


def all_99(given: Files) -> Files:
    """An age that nobody has, and 20 more for everybody."""
    changed = [[99, ward, ill, int(cost) + 20] for _, ward, ill, cost in rows(given["mine_0.csv"])]
    return {"release.csv": table(RELEASE, changed)}


def turned(given: Files) -> Files:
    """The second table, each diagnosis the next one."""
    changed = [[age, ward, NEXT[ill], cost] for age, ward, ill, cost in rows(given["mine_1.csv"])]
    return {"release.csv": table(RELEASE, changed)}


def by_exact_age(asked: Asked, most: int = 6, read: Mapping[str, str] | None = None) -> Files:
    """The row with a patient's age, and its diagnosis, for the first few patients who have one."""
    who, value = [], []
    for files in asked.targets.values():
        lines = {row[0]: (line, row[2]) for line, row in enumerate(rows(files["release.csv"]), start=1)}
        found = [lines.get(age, (0, "-")) for age, _ in rows(files["asked.csv"])]
        found = [one if place < most else (0, "-") for place, one in enumerate(found)]
        who.append([line for line, _ in found])
        value.append([(read or {}).get(ill, ill) for _, ill in found])
    header = ",".join(asked.targets)
    return {
        "who.csv": table(header, list(zip(*who, strict=True))),
        "value.csv": table(header, list(zip(*value, strict=True))),
    }


def two_keys_numbers(challenge: str, answer: Files, key: str, secret: Files) -> dict[str, float]:
    content, place = answer[f"{challenge}.csv"], {"who": 1, "value": 2}[challenge]
    column = content.decode().splitlines()[0].split(",").index(key)
    given, truth = rows(content), rows(secret["truth.csv"])
    return {"right": sum(one[column] == true[place] for one, true in zip(given, truth, strict=True))}


def right(who: int, value: int, attacker: str, team: str) -> dict[Place, dict[str, float]]:
    """Both cells, as numbers of the six patients."""
    return {
        (attacker, team, "who"): {"right": who, "risk": who / 6},
        (attacker, team, "value"): {"right": value, "risk": value / 6},
    }


TWO_KEYS = Script(
    game="two-keys",
    project=HERE / "two-keys",
    teams=TEAMS,
    sources={
        "patients.csv": table("id,age,ward,diagnosis,cost", PATIENTS),
        "key.txt": b"two foxes at dusk\n",
    },
    uploads={
        "fox": Upload(lambda given: {"release.csv": given["mine_0.csv"]}, {"changed": 0, "forecast": 0}, 100),
        # Two of four columns are changed: 1 − 0.5/0.8 and 1 − 20/50 are left, 0.4875 on the mean.
        "badger": Upload(all_99, {"changed": 0.5, "forecast": 20}, 48.75),
        # One of four: 1 − 0.25/0.8 and 1 are left.
        "hare": Upload(turned, {"changed": 0.25, "forecast": 0}, 84.375, variant=1),
    },
    answers={
        "fox": by_exact_age,
        "badger": lambda asked: by_exact_age(asked, most=3),
        "hare": lambda asked: by_exact_age(asked, read=BEFORE),
    },
    refused_upload=Refused(
        lambda given: {"release.csv": table(RELEASE, [[50, "N", "A", 1]] * 12)}, ("game-check",)
    ),
    refused_answer=Refused(
        lambda asked: {"who.csv": table(",".join(asked.targets), [[13] * len(asked.targets)] * 6)},
        ("game-check",),
    ),
    house_methods=(("unchanged", {"variant": 1}), ("decades", {"width": 20})),
    house_attacks=("by-age",),
    results={
        **right(0, 0, "fox", "badger"),
        **right(6, 0, "fox", "hare"),
        **right(3, 3, "badger", "fox"),
        **right(3, 0, "badger", "hare"),
        **right(6, 0, "hare", "fox"),  # it takes every diagnosis for the next one
        **right(0, 0, "hare", "badger"),
        **right(6, 6, "by-age", "fox"),
        **right(0, 0, "by-age", "badger"),
        **right(6, 0, "by-age", "hare"),
    },
    recount=two_keys_numbers,
    # Against fox the worst are 1 and 1, against hare 1 and 0. All six patients of both are found twice.
    boards=lambda risks: {
        "main": [
            ("badger", {"total": 148.75, "utility": 48.75, "safety": 100, "penalty": 0}),
            ("hare", {"total": 128.375, "utility": 84.375, "safety": 50, "penalty": 6}),
            ("fox", {"total": 94, "utility": 100, "safety": 0, "penalty": 6}),
        ],
        "seekers": [
            ("badger", {"power": 0.375, "who": 0.5, "value": 0.25}),
            ("fox", {"power": 0.25, "who": 0.5, "value": 0}),
            ("hare", {"power": 0.25, "who": 0.5, "value": 0}),
            ("by-age", {"power": 0.5, "who": 2 / 3, "value": 1 / 3}),
        ],
    },
)

# An unchanged Codabench bundle: eight people, and a scoring program that counts right answers.
BUNDLE = HERE.parent / "games" / "codabench"


def bundle_zip() -> bytes:
    """The zip as it would be uploaded to Codabench."""
    paths = (path for path in sorted(BUNDLE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return zipped({path.relative_to(BUNDLE).as_posix(): path.read_bytes() for path in paths})


def submission(answers: str) -> Files:
    return {"submission.zip": zipped({"answer.csv": "".join(f"{one}\n" for one in answers).encode()})}


CODABENCH = Script(
    game="who-is-a-member",
    project=None,
    teams=TEAMS,
    answers={
        "fox": lambda asked: submission("10110010"),  # the truth
        "badger": lambda asked: submission("10110000"),  # a member is not named
        "hare": lambda asked: submission("10110011"),  # a stranger is named
    },
    results={
        ("fox", "task-0", "submission"): {"accuracy": 1, "wrong_names": 0, "best": 1},
        ("badger", "task-0", "submission"): {"accuracy": 0.875, "wrong_names": 0, "best": 0.875},
        ("hare", "task-0", "submission"): {"accuracy": 0.875, "wrong_names": 1, "best": 1},
    },
    boards=lambda risks: {
        "main": [
            ("fox", {"accuracy": 1, "wrong_names": 0, "best": 1}),
            ("badger", {"accuracy": 0.875, "wrong_names": 0, "best": 0.875}),
            ("hare", {"accuracy": 0.875, "wrong_names": 1, "best": 1}),
        ]
    },
)

OURS = (LANTERN, ROLL_CALL, TWO_KEYS)
EVERY = (*OURS, CODABENCH)
