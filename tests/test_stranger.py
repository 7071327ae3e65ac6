"""What must hold on a machine that is not ours; `make stranger` tries all of it for real, as root."""

from __future__ import annotations

import ast
import os
import re
import socketserver
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backends import TITLES, need_broker, need_postgres
from tests.conftest import ROOT, free_port
from tests.test_architecture import PACKAGES, modules

SHARED = re.compile(r"^(/tmp|/var/tmp|/dev/shm|/run|/var/run|/var/lock)(/|$)")
SANDBOXED = "the folder is the sandbox's own"
SHARED_IS_MEANT = {
    "attacks/sandbox/escape_attempts.py": SANDBOXED,
    "attacks/sandbox/bubblewrap.py": "the sandbox's own; in /run only root may write, for all its runs",
    "attacks/sandbox/containers.py": SANDBOXED,
    "attacks/sandbox/world.py": SANDBOXED,
    "attacks/sandbox/scratch.py": SANDBOXED,
    "attacks/sandbox/stage.py": "looks for forgotten folders, which have random names",
    "tests/attacks/sandbox/test_program.py": "the name of a file in an archive",
    "tests/deployment/composed.py": "a folder of containers",
    "tests/deployment/test_files.py": "a folder of containers",
    "tests/memory.py": "room for folders with random names",
}
VARIABLES = {"HOME": "/nonexistent", "PATH": os.environ["PATH"]}


def shared_names(path: Path) -> Iterator[str]:
    """Places in a module that name a folder which all users share."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SHARED.match(node.value):
            yield f"line {node.lineno}: {node.value!r}"
        if isinstance(node, ast.Attribute) and node.attr in {"gettempdir", "gettempdirb"}:
            yield f"line {node.lineno}: {node.attr}"


def test_nothing_has_a_fixed_name_in_a_folder_that_all_users_share() -> None:
    """There somebody else's file may be in the way, or a trap. `tempfile` gives names that nobody has."""
    found = {
        path.relative_to(ROOT).as_posix(): list(names)
        for path in modules(*PACKAGES, "tests")
        if (names := list(shared_names(path)))
    }
    assert {name: names for name, names in found.items() if name not in SHARED_IS_MEANT} == {}
    assert set(SHARED_IS_MEANT) == set(found), "an exception that nothing needs any more"


def test_a_fixed_name_would_be_noticed(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text('lock = Path(tempfile.gettempdir()) / "x"\nother = f"/tmp/{name}"\n', encoding="utf-8")
    assert sorted(line.partition(":")[0] for line in shared_names(path)) == ["line 1", "line 2"]


@pytest.fixture
def far_away(tmp_path: Path) -> Path:
    """The Makefile in a folder with spaces and Japanese letters; its programs only echo."""
    folder = tmp_path / "hide and seek 隠れん坊"
    bin_folder = folder / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (folder / "Makefile").write_text(text, encoding="utf-8")
    for name in ("pyproject.toml", "setup.py", "requirements/dev.lock"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    for name in set(re.findall(r"\$\(BIN\)/([a-z-]+)", text)):
        (bin_folder / name).write_text(f'#!/bin/sh\necho "{name} $*"\n', encoding="utf-8")
        (bin_folder / name).chmod(0o755)
    (folder / ".venv" / ".installed").touch()
    return folder


def make(folder: Path, *words: str, **variables: str) -> str:
    done = subprocess.run(
        ["make", *words],
        cwd=folder,
        env=VARIABLES | variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_recipe_works_in_a_path_with_spaces(far_away: Path) -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = re.findall(r"^([a-z-]+): \$\(STAMP\) ##.*\n\t", text, re.MULTILINE)
    assert {"run", "test", "lint"} <= set(recipes)
    for recipe in recipes:
        for line in filter(None, make(far_away, recipe).splitlines()):
            assert re.match(r"(python|uv|ruff|mypy|djlint|pip-audit) \S", line), (recipe, line)
    make(far_away, "clean")
    assert not (far_away / ".venv").exists()


def test_packages_are_kept_where_the_home_can_be_written_to_and_nowhere_else(
    far_away: Path, tmp_path: Path
) -> None:
    ask = ("--eval", "ask: ; @echo [$(CACHE)]", "ask")
    assert make(far_away, *ask) == "[none]\n"
    assert make(far_away, *ask, HOME=str(tmp_path)) == "[]\n"
    assert make(far_away, *ask, XDG_CACHE_HOME=str(tmp_path)) == "[]\n"


def test_readme_makefile_and_package_allow_the_same_pythons() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"])
    assert bounds is not None
    oldest, beyond = map(int, bounds.groups())
    words = f"Python 3.{oldest} to 3.{beyond - 1}"
    assert words in (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert words in makefile and f"(3, {oldest}) <= sys.version_info < (3, {beyond})" in makefile
    resolved = " ".join(f"3.{minor}" for minor in range(oldest, beyond))
    assert f"for python in {resolved}; do" in makefile, "make lock looks for wheels for every Python"


@pytest.mark.parametrize("processes", ["0", "2"])
def test_skips_are_explained_once_at_the_end(processes: str, tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        """
import pytest
from tests.conftest import missing

@pytest.mark.parametrize("n", range(3))
def test_data(n): missing("real data absent: get it")

def test_page(): missing("Chromium absent: make system")

@pytest.mark.skip(reason="too slow")
def test_slow(): pass

def test_passes(): pass
""",
        encoding="utf-8",
    )
    options = ["-p", "tests.skips", "-p", "xdist", "-n", processes, "-c", os.devnull]
    options += ["--rootdir", str(tmp_path)]
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "KAKURENBO_"))
    } | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *options,
            str(tmp_path / "test_some.py"),
        ],
        cwd=ROOT,
        env=clean,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *_, groups, data, page, last = done.stdout.splitlines()
    assert [groups, data, page] == [
        "5 skipped: real data absent (3), Chromium absent (1), too slow (1)",
        "  real data absent: get it",
        "  Chromium absent: make system",
    ]
    assert last.startswith("1 passed, 5 skipped")


class Stubborn(socketserver.BaseRequestHandler):
    """Speaks neither protocol."""

    def handle(self) -> None:
        self.request.recv(1)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@pytest.mark.parametrize("somebody", [True, False], ids=["something else", "nobody"])
def test_a_service_that_does_not_let_us_in_is_absent(somebody: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAKURENBO_REQUIRE_ALL", raising=False)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Stubborn) as server:
        port = server.server_address[1] if somebody else free_port()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(pytest.skip.Exception, match=f"^PostgreSQL absent: .*127.0.0.1:{port}"):
            need_postgres(f"postgresql://me:secret@127.0.0.1:{port}/postgres")
        for name, url in {
            "redis": "redis://:secret@127.0.0.1:{}/9",
            "rabbitmq": "amqp://me:secret@127.0.0.1:{}//",
        }.items():
            with pytest.raises(
                pytest.skip.Exception, match=f"^{TITLES[name]} absent: .*127.0.0.1:{port}"
            ) as caught:
                need_broker(name, url.format(port))
            assert "secret" not in str(caught.value)
        server.shutdown()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "euc-jp"])
def test_the_command_line_prints_on_terminals_of_every_encoding(encoding: str) -> None:
    command = [sys.executable, "-m", "kakurenbo.main", "frontier", "--help"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONIOENCODING": encoding}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    kappa = "κ" if encoding == "euc-jp" else "\\u03ba"
    assert kappa in done.stdout.decode(encoding)
