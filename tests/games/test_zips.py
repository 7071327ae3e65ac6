"""Games as zips: what is read, what is refused with its place, and that packing is deterministic."""

from __future__ import annotations

import io
import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from datasets.archive import ArchiveError
from games.contract.reading import BadGame
from games.loading import NoGame
from games.zips import LIMITS, identity, pack, read_zip
from kakurenbo.main import main
from tests.conftest import ROOT

SKELETON = ROOT / "games" / "skeleton"
YAML = (SKELETON / "game.yaml").read_bytes()
CODE = (SKELETON / "game.py").read_bytes()
GAME = {"game.yaml": YAML, "game.py": CODE}


def archive(files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] | None = None) -> io.BytesIO:
    """A zip; ``change`` is applied to the last member before it is written."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
        for place, (name, content) in enumerate(files.items(), start=1):
            member = zipfile.ZipInfo(name)
            member.filename = name
            member.compress_type = zipfile.ZIP_DEFLATED
            if change and place == len(files):
                change(member)
            zipped.writestr(member, content)
    target.seek(0)
    return target


def kind(mode: int) -> Callable[[zipfile.ZipInfo], None]:
    def change(member: zipfile.ZipInfo) -> None:
        member.external_attr = mode << 16

    return change


def raw(data: io.BytesIO, before: bytes, after: bytes) -> io.BytesIO:
    """The archive with some of its bytes replaced, wherever they stand."""
    assert len(before) == len(after)
    assert before in data.getvalue()
    return io.BytesIO(data.getvalue().replace(before, after))


def test_a_game_is_read_from_the_top_or_from_one_folder() -> None:
    top = read_zip(archive(GAME))
    assert (top.declaration.name, sorted(top.files)) == ("skeleton", ["game.py", "game.yaml"])
    inside = read_zip(archive({f"my game/{name}": content for name, content in GAME.items()}))
    assert inside == top
    litter = {"__MACOSX/._game.py": b"x", "__pycache__/game.cpython-311.pyc": b"x", ".DS_Store": b"x"}
    assert read_zip(archive(GAME | litter)) == top


def test_the_identity_is_that_of_the_content() -> None:
    one = read_zip(archive(GAME))
    other = read_zip(archive(dict(reversed(GAME.items()))))
    assert one.sha256 == other.sha256 == identity(GAME)
    assert read_zip(archive(GAME | {"game.py": CODE + b"\n"})).sha256 != one.sha256
    assert identity({"a": b"", "b": b"1"}) != identity({"a": b"1", "b": b""})


def test_what_is_unpacked_cannot_be_changed(tmp_path: Path) -> None:
    folder = read_zip(archive(GAME | {"data/people.csv": b"1"})).unpack(tmp_path / "game")
    modes = {
        path.relative_to(tmp_path).as_posix(): path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")
    }
    assert modes == {
        "game": 0o555, "game/data": 0o555, "game/data/people.csv": 0o444, "game/game.py": 0o444,
        "game/game.yaml": 0o444,
    }  # fmt: skip
    for place in (folder, folder / "data"):
        place.chmod(0o755)


BAD: dict[str, tuple[Callable[[], io.BytesIO], str]] = {
    "no zip": (lambda: io.BytesIO(b"name: skeleton"), "tree"),
    "nothing": (lambda: io.BytesIO(b""), "tree"),
    "half a zip": (lambda: io.BytesIO(archive(GAME).getvalue()[:-30]), "corrupt-archive"),
    "a wrong checksum": (
        lambda: raw(archive(GAME), struct.pack("<I", zlib.crc32(CODE)), b"\0\0\0\0"),
        "corrupt-archive",
    ),
    "an empty zip": (lambda: archive({}), "game-zip"),
    "no declaration": (lambda: archive({"game.py": CODE}), "game-zip"),
    "no code": (lambda: archive({"game.yaml": YAML}), "game-zip"),
    "two folders": (lambda: archive({"a/game.yaml": YAML, "b/game.py": CODE}), "game-zip"),
    "a path upwards": (lambda: archive(GAME | {"../../etc/cron.d/x": b"x"}), "bad-path"),
    "an absolute path": (lambda: archive(GAME | {"/etc/passwd": b"x"}), "bad-path"),
    "a path of Windows": (lambda: archive(GAME | {"..\\x": b"x"}), "bad-path"),
    "a drive": (lambda: archive(GAME | {"C:x": b"x"}), "bad-path"),
    "a NUL in a name": (lambda: raw(archive(GAME | {"axb": b"x"}), b"axb", b"a\0b"), "bad-path"),
    "an empty part": (lambda: archive(GAME | {"a//b": b"x"}), "tree"),
    "a hidden file": (lambda: archive(GAME | {".bashrc": b"x"}), "tree"),
    "a path too deep": (lambda: archive(GAME | {"a/" * 20 + "b": b"x"}), "tree"),
    "a name too long": (lambda: archive(GAME | {"a" * 200: b"x"}), "tree"),
    "a name with a line feed": (lambda: archive(GAME | {"a\nb": b"x"}), "tree"),
    "a name that reads backwards": (lambda: archive(GAME | {"a\u202eb": b"x"}), "tree"),
    "a name in another encoding": (
        lambda: raw(archive(GAME | {"axb.csv": b"x"}), b"axb.csv", b"a\xe9b.csv"),
        "tree",
    ),
    "a link": (lambda: archive(GAME | {"data": b"/etc"}, kind(stat.S_IFLNK | 0o777)), "not-a-file"),
    "a device": (lambda: archive(GAME | {"zero": b""}, kind(stat.S_IFCHR | 0o666)), "not-a-file"),
    "a pipe": (lambda: archive(GAME | {"pipe": b""}, kind(stat.S_IFIFO | 0o666)), "not-a-file"),
    "the same name twice": (lambda: archive(GAME | {"Game.py": b"x"}), "tree"),
    "a file that is a folder": (lambda: archive(GAME | {"game.py/x": b"x"}), "tree"),
    "a bomb": (lambda: archive(GAME | {"zeros": bytes(40 << 20)}), "too-large"),
    "too many files": (
        lambda: archive(GAME | {f"f{n}": b"" for n in range(LIMITS.members)}),
        "too-many-members",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_zip_that_is_not_safe_is_refused_with_its_place(what: str) -> None:
    make, code = BAD[what]
    with pytest.raises(ArchiveError) as caught:
        read_zip(make(), "mine.zip")
    problems = caught.value.verdict.problems
    assert {problem.file for problem in problems} == {"mine.zip"}
    assert code in {problem.code for problem in problems}, problems
    assert all(str(problem).isprintable() for problem in problems)


COLUMNS = ", ".join(f"{{name: c{n}}}" for n in range(3000))
LAUGHS = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
DECLARATIONS = {
    "three thousand columns": (YAML.replace(b"columns: [", f"columns: [{COLUMNS}, ".encode(), 1), "too-many"),
    "a hundred thousand columns": (
        b"files: [%b]" % b", ".join(b"{name: c%d}" % n for n in range(100_000)),
        "too-long",
    ),
    "a huge integer": (YAML.replace(b"spare: 1", b"spare: " + b"9" * 4000), "bad-value"),
    "an integer too long to read": (YAML.replace(b"spare: 1", b"spare: " + b"9" * 5000), "not-yaml"),
    "a billion files by one name": (YAML.replace(b"spare: 1", b"spare: 1, count: 1000000000"), "bad-value"),
    "laughs": (LAUGHS.encode() + YAML, "alias"),
    "a Python tag": (YAML.replace(b"spare: 1", b"spare: !!python/object/apply:os.system [ls]"), "not-yaml"),
    "a nest": (b"a: " + b"[" * 100 + b"]" * 100, "too-deep"),
    "a number without end": (YAML.replace(b"spare: 1", b"spare: .inf"), "not-finite"),
}


@pytest.mark.parametrize("what", DECLARATIONS)
def test_a_declaration_that_costs_too_much_is_refused_before_it_costs(what: str) -> None:
    content, code = DECLARATIONS[what]
    with pytest.raises(BadGame) as caught:
        read_zip(archive({"game.yaml": content, "game.py": CODE}))
    assert code in {problem.code for problem in caught.value.problems}, caught.value.problems
    assert len(str(caught.value)) < 10_000


def test_a_declaration_in_another_encoding_is_named() -> None:
    with pytest.raises(NoGame, match="is not UTF-8"):
        read_zip(archive({"game.yaml": b"\xff\xfe", "game.py": CODE}))


def test_a_folder_is_packed_to_the_same_bytes_and_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "code" / "__pycache__").mkdir(parents=True)
    for name, content in GAME.items():
        (tmp_path / "code" / name).write_bytes(content)
    (tmp_path / "code" / "__pycache__" / "game.pyc").write_bytes(b"x")
    (tmp_path / "code" / "link").symlink_to("/etc/passwd")
    out = tmp_path / "game.zip"
    assert main(["game", "pack", str(tmp_path / "code"), "--out", str(out)]) == 0
    assert identity(GAME) in capsys.readouterr().out
    assert out.read_bytes() == pack(tmp_path / "code")
    assert read_zip(io.BytesIO(out.read_bytes())).files == GAME
    assert main(["game", "show", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "skeleton"


HONEST = """
name: tiny
version: "1.0"
title: {en: Tiny}
people: {en: people}
files:
  - {name: up.csv, scope: entry, made: upload, shown: published, columns: [{name: x}]}
  - {name: "{target}.csv", scope: answer, made: upload, columns: [{name: x}]}
challenges: [{name: who, title: {en: Who}, question: {en: "Who?"}, answer: ["{target}.csv"]}]
"""
TINY = """
from games.contract import game as contract
from games.contract.values import Result
class Game(contract.Game):
    def measure(self, world, entry, names): return {}
    def judge(self, world, challenge, by, target, answer): return Result(0.5)
"""


def packed(folder: Path, code: str) -> str:
    path = folder / "tiny.zip"
    path.write_bytes(archive({"game.yaml": HONEST.encode(), "game.py": code.encode()}).getvalue())
    return str(path)


def test_the_laws_on_a_zip_run_in_the_sandbox(
    sandbox: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "imported"
    leaves = TINY + f"\ntry:\n    open({str(mark)!r}, 'w')\nexcept OSError:\n    pass\n"
    assert main(["game", "test", packed(tmp_path, leaves)]) == 0
    said = capsys.readouterr()
    assert "Every verb runs in the sandbox." in said.err
    assert "holds      same-twice" in said.out
    assert not mark.exists()


def test_a_zip_that_fails_is_named_with_verb_code_and_log(
    sandbox: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = TINY + "    def build(self, sources, params, rng, out): raise RuntimeError('the reason')\n"
    assert main(["game", "test", packed(tmp_path, broken)]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("BROKEN     In build: The game failed.") and "[crashed]" in said.out
    assert "RuntimeError: the reason" in said.err


def test_without_a_sandbox_a_zip_runs_only_where_it_is_trusted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attacks.sandbox.bubblewrap.found", lambda: iter(()))
    path = packed(tmp_path, TINY)
    assert main(["game", "test", path]) == 2
    said = capsys.readouterr().err
    assert "There is no sandbox" in said and "--trust" in said
    assert main(["game", "test", path, "--trust"]) == 0
