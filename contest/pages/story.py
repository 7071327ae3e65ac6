"""The story of a season: its steps with their sentences, made from the data when it is shown."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import get_language

from contest import access
from contest.board.overall_cache import look_at_overall
from contest.board.single_flight_cache import Memo
from contest.files.season_archives import season_archive
from contest.language.translation import say
from contest.models import AuditChain, Contest, Round
from contest.numbers import whole_number
from contest.pages.story_facts import OF_CONTEST, OF_ROUND, Claim
from games.formats.demo import SEASONS, Chapter, Season

_stories: Memo[list[StoryStep]] = Memo(16)


@dataclass(frozen=True)
class StoryStep:
    """One sentence about one real page; ``figures`` are what the sentence names, as the page shows them."""

    number: int
    title: str
    words: str
    path: str
    figures: tuple[str, ...]

    @property
    def url(self) -> str:
        return f"{self.path}?story={self.number}"


@dataclass(frozen=True)
class StoryPlace:
    """A step with its neighbours, for the bar above the page."""

    step: StoryStep
    n_steps: int
    before: str
    after: str
    story: str


def story_of(contest: Contest) -> list[StoryStep]:
    """The story of a season that is over; empty where none is declared or something is not revealed yet."""
    season = SEASONS.get(contest.slug)
    if season is None or not access.results_are_revealed(contest):
        return []
    rounds = _rounds(season, contest)
    if rounds is None:
        return []
    chain = AuditChain.objects.filter(contest_key=contest.pk).values_list("number", flat=True).first()
    # The state names everything that is shown, but entries that change no board: they change the chain.
    key = (look_at_overall(contest, None).state, contest.title, chain, get_language())
    return _stories.get(key, lambda: _told(season, contest, rounds))


def place_in_story(contest: Contest, wanted: str, path: str) -> StoryPlace | None:
    """Where somebody is who follows the story; nothing on a page that the step is not about."""
    number = whole_number(wanted)
    steps = story_of(contest) if number is not None else []
    step = next((step for step in steps if step.number == number and step.path == path), None)
    if step is None:
        return None
    story = reverse("story", args=[contest.slug])
    before = steps[step.number - 2].url if step.number > 1 else story
    after = steps[step.number].url if step.number < len(steps) else story
    return StoryPlace(step, len(steps), before, after, story)


def archive_bytes(contest: Contest) -> int | None:
    """The size of the season's archive, where this installation has it."""
    path = season_archive(contest.slug)
    return path.stat().st_size if path.is_file() else None


def _rounds(season: Season, contest: Contest) -> dict[str, Round] | None:
    """The rounds of the season; nothing where another contest has its address, which has other seeds."""
    found = {round_.slug: round_ for round_ in access.announced_rounds(contest)}
    for declared in season.rounds:
        round_ = found.get(declared.slug)
        if round_ is None or not round_.seeds_known or round_.seed != declared.seed:
            return None
        if not access.results_have_begun(round_):
            return None
    return found


def _told(season: Season, contest: Contest, rounds: dict[str, Round]) -> list[StoryStep]:
    steps: list[StoryStep] = []
    for chapter in season.chapters:
        claim = _claim(season, chapter, contest, rounds)
        if claim is not None:
            steps.append(_step(len(steps) + 1, chapter, claim))
    return steps


def _claim(season: Season, chapter: Chapter, contest: Contest, rounds: dict[str, Round]) -> Claim | None:
    if chapter.round:
        return OF_ROUND[chapter.kind](season, rounds[chapter.round])
    return OF_CONTEST[chapter.kind](season, contest)


def _step(number: int, chapter: Chapter, claim: Claim) -> StoryStep:
    figures = {name: claim.figures[name] for name in chapter.text.names}
    words = say(chapter.text(**figures))
    return StoryStep(number, say(chapter.title()), words, claim.path, tuple(map(str, figures.values())))
