"""Our wheels beside packages of others that have the names of ours, above all HuggingFace's `datasets`."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contest.kit.library import library
from kakurenbo.packages import package_names
from tests.conftest import ROOT, missing
from tests.environments import PIP, Environment, fresh_environment

SOURCES = sorted({*package_names(), "kakurenbo", "templates"})
STAND_INS = sorted(package_names() - {"datasets"})
"""Names of ours under which a small package plays the part of somebody else's."""


def files_of(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


@pytest.fixture(scope="module")
def platform_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, in which the build before had the old layout and left its files."""
    copy = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "requirements", copy / "requirements")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    (copy / "build/lib/datasets").mkdir(parents=True)
    (copy / "build/lib/datasets/__init__.py").write_text("", encoding="utf-8")
    command = [*PIP, "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*command, copy / "dist", copy], check=True)
    (wheel,) = (copy / "dist").iterdir()
    return wheel


@pytest.fixture(scope="module")
def kit_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheel = tmp_path_factory.mktemp("kit") / library().wheel_name
    wheel.write_bytes(library().wheel)
    return wheel


@contextmanager
def made_neighbourhood(folder: Path) -> Iterator[Environment]:
    """An environment with the real HuggingFace package and with stand-ins for all other names of ours.

    It takes some 300 MB, so it is removed at once, not with pytest's older folders.
    """
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        missing("uv absent: make install brings it")
    environment = fresh_environment(folder)
    install = [
        uv,
        "pip",
        "install",
        "--quiet",
        "--python",
        environment.python,
        "--no-deps",
        "--require-hashes",
    ]
    done = subprocess.run(
        [*install, "--requirement", ROOT / "requirements/neighbours.lock"],
        env=os.environ | {"UV_HTTP_TIMEOUT": "60"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        missing(f"HuggingFace datasets absent: no package registry gave it ({done.stderr.strip()})")
    environment.add_stand_ins(*STAND_INS)
    try:
        yield environment
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def neighbourhood(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    with made_neighbourhood(tmp_path_factory.mktemp("neighbourhood")) as environment:
        yield environment


@pytest.fixture(scope="module", params=["platform", "kit"])
def wheel(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(f"{request.param}_wheel")
    return found


@pytest.fixture(scope="module")
def installed(neighbourhood: Environment, wheel: Path) -> Iterator[Environment]:
    neighbourhood.install(wheel)
    yield neighbourhood
    neighbourhood.uninstall("kakurenbo")


def fingerprints(environment: Environment) -> dict[str, str]:
    return {
        path.relative_to(environment.site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files_of(environment.site)
    }


def recorded(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        lines = archive.read(record).decode().splitlines()
        names = [line.rsplit(",", 2)[0] for line in lines]
        assert sorted(names) == sorted(archive.namelist())
        assert archive.read(record.replace("RECORD", "top_level.txt")) == b"kakurenbo\n"
    return names


def test_a_wheel_has_one_top_level_name(wheel: Path) -> None:
    outside = {name.split("/")[0] for name in recorded(wheel)} - {"kakurenbo"}
    assert len(outside) == 1
    assert re.fullmatch(r"kakurenbo-[\w.+]+\.dist-info", outside.pop())


def test_the_wheel_of_the_platform_holds_every_file_of_its_packages(platform_wheel: Path) -> None:
    expected = set()
    for name in SOURCES:
        place = name if name == "kakurenbo" else f"kakurenbo/_packages/{name}"
        expected |= {f"{place}/{path.relative_to(ROOT / name).as_posix()}" for path in files_of(ROOT / name)}
    assert {name for name in recorded(platform_wheel) if name.startswith("kakurenbo/")} == expected


def test_installing_and_uninstalling_touches_no_file_of_others(
    platform_wheel: Path, kit_wheel: Path, tmp_path: Path
) -> None:
    with made_neighbourhood(tmp_path / "venv") as neighbourhood:
        before = fingerprints(neighbourhood)
        assert len([name for name in before if name.startswith("datasets/")]) > 100
        for wheel in (platform_wheel, kit_wheel):
            neighbourhood.install(wheel)
            with_ours = fingerprints(neighbourhood)
            assert before.items() <= with_ours.items()
            added = {name.split("/")[0] for name in with_ours.keys() - before.keys()}
            assert {name.split("-")[0] for name in added} == {"kakurenbo"}
            neighbourhood.uninstall("kakurenbo")
            assert fingerprints(neighbourhood) == before


def test_importing_kakurenbo_shadows_nobody(installed: Environment, tmp_path: Path) -> None:
    look = f"""
import importlib, kakurenbo, datasets
owners = {{importlib.import_module(f"{{name}}.registry").OWNER for name in {STAND_INS}}}
print(owners, datasets.Dataset.from_dict({{"a": [1, 2]}}).num_rows)
"""
    assert installed.run("python", "-c", look, cwd=tmp_path) == "{'somebody else'} 2\n"


def test_the_commands_use_our_packages(installed: Environment, wheel: Path, tmp_path: Path) -> None:
    """Also in a folder that has such names itself, which Python finds first when it is started with `-m`."""
    (tmp_path / "scoring.py").write_text("OWNER = 'the folder'\n", encoding="utf-8")
    version = wheel.name.split("-")[1]
    assert installed.run("kakurenbo", "--version", cwd=tmp_path) == f"kakurenbo {version}\n"
    installed.run(
        "kakurenbo", "data", "generate", "--customers", "40", "--seed", "1", "--out", "shop", cwd=tmp_path
    )
    installed.run("kakurenbo", "anonymize", "shuffle", "--original", "shop", "--out", "entry", cwd=tmp_path)
    score = ("score", "--original", "shop", "--entry", "entry", "--measure", "cmae", "--json")
    said = installed.run("python", "-m", "kakurenbo", *score, cwd=tmp_path, codes=(0, 1))
    assert said == installed.run("kakurenbo", *score, cwd=tmp_path, codes=(0, 1))
    assert "cmae" in json.loads(said)["measures"]


LOOK_FOR_FILES = """
import kakurenbo
kakurenbo.activate()
import django
django.setup()
from django.template.loader import get_template
from django.utils import translation
from games.shop.guessing import STARTERS
from contest.kit.library import library
get_template("archive/index.html")
with translation.override("ja"):
    print(translation.gettext("Leaderboard"), (STARTERS / "reidentify.py").is_file(), library().wheel_name)
"""


@pytest.mark.parametrize("wheel", ["platform"], indirect=True)
def test_the_platform_finds_its_files_in_the_wheel(installed: Environment, tmp_path: Path) -> None:
    """Presets, games, translations, templates, and the sources of a kit, which is the kit of a checkout."""
    assert installed.run("kakurenbo", "contest", "check", "pwscup2016", cwd=tmp_path) == "valid\n"
    listed = installed.run("kakurenbo", "game", "list", cwd=tmp_path).splitlines()
    games = {path.parent.name for path in (ROOT / "games").glob("*/game.yaml")} - {"skeleton"}
    assert [line.split()[0] for line in listed] == sorted(games)
    assert "re-itemset" in installed.run("kakurenbo", "game", "show", "pwscup2016", cwd=tmp_path)
    variables = {"DJANGO_SETTINGS_MODULE": "config.settings", "KAKURENBO_VAR": str(tmp_path)}
    look = f"import os; os.environ |= {variables}\n{LOOK_FOR_FILES}"
    words = installed.run("python", "-c", look, cwd=tmp_path).split()
    assert words == ["順位表", "True", library().wheel_name]


def test_a_wheel_keeps_its_data_in_a_folder_of_the_user(
    platform_wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was kept in `site-packages`, which belongs to pip and may belong to another user."""
    environment = fresh_environment(tmp_path / "venv")
    environment.install(platform_wheel)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    said = environment.run("kakurenbo", "doctor", "--only", "disk", cwd=tmp_path, codes=(0, 1))
    folder = home / ".local/share/kakurenbo"
    assert str(folder) in said
    assert (folder / "secret_key").is_file()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not list(environment.site.rglob("secret_key")) and not list(environment.site.rglob("var"))


def examples() -> list[str]:
    """The Python programs of docs/library.md, in their order."""
    text = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.+?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("wheel", ["platform"], indirect=True)
def test_the_examples_of_the_documentation_run_as_they_are(installed: Environment, tmp_path: Path) -> None:
    """With numba's kernels, which are compiled there and stored beside our sources."""
    assert len(examples()) == 2
    for example in examples():
        installed.run("python", "-c", example, cwd=tmp_path)
    assert list((installed.site / "kakurenbo/_packages").rglob("*.nbi"))


def test_a_name_that_is_taken_is_not_shadowed_silently(installed: Environment, tmp_path: Path) -> None:
    look = """
import scoring, sys, kakurenbo
try:
    kakurenbo.activate()
except ImportError as error:
    print("named scoring" in str(error))
with kakurenbo.activated():
    from scoring.registry import risk
    kakurenbo.activate()
    with kakurenbo.activated():
        import scoring as inner
from scoring import registry
print(scoring.OWNER, registry.OWNER, inner is scoring)
with kakurenbo.activated():
    from scoring.registry import risk as again
print(again is risk, [path for path in sys.path if "_packages" in path])
"""
    said = installed.run("python", "-c", look, cwd=tmp_path)
    assert said == "True\nsomebody else somebody else False\nTrue []\n"
