"""`make release`, from end to end, in a repository of its own."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.conftest import ROOT, missing
from tests.copies import copied

WHO = {
    "GIT_AUTHOR_NAME": "Oni", "GIT_AUTHOR_EMAIL": "oni@example.org",
    "GIT_COMMITTER_NAME": "Oni", "GIT_COMMITTER_EMAIL": "oni@example.org",
    "GIT_AUTHOR_DATE": "2026-11-01T09:00:00Z", "GIT_COMMITTER_DATE": "2026-11-01T09:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
}  # fmt: skip
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


class Repository:
    """A repository of one commit, in which a release can be made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet")
        # A link here, which the pattern for the folder does not cover.
        (folder / ".git/info/exclude").write_text(".venv\n", "utf-8")
        self.commit()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=self.folder, env=os.environ | WHO, capture_output=True, text=True, check=False
        )

    def git(self, *words: str) -> None:
        done = self.run("git", *words)
        assert done.returncode == 0, done.stderr

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "release: Test it")

    def head(self, words: str) -> None:
        """Change the top heading of the changelog."""
        path = self.folder / "CHANGELOG.md"
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"^## .*$", f"## {words}", text, count=1, flags=re.MULTILINE), "utf-8")
        self.commit()

    def release(self) -> dict[str, bytes]:
        # The environment is that of this run and not to be installed again.
        done = self.run("make", "--old-file=.venv/.installed", "release")
        assert done.returncode == 0, done.stdout + done.stderr
        return {path.name: path.read_bytes() for path in sorted((self.folder / "dist").iterdir())}

    def refusal(self) -> str:
        done = self.run("make", "--old-file=.venv/.installed", "release")
        assert done.returncode != 0 and not (self.folder / "dist").exists()
        return done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        missing("git absent: a release is made from a commit")
    return Repository(copied(tmp_path))


def test_what_is_not_ready_is_refused(repository: Repository) -> None:
    repository.head(f"{VERSION} (unreleased)")
    assert "Write the date of the release" in repository.refusal()
    repository.head("9.9.9 (2026-11-01)")
    assert "9.9.9" in repository.refusal()
    repository.head(f"{VERSION} (2026-11-01)")
    stray = repository.folder / "stray.txt"
    stray.touch()
    assert "not committed" in repository.refusal()
    stray.unlink()
    repository.git("tag", f"v{VERSION}")
    assert f"The tag v{VERSION} exists" in repository.refusal()


def test_a_release_is_complete_and_can_be_made_again(repository: Repository) -> None:
    repository.head(f"{VERSION} (2026-11-01)")
    files = repository.release()
    wheel, sources, bill = (
        f"kakurenbo-{VERSION}{end}" for end in ("-py3-none-any.whl", ".tar.gz", ".cdx.json")
    )
    assert set(files) == {"SHA256SUMS", wheel, sources, bill}
    sums = [line.split("  ") for line in files["SHA256SUMS"].decode().splitlines()]
    assert {name: digest for digest, name in sums} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"
    }
    dist = repository.folder / "dist"
    with zipfile.ZipFile(dist / wheel) as archive:
        (described,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        assert f"\nVersion: {VERSION}\n" in archive.read(described).decode()
        assert {info.date_time for info in archive.infolist()} == {(2026, 11, 1, 9, 0, 0)}
        assert not [name for name in archive.namelist() if name.startswith("tests/")]
    with tarfile.open(dist / sources) as archive:
        names = set(archive.getnames())
    assert {f"kakurenbo-{VERSION}/{name}" for name in ("pyproject.toml", "manage.py", "templates")} <= names
    assert_complete(files[bill].decode())
    assert repository.release() == files


def assert_complete(bill: str) -> None:
    """The bill of materials follows CycloneDX and has every locked package."""
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None
    found = json.loads(bill)
    delivered, every = set(), set()
    for path in (ROOT / "requirements").glob("*.lock"):
        pins = set(re.findall(r"^([\w.-]+)==([^ ;]+)", path.read_text(encoding="utf-8"), re.MULTILINE))
        every |= pins
        delivered |= pins if path.stem in {"base", "sandbox"} else set()
    listed = {(item["name"], item["version"]): item for item in found["components"]}
    assert set(listed) == every
    assert {key for key, item in listed.items() if item["scope"] == "required"} == delivered
    assert sum("licenses" in item for item in listed.values()) > len(every) * 0.8
    needs = {row["ref"]: row.get("dependsOn", []) for row in found["dependencies"]}
    django = next(ref for ref in needs if ref.startswith("pkg:pypi/django@"))
    assert any(ref.startswith("pkg:pypi/sqlparse@") for ref in needs[django])
    assert str(ROOT) not in bill and "file:" not in bill
