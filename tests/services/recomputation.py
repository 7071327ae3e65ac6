"""The boards of an archived contest, worked out again from its files by plain Python alone.

Nothing of the platform is used here: the archive is a zip, its rows are lines of JSON, its files are CSV.
Only what a team handed in and what a round is about is read; every number is computed anew.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Place:
    rank: int | None
    team: str
    total: float
    utility: float
    hits: int


class ArchivedContest:
    def __init__(self, content: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}

    def rows(self, table: str) -> list[Row]:
        return [json.loads(line) for line in self.members[f"rows/{table}.jsonl"].splitlines()]

    def result(self, round_slug: str) -> Row:
        found: Row = json.loads(self.members[f"results/{round_slug}.json"])
        return found

    def lines(self, sha256: str) -> list[list[str]]:
        return list(csv.reader(io.StringIO(self.members[f"files/{sha256}"].decode())))

    def tables(self, files: dict[str, str]) -> Tables:
        return Tables(self.lines(files["M.csv"]), self.lines(files["T.csv"]))

    def board(self, round_: Row) -> list[Place]:
        """The round's board by the rule of 2024 and the whole chain that tells equal totals apart.

        The house stands where its total puts it; it takes a place only if the round says so.
        """
        (dataset,) = [row for row in self.rows("dataset") if row["id"] == round_["dataset"]]
        original = self.tables(dataset["files"])
        teams = {row["id"]: row for row in self.rows("team")}
        ranked: list[tuple[tuple[Any, ...], Row, float, float, int]] = []
        for entry in self.rows("entry"):
            if entry["round"] != round_["id"] or not entry["is_official"]:
                continue
            released = self.tables(entry["published"])
            (sealed,) = [row for row in self.rows("sealed") if row["entry"] == entry["id"]]
            truth = [int(line[0]) - 1 for line in self.lines(sealed["sha256"])]
            utility = _utility(original, released, truth, round_["limits"])
            hits = max(self._hits(entry, round_, original, released, truth))
            total = _total_2024(utility, 100 * (len(truth) - hits) / len(truth))
            chain = (-total, hits, -utility, entry["received_at"], entry["id"])
            ranked.append((chain, teams[entry["team"]], total, utility, hits))
        board: list[Place] = []
        placed = 0
        for _, team, total, utility, hits in sorted(ranked, key=lambda row: row[0]):
            takes_place = round_["house_takes_places"] or not team["is_house"]
            placed += takes_place
            board.append(Place(placed if takes_place else None, team["name"], total, utility, hits))
        return board

    def _hits(
        self, entry: Row, round_: Row, original: Tables, released: Tables, truth: list[int]
    ) -> list[int]:
        """What each attack on an entry found: house attacks made anew, guess files as they were sent."""
        found = []
        for attack in self.rows("attack"):
            if attack["round"] == round_["id"] and attack["kind"] == "house":
                guess = HOUSE[attack["name"]](original, released)
                found.append(_right(guess, truth))
        kinds = {row["id"]: row["kind"] for row in self.rows("attack")}
        for run in self.rows("attackrun"):
            if run["entry"] == entry["id"] and kinds[run["attack"]] == "guess":
                lines = self.members[f"files/{run['answer_sha256']}"].decode().splitlines()
                found.append(
                    _right([int(line) - 1 if line not in ("", "-") else None for line in lines], truth)
                )
        return found

    def overall(self) -> list[tuple[str, float]]:
        """Teams by the weighted mean of their totals; a round without an entry counts 0, as in 2024.

        Equal means are told apart by the total of the last round, then of those before it, then by who
        joined first.
        """
        rounds = [row for row in self.rows("round") if row["weight"] > 0]
        weights = [row["weight"] for row in rounds]
        totals: dict[str, list[float]] = {}
        for place, round_ in enumerate(rounds):
            for row in self.board(round_):
                totals.setdefault(row.team, [0.0] * len(rounds))[place] = row.total
        joined = {row["name"]: row["id"] for row in self.rows("team")}
        ranked = []
        for team, found in totals.items():
            mean = sum(w * t for w, t in zip(weights, found, strict=True)) / sum(weights)
            ranked.append(((-mean, *(-total for total in reversed(found)), joined[team]), team, mean))
        return [(team, mean) for _, team, mean in sorted(ranked)]


class Tables:
    """M and T, or M′ and T′: of everybody the set of items, the money spent, and how many rows there are."""

    def __init__(self, master: list[list[str]], transactions: list[list[str]]) -> None:
        people = [line[0] for line in master]
        items: dict[str, set[str]] = {name: set() for name in people}
        spent = dict.fromkeys(people, Fraction(0))
        for customer, _receipt, _date, _time, item, price, quantity in transactions:
            items[customer].add(item)
            spent[customer] += Fraction(price) * int(quantity)
        self.items = [items[name] for name in people]
        self.spent = [spent[name] for name in people]
        self.n_rows = len(transactions)


def _distance(left: set[str], right: set[str]) -> Fraction:
    return Fraction(len(left ^ right), len(left | right)) if left | right else Fraction(0)


def _nearest_items(original: Tables, released: Tables) -> list[int | None]:
    everybody = range(len(original.items))
    return [
        min(everybody, key=lambda who: (_distance(original.items[who], mine), who)) for mine in released.items
    ]


def _nearest_total(original: Tables, released: Tables) -> list[int | None]:
    everybody = range(len(original.spent))
    return [min(everybody, key=lambda who: (abs(original.spent[who] - mine), who)) for mine in released.spent]


HOUSE = {"re-itemset": _nearest_items, "re-totals": _nearest_total}


def _right(guess: list[int | None], truth: list[int]) -> int:
    return sum(claimed == who for claimed, who in zip(guess, truth, strict=True))


def _ut_jaccard(original: Tables, released: Tables, truth: list[int]) -> Fraction:
    pairs = zip(released.items, truth, strict=True)
    gone = len(original.items) - len(truth)
    return (sum((_distance(original.items[who], mine) for mine, who in pairs), Fraction(gone))) / len(
        original.items
    )


def _ut_rows(original: Tables, released: Tables, truth: list[int]) -> Fraction:
    return Fraction(abs(original.n_rows - released.n_rows), original.n_rows)


MEASURES = {"ut-jaccard": _ut_jaccard, "ut-rows": _ut_rows}


def _utility(original: Tables, released: Tables, truth: list[int], limits: list[Row]) -> float:
    left = []
    for limit in limits:
        value = MEASURES[limit["measure"]](original, released, truth)
        assert limit["operator"] == "<="
        assert value <= limit["limit"], "an official entry breaks a limit"
        left.append(max(0.0, 1 - float(value) / limit["limit"]))
    return 100 * sum(left) / len(left)


def _total_2024(utility: float, safety: float) -> float:
    return utility + safety - 2 * max(0.0, 50 - utility) - 2 * max(0.0, 50 - safety)
