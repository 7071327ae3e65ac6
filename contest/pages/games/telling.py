"""How much of the numbers of a result somebody is told: by the round's feedback, and by the number itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from contest.board.game_boards import text_of
from contest.language.declared import title_of
from contest.language.game_words import worded
from contest.models.round import Feedback
from contest.pages.attack import band
from games.contract.declaration import Number


@dataclass(frozen=True)
class ToldNumber:
    """A number of a result in words: its value, a band, or why it is not told yet."""

    title: str
    meaning: str
    text: str
    is_told: bool = True


def told_numbers(
    numbers: Sequence[Number], values: Mapping[str, float | None], feedback: str, *, has_ended: bool
) -> list[ToldNumber]:
    """The numbers of one result. From the results phase on everything that may be seen at all is told."""
    return [told(number, values.get(number.name), feedback, has_ended) for number in numbers]


def told(number: Number, value: float | None, feedback: str, has_ended: bool) -> ToldNumber:
    title, meaning = title_of(number), worded(number.meaning)
    if has_ended or (number.told == "at once" and feedback == Feedback.FULL):
        return ToldNumber(title, meaning, text_of(value, number.decimals))
    if number.told == "band" and feedback != Feedback.NONE and value is not None:
        return ToldNumber(title, meaning, band_of(number, value))
    if number.told == "mean" and feedback == Feedback.FULL:
        return ToldNumber(title, meaning, _("in the mean"), False)
    return ToldNumber(title, meaning, _("with the results"), False)


def band_of(number: Number, value: float) -> str:
    """Between which of its declared bounds a number is.

    >>> band_of(Number("right", bands=(0.5, 0.8)), 0.6), band_of(Number("right", bands=(0.5, 0.8)), 0.9)
    ('0.5 – 0.8', '≥ 0.8')
    """
    below = [bound for bound in number.bands if bound <= value]
    above = [bound for bound in number.bands if bound > value]
    if below and above:
        return f"{below[-1]:g} – {above[0]:g}"
    if below:
        return f"≥ {below[-1]:g}"
    return f"< {above[0]:g}" if above else "–"


def told_means(
    numbers: Sequence[Number], results: Iterable[Mapping[str, float | None]], feedback: str
) -> list[ToldNumber]:
    """The means over all targets of the numbers that are told so before the results."""
    if feedback != Feedback.FULL:
        return []
    rows = list(results)
    found = []
    for number in numbers:
        values = [value for row in rows if (value := row.get(number.name)) is not None]
        if number.told == "mean" and values:
            mean = sum(values) / len(values)
            found.append(ToldNumber(title_of(number), worded(number.meaning), text_of(mean, number.decimals)))
    return found


def told_risk(risk: float | None, feedback: str, bands: int) -> str:
    """A risk as the feedback of its round allows: in percent, as a band, or not at all."""
    if risk is None or feedback == Feedback.NONE:
        return "–"
    if feedback == Feedback.BANDS:
        return band(risk, bands)
    return f"{100 * risk:.1f}\N{NO-BREAK SPACE}%"
