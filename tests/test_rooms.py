"""Rooms and their walls: which folder may import which. Imports inside functions count."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.conftest import ROOT
from tests.test_architecture import PACKAGES, modules

LEAVES = {"errors", "numbers", "logs", "names", "token_hashes"}
"""What everybody in `contest` may import: it knows nothing of contests."""
CONTEST = {
    "schema": set(),
    "outages": set(),
    "client_address": set(),
    "declarations": set(),
    "models": {"declarations"},
    "context": {"models"},
    "files": {"models"},
    "records": {"models"},
    "access": {"models", "play"},
    "jobs": {"models", "schema"},
    "charts": {"files"},
    "board": {"models", "files", "access", "charts", "play"},
    "bundle": {"board", "declarations"},
    "language": {"board", "declarations"},
    "outside": {"models", "records", "access", "jobs"},
    "play": {"models", "files"},
    "services": {
        "models", "files", "records", "jobs", "board", "bundle", "language", "outside", "client_address",
        "declarations", "play",
    },
    "archive": {
        "declarations", "models", "files", "records", "board", "bundle", "language", "services", "play",
    },
    "work": {"models", "files", "records", "access", "jobs", "board", "outside", "services", "play"},
    "pages": {
        "models", "files", "access", "jobs", "charts", "board", "language", "outside", "services", "play",
        "declarations",
    },
    "kit": {"models", "access", "files", "services", "play", "pages"},
    "forms": {"declarations", "models", "bundle", "language", "outside", "services", "play"},
    "operations": {"models", "files", "records", "jobs", "archive", "schema"},
    "middleware": {"board", "outages", "pages"},
    "templatetags": {"models", "access", "board", "charts", "language", "pages"},
    "api": {
        "models", "files", "records", "access", "jobs", "board", "bundle", "language", "outside", "services",
        "archive", "kit", "pages", "forms", "operations", "client_address", "outages", "declarations", "play",
    },
    "views": {
        "models", "files", "records", "access", "jobs", "charts", "board", "bundle", "language", "outside",
        "services", "archive", "kit", "pages", "forms", "operations", "client_address", "outages", "play",
    },
    "urls": {"views"},
    "apps": {"jobs", "services", "work"},
    "rehearsal": {"models", "bundle", "board", "play", "services", "work"},
    "management": {
        "models", "files", "records", "jobs", "bundle", "language", "outside", "services", "archive", "work",
        "api", "operations", "declarations", "rehearsal",
    },
}  # fmt: skip
ATTACKS = {
    "attack": set(),
    "evaluate": {"attack"},
    "guess_file": {"attack"},
    "linkage": {"attack"},
    "sandbox": set(),
    "signals": set(),
}
ANONYMIZERS = {
    "anonymizer": set(),
    "release": set(),
    "parameters": {"anonymizer"},
    "table_method": {"anonymizer", "release"},
    "engines": {"anonymizer", "release", "table_method"},
    "table": {"anonymizer", "release", "table_method", "engines"},
    "table_registry": {"anonymizer", "parameters", "release", "table_method", "table"},
}
GAMES = {
    "contract": set(),
    "loading": {"contract"},
    "checks": {"contract"},
    "rehearsal": {"contract", "checks"},
    "call": {"contract", "loading"},
    "cache": set(),
    "apart": {"contract", "call", "cache"},
    "round_folder": {"contract", "rehearsal"},
    "sdk": set(),
    "programs": {"sdk"},
    "starters": {"contract"},
    "codabench": {"contract"},
    "zips": {"contract", "loading", "codabench"},
    "sandboxed": {"contract", "call", "cache", "apart", "sdk"},
    "findings": set(),
    "stage": {"contract", "loading", "rehearsal"},
    "laws": {"contract", "findings", "rehearsal", "apart", "stage"},
    "skeleton": {"contract"},
    "shop": {"contract"},
    "formats": {"shop"},
    "pwscup2016": {"contract", "shop"},
    "pwscup2017": {"contract", "shop"},
    "pwscup2018": {"contract", "shop"},
    "pwscup2025": {"contract", "tables"},
    "pwscup2026": {"contract", "seek", "tables"},
    "seek": {"contract"},
    "tables": {"contract", "seek"},
    "pwscup2024": {"contract", "tables"},
    "membership": {"contract", "seek"},
    "midst": {"contract", "seek"},
    "snake": {"contract", "seek"},
}
SHOP = {
    "data": set(),
    "presets": set(),
    "formats": {"data"},
    "measure_examples": {"data"},
    "measures": {"data"},
    "limits": {"measures"},
    "limit_settings": {"measures"},
    "portrait": {"data", "measures"},
    "engines": {"data"},
    "methods": {"data", "formats", "engines"},
    "answers": set(),
    "months": {"data", "formats"},
    "practice": {"data"},
    "linkage": {"data"},
    "attacks": {"data", "formats", "answers", "months", "practice", "linkage"},
    "guessing": {"data", "formats", "answers", "months", "attacks"},
    "signals": {"data"},
    "shot_down": set(),
    "ranking": {"shot_down"},
    "tally": {"ranking"},
    "tables": {"data", "formats"},
    "declaring": {"data", "formats", "measures", "limits", "methods", "guessing", "ranking", "texts"},
    "playing": {
        "data", "formats", "measures", "limits", "methods", "attacks", "guessing", "tally", "tables",
    },
    "commands": {"data", "presets", "formats", "measures"},
    "guess_files": {"formats", "answers", "months"},
    "words": set(),
    "measure_words": {"words"},
    "pictures": {"words"},
    "panel": {"data", "words"},
    "texts": {"data", "words"},
    "sources": {"data", "formats"},
    "demo": {"data", "methods", "attacks", "guessing"},
    "gallery": {
        "data", "words", "formats", "measures", "measure_examples", "methods", "attacks", "guessing",
    },
}  # fmt: skip
WALLS = {
    "contest": CONTEST,
    "games": GAMES,
    "games/shop": SHOP,
    "attacks": ATTACKS,
    "anonymizers": ANONYMIZERS,
}
NO_ROOMS = {"games/shop/starters"}
"""Programs that teams start from: nothing imports them, and they import nothing of ours."""
EXCEPTIONS: dict[str, set[str]] = {}
"""Module → rooms that it imports and should not. May only shrink."""
FLAT = {
    "contest": {
        "apps", "client_address", "context", "errors", "logs", "middleware", "numbers", "outages", "schema",
        "token_hashes", "urls",
    },
}  # fmt: skip
"""The modules that lie beside the rooms. May only shrink."""
ONE_DOOR = {"contest.access"}
"""Rooms that others enter by their `__init__` alone."""


def imported_modules(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_used(package: str, source: str) -> set[str]:
    """The rooms of a package that a source imports."""
    door = package.replace("/", ".") + "."
    inside = [name.removeprefix(door) for name in imported_modules(source) if name.startswith(door)]
    return {name.partition(".")[0] for name in inside}


def room_of(package: str, path: str) -> str:
    return path.removeprefix(f"{package}/").partition("/")[0].removesuffix(".py")


def trespasses(package: str, sources: Mapping[str, str]) -> list[str]:
    """Imports through walls, by path and source."""
    walls, found = WALLS[package], []
    for path, source in sources.items():
        room = room_of(package, path)
        if room == "__init__":
            continue
        allowed = walls.get(room, set()) | {room} | (LEAVES if package == "contest" else set())
        for other in sorted(rooms_used(package, source) - allowed - EXCEPTIONS.get(path, set())):
            found.append(f"{path} imports {package.replace('/', '.')}.{other}")
    return found


def side_entrances(sources: Mapping[str, str]) -> list[str]:
    """Imports from inside a room that has one door, by path and source."""
    found = []
    for path, source in sources.items():
        for door in sorted(ONE_DOOR):
            inside = {path.stem for path in (ROOT / door.replace(".", "/")).glob("*.py")}
            if not path.startswith(f"{door.replace('.', '/')}/"):
                names = {
                    name.split(".")[2] for name in imported_modules(source) if name.startswith(f"{door}.")
                }
                found += [f"{path} imports {door}.{name}" for name in sorted(names & inside)]
    return found


def sources_of(package: str) -> dict[str, str]:
    paths = {path.relative_to(ROOT).as_posix(): path for path in modules(package)}
    left_out = tuple(f"{folder}/" for folder in NO_ROOMS)
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in paths.items()
        if not name.startswith(left_out)
    }


@pytest.mark.parametrize("package", WALLS)
def test_no_room_imports_what_it_must_not(package: str) -> None:
    assert trespasses(package, sources_of(package)) == []


@pytest.mark.parametrize("package", WALLS)
def test_no_permission_is_left_over(package: str) -> None:
    """A permission that nobody uses is taken away, so that the plan shows the house as it is."""
    used: dict[str, set[str]] = {}
    for path, source in sources_of(package).items():
        used.setdefault(room_of(package, path), set()).update(rooms_used(package, source))
    idle = {room: sorted(allowed - used.get(room, set())) for room, allowed in WALLS[package].items()}
    assert {room: names for room, names in idle.items() if names} == {}


@pytest.mark.parametrize("package", WALLS)
def test_every_room_has_its_place_in_the_plan(package: str) -> None:
    there = {room_of(package, path) for path in sources_of(package)} - {"__init__"}
    assert there - (LEAVES if package == "contest" else set()) == set(WALLS[package])


@pytest.mark.parametrize("package", WALLS)
def test_the_plan_has_no_circle(package: str) -> None:
    TopologicalSorter(WALLS[package]).prepare()


def test_no_new_module_lies_beside_the_rooms() -> None:
    flat = {path.stem for path in (ROOT / "contest").glob("*.py")} - {"__init__"}
    assert flat == FLAT["contest"]


def test_a_room_with_one_door_is_entered_by_it() -> None:
    assert side_entrances({path: source for name in WALLS for path, source in sources_of(name).items()}) == []


def test_a_side_entrance_is_seen() -> None:
    sources = {
        "contest/views/entries.py": "from contest.access.entries import entry_for",
        "contest/views/boards.py": "from contest.access import rounds\nfrom contest.access import entry_for",
        "contest/access/entries.py": "from contest.access.rounds import round_for",
    }
    assert side_entrances(sources) == [
        "contest/views/entries.py imports contest.access.entries",
        "contest/views/boards.py imports contest.access.rounds",
    ]


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    """Also not through an import inside a function."""
    names = {
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
        for path in modules()
    }
    graph = {}
    for name, path in names.items():
        found = imported_modules(path.read_text(encoding="utf-8"))
        known = {it if it in names else it.rpartition(".")[0] for it in found if it.split(".")[0] in PACKAGES}
        graph[name] = (known & set(names)) - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(error.args[1])) from None


@pytest.mark.parametrize(
    "source",
    [
        "from contest.views import entries",
        "import contest.views.entries",
        "from contest import views",
        "def late():\n    from contest.views.entries import upload",
    ],
)
def test_an_import_through_a_wall_is_seen(source: str) -> None:
    assert trespasses("contest", {"contest/services/entries.py": source}) == [
        "contest/services/entries.py imports contest.views"
    ]


def test_an_import_through_an_open_door_is_none() -> None:
    assert trespasses("contest", {"contest/views/entries.py": "from contest.services import entries"}) == []
    assert trespasses("anonymizers", {"anonymizers/table/swap.py": "import anonymizers.engines.market"}) == []


def test_a_room_inside_a_room_has_walls_too() -> None:
    source = "from games.shop.data.tables import Release\nfrom games.shop.methods.registry import anonymizer"
    assert trespasses("games/shop", {"games/shop/attacks/re_dates.py": source}) == [
        "games/shop/attacks/re_dates.py imports games.shop.methods"
    ]
