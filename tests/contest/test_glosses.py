"""Words for newcomers: boards say what is hidden, from whom and why; pages explain their terms, each once."""

from __future__ import annotations

import os
import re
from collections import Counter
from html import unescape

import pytest
from django.core.cache import cache
from django.template import Context, Template
from django.test import Client
from django.utils.translation import override

from contest.board import single_flight_cache
from contest.language.glossary import GLOSSARY, hidden_sentence
from contest.models import Entry, Phase, Round, User
from contest.pages.introduction import introduction
from games.contract.declaration import Declaration
from games.formats.measures import EVERY_MEASURE
from games.formats.texts import FORMAT_TEXTS, TABLES, TERMS
from games.loading import load_folder
from tests.conftest import ROOT
from tests.factories import make_entry, make_round, make_team, make_user, work_off
from tests.game_rounds import TOYS, game_contest, make_game_round, sources_of

HOUSE_GAMES = sorted(path.parent for path in (ROOT / "games").glob("*/game.yaml"))
LANGUAGES = ("en", "ja")
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def rendered(text: str, **values: object) -> str:
    return Template("{% load glosses i18n %}" + text).render(Context(values))


def explained(html: str) -> list[str]:
    """The ids of the popovers of a page: every button has its own, and no id comes twice."""
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert [name for name, n in Counter(ids).items() if n > 1] == []
    popovers = re.findall(r'<span popover id="([^"]+)"', html)
    assert sorted(re.findall(r'popovertarget="([^"]+)"', html)) == sorted(popovers)
    return [unescape(name) for name in popovers]


def test_a_term_is_a_button_whose_popover_says_what_it_means() -> None:
    html = rendered('{% gloss "house" _("House") %}')
    assert '<button type="button" popovertarget="gloss-house" aria-describedby="gloss-house">House<' in html
    assert f"<strong>house</strong> {GLOSSARY['house'].meaning}</span>" in unescape(html)


def test_a_term_is_explained_where_a_page_names_it_first_and_plain_after_that() -> None:
    first, again = rendered('{% gloss "seed" %}|{% with x=1 %}{% gloss "seed" %}{% endwith %}').split("|")
    assert explained(first) == ["gloss-seed"] and again == "seed"


def test_what_people_write_is_escaped_in_an_explanation() -> None:
    html = rendered('{% gloss "seed" label %}', label="<b onclick=x>")
    assert "<b onclick" not in html and "&lt;b onclick=x&gt;" in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_sign_and_measure_is_explained_in_both_languages(language: str) -> None:
    with override(language):
        terms = [(str(one.term), str(one.meaning)) for one in GLOSSARY.values()]
        signs = [rendered("{% gloss sign %}", sign=sign) for sign in TERMS]
        measures = [rendered("{% gloss_measure name %}", name=one.name) for one in EVERY_MEASURE]
    assert set(TABLES) == set(TERMS)
    for text in (*(meaning for _term, meaning in terms), *signs, *measures):
        assert text and bool(JAPANESE.search(text)) == (language == "ja"), text
    assert all("popover" in html for html in (*signs, *measures))


@pytest.mark.parametrize("folder", HOUSE_GAMES, ids=lambda folder: folder.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_of_the_house_says_what_is_hidden_and_explains_its_terms(
    folder: object, language: str
) -> None:
    declared = load_folder(folder).declaration  # type: ignore[arg-type]
    with override(language):
        said = hidden_sentence(declared)
        listed = rendered("{% words_here terms=terms %}", terms=declared.terms)
    assert declared.hidden and declared.terms
    assert bool(JAPANESE.search(said)) == (language == "ja")
    assert len(explained(listed)) == len(declared.terms)


@pytest.mark.parametrize(
    ("phases", "begins"), [("hide and seek", "Each team hides visitors"), ("seek", "Nobody hides here")]
)
def test_a_game_that_does_not_say_what_is_hidden_gets_a_sentence_that_fits_any(
    phases: str, begins: str
) -> None:
    declared = Declaration("x", "1.0", {"en": "X"}, {"en": "visitors"}, (), (), phases=phases)  # type: ignore[arg-type]
    assert hidden_sentence(declared).startswith(begins) and "visitors" in hidden_sentence(declared)


@pytest.fixture
def round_() -> Round:
    cache.clear()
    single_flight_cache.forget_everything()
    return make_round()


@pytest.fixture
def hana(round_: Round) -> User:
    return make_team(round_.contest, "Hana", make_user("hana")).memberships.get().user


@pytest.fixture
def entry(round_: Round, hana: User) -> Entry:
    """An entry that was scored and attacked."""
    entry = make_entry(round_, round_.contest.teams.get())
    work_off()
    return entry


@pytest.mark.django_db
def test_the_board_and_an_entry_explain_their_heads_figures_and_measures(
    round_: Round, entry: Entry, client: Client
) -> None:
    html = client.get(round_.get_absolute_url()).content.decode()
    assert FORMAT_TEXTS[round_.dataset.format].hidden in unescape(html)
    measures = {f"gloss-measure-{limit['measure']}" for limit in round_.limits}
    figures = {"gloss-total", "gloss-utility", "gloss-safety"}
    assert measures | figures | {"gloss-found", "gloss-house"} <= set(explained(html))
    html = client.get(entry.get_absolute_url()).content.decode()
    assert measures | figures | {"gloss-place", "gloss-official-entry"} <= set(explained(html))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("rules", {"gloss-utility", "gloss-M′", "gloss-P", "gloss-measure-ut-jaccard", "gloss-measure-cmae"}),
        ("data", {"gloss-M", "gloss-T", "gloss-kit", "gloss-hash"}),
        ("hashes", {"gloss-hash", "gloss-commitment", "gloss-seed"}),
        ("upload", {"gloss-entry", "gloss-M′", "gloss-T′", "gloss-P", "gloss-attempt"}),
        ("seek", {"gloss-target", "gloss-guess", "gloss-sandbox", "gloss-dry-run"}),
    ],
)
def test_every_page_of_a_round_explains_its_terms_once(
    page: str, names: set[str], round_: Round, hana: User, client: Client
) -> None:
    client.force_login(hana)
    html = client.get(f"{round_.get_absolute_url()}{page}/").content.decode()
    assert names <= set(explained(html))


@pytest.mark.django_db
def test_the_boards_and_pages_of_a_game_explain_what_it_declares(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    single_flight_cache.forget_everything()
    contest, package = game_contest(TOYS["locket"])
    round_ = make_game_round(contest, package, sources_of(TOYS["locket"]))
    hana = make_user("hana")
    make_team(contest, "Hana", hana)
    client.force_login(hana)
    board = client.get(round_.get_absolute_url()).content.decode()
    assert introduction(round_) in unescape(board)
    assert {"gloss-entry", "gloss-house"} <= set(explained(board))
    assert Phase.Kind.ANONYMISE in {phase.kind for phase in round_.phases.all()}
    for page, name in [
        ("rules", "gloss-limit"),
        ("data", "gloss-hash"),
        ("upload", "gloss-attempt"),
        ("seek", "gloss-target"),
    ]:
        html = client.get(f"{round_.get_absolute_url()}{page}/").content.decode()
        assert name in explained(html), page
