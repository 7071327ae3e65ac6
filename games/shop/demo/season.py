"""A whole season as data: a practice, a final, who plays in them, and the chapters of the story that follows.

The teams begin with what comes to mind first, learn in the practice, and hide and seek in earnest in the
final. Everything is made by house methods and house attacks from the seeds below, so every installation gets
the same files. The data are small: the whole season is played and judged within two minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from datasets.messages import Template
from games.shop.data.generate import generate
from games.shop.demo.attacks import DEMO_ATTACKS
from games.shop.demo.story import (
    CUT,
    KITSUNE,
    LIMITS,
    NEKO,
    SHUFFLED,
    TANUKI,
    TEAMS,
    USAGI,
    Guess,
    Hide,
    MethodCall,
    Move,
    clusters,
)
from scoring.rules import Limit

SEED = 2017
PEOPLE = 150


@dataclass(frozen=True)
class SeasonRound:
    """A round and what is played in it. ``at_once``: hiding and seeking go together, and results are shown
    at once; elsewhere the entries are frozen first, then sought, and nothing is shown before the reveal."""

    slug: str
    name: str
    data_name: str
    data: Callable[[], Any]
    weight: float
    at_once: bool
    seed: int
    house: tuple[MethodCall, ...]
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class OwnAward:
    """An award that the organisers give for a reason of their own."""

    team: str
    title_en: str
    title_ja: str
    text: str
    reason: str


@dataclass(frozen=True)
class Chapter:
    """One step of the story. ``kind`` names the claim, which the platform checks, and with it the page."""

    kind: str
    round: str
    title: Template
    text: Template


@dataclass(frozen=True)
class Season:
    """A contest that is played to its end, and its story. ``unchanged`` is the method that hides nobody."""

    slug: str
    title: str
    summary: str
    description: str
    time_zone: str
    greeting: tuple[str, str]
    format: str
    limits: tuple[Limit, ...]
    ranking: str
    attacks: tuple[str, ...]
    teams: Mapping[str, str]
    unchanged: str
    rounds: tuple[SeasonRound, ...]
    awards: tuple[OwnAward, ...]
    chapters: tuple[Chapter, ...]


PRACTICE = SeasonRound(
    slug="practice",
    name="Practice",
    data_name=f"Generated shop, {PEOPLE} customers, for practice",
    data=lambda: generate(PEOPLE, seed=SEED),
    weight=0.25,
    at_once=True,
    seed=SEED,
    house=(MethodCall("identity"), clusters(0.3)),
    moves=(
        Hide(KITSUNE, "clusters, a small budget", (clusters(0.15),)),
        Hide(USAGI, "high values cut, small clusters", (CUT, clusters(0.25))),
        Hide(
            TANUKI,
            "swap nearly all rows, dates and M shuffled",
            (MethodCall("swap", {"share": 0.9}), MethodCall("shuffle", {"what": "dates"}), SHUFFLED),
        ),
        Hide(NEKO, "swap a third of the rows", (MethodCall("swap", {"share": 0.3}),)),
        Guess(KITSUNE, "nearest item set", "re-itemset"),
        Hide(NEKO, "high values cut, clusters in the middle", (CUT, clusters(0.55))),
        Guess(TANUKI, "prices", "re-prices"),
    ),
)

FINAL = SeasonRound(
    slug="final",
    name="Final",
    data_name=f"Generated shop, {PEOPLE} customers, for the final",
    data=lambda: generate(PEOPLE, seed=SEED + 1),
    weight=0.75,
    at_once=False,
    seed=SEED + 1,
    house=(MethodCall("identity"), clusters(0.4)),
    moves=(
        Hide(
            TANUKI, "whole receipts and M shuffled", (MethodCall("shuffle", {"what": "receipts"}), SHUFFLED)
        ),
        Hide(KITSUNE, "clusters, half the budget", (clusters(0.45),)),
        Hide(USAGI, "high values cut, large clusters", (CUT, clusters(0.65))),
        Hide(NEKO, "high values cut, clusters in the middle", (CUT, clusters(0.55))),
        Guess(KITSUNE, "all views together", "re-ensemble"),
        Guess(TANUKI, "prices", "re-prices"),
        Guess(NEKO, "nearest item set", "re-itemset"),
        Guess(USAGI, "recency, frequency, money", "re-rfm"),
    ),
)

DESCRIPTION = """\
A season that is over: a practice, a final, the reveal, the overall result and its awards. Invented teams
played it in fast motion with the methods of the house, on the normal path of every entry. The story leads
through it, page by page.
"""

CHAPTERS = (
    Chapter(
        "rules",
        "final",
        Template("story.rules.title", "The rules"),
        Template(
            "story.rules",
            "An entry must stay useful, for example “%(measure)s” at most %(limit)s, and meets house "
            "attacks such "
            "as %(attack)s. How totals are computed: %(ranking)s.",
        ),
    ),
    Chapter(
        "data",
        "practice",
        Template("story.data.title", "The data"),
        Template(
            "story.data",
            "Everybody starts from the same shop: %(customers)s customers, %(purchases)s purchases of "
            "%(items)s items.",
        ),
    ),
    Chapter(
        "unchanged",
        "practice",
        Template("story.unchanged.title", "Hiding nothing"),
        Template(
            "story.unchanged",
            "Unchanged data lead on utility with %(utility)s, but %(hits)s of %(people)s people are found: "
            "safety "
            "%(safety)s, total %(total)s.",
        ),
    ),
    Chapter(
        "rise",
        "practice",
        Template("story.rise.title", "A team hides and rises"),
        Template(
            "story.rise",
            "%(team)s was on place %(before)s, handed in something better, and ended the practice on place "
            "%(after)s.",
        ),
    ),
    Chapter(
        "matrix",
        "practice",
        Template("story.matrix.title", "Who finds whom"),
        Template(
            "story.matrix",
            "Every attack meets every entry: %(attack)s finds %(most)s %% of the people in %(exposed)s, and "
            "%(least)s %% in %(hidden)s.",
        ),
    ),
    Chapter(
        "freeze",
        "final",
        Template("story.freeze.title", "The freeze"),
        Template(
            "story.freeze",
            "When hiding ended in the final, the entries were frozen, and their hash %(hash)s… was published "
            "before anybody could attack them.",
        ),
    ),
    Chapter(
        "seekers",
        "final",
        Template("story.seekers.title", "The teams seek each other"),
        Template(
            "story.seekers",
            "%(team)s is the best seeker of the final: %(percent)s %% found on average in %(targets)s "
            "entries.",
        ),
    ),
    Chapter(
        "winner",
        "final",
        Template("story.winner.title", "The final"),
        Template(
            "story.winner",
            "%(team)s wins the final with a total of %(total)s; unchanged data have %(unchanged)s. Safety "
            "goes "
            "from %(lowest)s to %(highest)s.",
        ),
    ),
    Chapter(
        "entry",
        "final",
        Template("story.entry.title", "Behind the winning number"),
        Template(
            "story.entry",
            "The winner’s entry: utility %(utility)s, safety %(safety)s, because the strongest attack found "
            "%(hits)s of %(people)s people.",
        ),
    ),
    Chapter(
        "reveal",
        "final",
        Template("story.reveal.title", "The reveal"),
        Template(
            "story.reveal",
            "With the results the hashed texts were opened: the seed of the house attacks was %(seed)s, and "
            "anybody who hashes the text of the final board gets %(hash)s….",
        ),
    ),
    Chapter(
        "overall",
        "",
        Template("story.overall.title", "The season is decided"),
        Template(
            "story.overall",
            "%(team)s wins the season with %(total)s points, ahead of %(second)s with %(second_total)s; the "
            "award "
            "for the best seeker goes to %(seeker)s.",
        ),
    ),
    Chapter(
        "archive",
        "",
        Template("story.archive.title", "Anybody can verify it"),
        Template(
            "story.archive",
            "All %(actions)s actions of the season are chained by hashes; the archive holds them with every "
            "file, and a program in it checks all of it.",
        ),
    ),
)

SEASON = Season(
    slug="season",
    title="One season of hide and seek",
    summary="Practice, final, reveal and archive, played to the end. Step through its story.",
    description=DESCRIPTION,
    time_zone="Asia/Tokyo",
    greeting=(
        "The season is over",
        "All results are revealed. The story leads through the season, page by page.",
    ),
    format="2016",
    limits=LIMITS,
    ranking="2026",
    attacks=DEMO_ATTACKS,
    teams=TEAMS,
    unchanged="identity",
    rounds=(PRACTICE, FINAL),
    awards=(
        OwnAward(
            TANUKI,
            "Boldest shuffle",
            "大胆なシャッフル賞",
            "",
            "Shuffled nearly everything, and said so in the notes.",
        ),
    ),
    chapters=CHAPTERS,
)
