"""A contest becomes one file, and the file becomes the contest again: same numbers, same bytes, no tricks."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command

from contest.archive.importing import import_archive
from contest.archive.tables import TABLES
from contest.errors import Refused
from contest.models import AuditEvent, Contest, Entry, HouseOrder, Membership, Sealed, User
from contest.services.bundles import export_bundle
from contest.services.house import request_house_entry
from contest.work.verification import recount
from tests.archives import archived, members, play
from tests.conftest import ROOT
from tests.factories import PASSWORD, make_contest, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest() -> Contest:
    return play()


_kept: list[bytes] = []


@pytest.fixture
def content() -> bytes:
    """The bytes of one archive for all tests that only spoil it. Its contest is gone from the database."""
    if not _kept:
        contest = play("kept")
        _kept.append(archived(contest))
        Contest.objects.filter(pk=contest.pk).update(slug="gone", look_key="gone")
    return _kept[0]


def test_the_archive_verifies_itself_with_nothing_but_python(contest: Contest, tmp_path: Path) -> None:
    (tmp_path / "played.zip").write_bytes(archived(contest))
    (tmp_path / "verify.py").write_bytes(members((tmp_path / "played.zip").read_bytes())["verify.py"])
    command = [sys.executable, "-I", "-S", "verify.py", "played.zip"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything holds." in done.stdout
    chained = AuditEvent.objects.filter(contest=contest).count()
    assert f"one unbroken chain of {chained} rows" in done.stdout


def test_measured_again_every_number_is_the_same_and_a_changed_one_is_found(contest: Contest) -> None:
    found = recount(contest)
    assert found.differences == []
    # Four measures of four entries; two house attacks on four entries, and one guess.
    assert found.compared["measure"] == 16
    assert found.compared["hits"] == found.compared["expected_hits"] == 9
    assert found.compared["commitment"] == 3
    Entry.objects.filter(round__contest=contest, team__name="Tanuki", is_official=True).update(utility=99.5)
    changed = recount(contest).differences
    assert any("Tanuki" in text and "99.5" in text for text in changed)


def test_an_empty_installation_takes_the_archive_and_finds_the_same_numbers(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "kept.zip"
    path.write_bytes(content)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("KAKURENBO_", "DJANGO_"))},
        "KAKURENBO_VAR": str(tmp_path / "var"),
        "KAKURENBO_LOG_LEVEL": "WARNING",
    }

    def manage(*words: str) -> str:
        command = [sys.executable, str(ROOT / "manage.py"), *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    (tmp_path / "var").mkdir()
    manage("migrate", "--verbosity", "0")
    make = f"User.objects.create_user('oni', 'oni@example.org', '{PASSWORD}')"
    manage("shell", "--no-imports", "--command", f"from contest.models import User; {make}")
    said = manage("contest_import", str(path), "--organiser", "oni", "--rescore")
    assert "all the same" in said
    assert "withheld" in said
    manage("contest_archive", "kept", "--out", str(tmp_path / "again.zip"))
    assert (tmp_path / "again.zip").read_bytes() == content


def test_a_team_that_says_no_is_there_with_its_results_and_hashes_only(content: bytes) -> None:
    files = members(content)
    manifest = json.loads(files["manifest.json"])
    rows = [json.loads(line) for line in files["rows/entry.jsonl"].splitlines()]
    teams = {row["id"]: row for row in map(json.loads, files["rows/team.jsonl"].splitlines())}
    silent = [row for row in rows if not teams[row["team"]]["in_archive"]]
    assert [teams[row["team"]]["name"] for row in silent] == ["Neko =1+1"]
    sealed = [json.loads(line) for line in files["rows/sealed.jsonl"].splitlines()]
    (truth,) = [row["sha256"] for row in sealed if row["entry"] == silent[0]["id"]]
    assert set(silent[0]["published"]) == {"M.csv", "T.csv"}
    for sha256 in (silent[0]["upload_sha256"], *silent[0]["published"].values(), truth):
        assert sha256 in manifest["withheld"]
        assert f"files/{sha256}" not in files
    assert silent[0]["utility"] is not None
    assert silent[0]["note"] == ""
    assert b"secret note of Neko" not in b"".join(files.values())
    assert b"secret note of Tanuki" in files["rows/entry.jsonl"]


def test_an_archive_holds_no_password_no_address_and_no_token(contest: Contest) -> None:
    everything = b"".join(members(archived(contest)).values())
    for user in User.objects.filter(memberships__contest=contest):
        assert user.email.encode() not in everything
        assert user.password.encode() not in everything


def test_people_of_an_archive_are_names_and_never_somebody_who_is_here(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "kept.zip"
    path.write_bytes(content)
    names = [json.loads(line)["name"] for line in members(content)["rows/person.jsonl"].splitlines()]
    here = [User.objects.filter(username=name).first() or make_user(name) for name in names]
    imported = import_archive(path, make_user())
    assert not Membership.objects.filter(contest=imported, user__in=here).exists()
    people = User.objects.filter(memberships__contest=imported)
    assert people.count() == 3
    assert not people.filter(is_active=True).exists()
    assert not any(person.has_usable_password() for person in people)


def test_no_archive_is_written_while_work_is_under_way(contest: Contest) -> None:
    round_ = contest.rounds.get()
    request_house_entry(round_, None, "shuffle", {}, 4)
    with pytest.raises(Refused, match="1 jobs of this contest are waiting or running"):
        archived(contest)


def test_a_damaged_file_in_the_store_stops_the_archive(contest: Contest) -> None:
    entry = Entry.objects.filter(round__contest=contest, state="valid").order_by("pk")[0]
    lost = "0" * 64
    Entry.objects.filter(pk=entry.pk).update(published={"M.csv": lost})
    with pytest.raises(Refused, match=f"The file {lost} is not in the store 'entries'"):
        archived(contest)


def as_before_orders(content: bytes, path: Path) -> None:
    """The archive as the version before house orders would have written it: with the jobs that made them."""
    files = members(content)
    (order,) = [json.loads(line) for line in files.pop("rows/houseorder.jsonl").splitlines()]
    entries = [json.loads(line) for line in files["rows/entry.jsonl"].splitlines()]
    payload = {key: order[key] for key in ("round", "method", "parameters", "seed")}
    job = {
        "id": 1, "kind": "house", "payload": payload, "release": 1, "state": "done", "attempts": 1,
        "progress": 100, "step": "", "reason": "", "created_at": order["requested_at"],
        "rung_at": order["requested_at"], "started_at": order["requested_at"],
        "finished_at": entries[order["entry"] - 1]["received_at"],
    }  # fmt: skip
    files["rows/job.jsonl"] = json.dumps(job).encode() + b"\n"
    facts = {
        "bytes": len(files["rows/job.jsonl"]),
        "sha256": hashlib.sha256(files["rows/job.jsonl"]).hexdigest(),
    }

    def change(manifest: dict[str, Any]) -> None:
        manifest["files"].pop("rows/houseorder.jsonl")
        manifest["files"]["rows/job.jsonl"] = facts
        tables = manifest["tables"]
        tables[tables.index("houseorder")] = "job"
        manifest["references"].pop("houseorder")
        manifest["references"]["job"] = {}

    with_manifest(files, change)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def test_an_archive_older_than_house_orders_gets_them_from_its_jobs(content: bytes, tmp_path: Path) -> None:
    as_before_orders(content, tmp_path / "old.zip")
    imported = import_archive(tmp_path / "old.zip", make_user(), slug="older")
    order = HouseOrder.objects.get(round__contest=imported)
    assert (order.state, order.method, order.parameters, order.seed) == ("made", "shuffle", {}, 30)
    assert order.entry == Entry.objects.get(round__contest=imported, team__is_house=True)
    assert recount(imported).differences == []
    (round_,) = export_bundle(imported).bundle.rounds
    assert [(it.method, it.seed) for it in round_.baselines] == [("shuffle", 30)]
    again = members(archived(imported))
    rows = {name: text for name, text in members(content).items() if name.startswith("rows/entry")}
    assert rows == {name: again[name] for name in rows}


def test_an_old_archive_with_a_job_that_says_nothing_is_refused(content: bytes, tmp_path: Path) -> None:
    as_before_orders(content, tmp_path / "old.zip")
    files = members((tmp_path / "old.zip").read_bytes())
    first_row("job", payload={"method": "shuffle"})(files)
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    with pytest.raises(Refused, match="no job for a house entry"):
        import_archive(tmp_path / "bad.zip", make_user(), slug="older")
    assert not Contest.objects.filter(slug="older").exists()


Spoil = Callable[[dict[str, bytes]], None]


def with_manifest(files: dict[str, bytes], change: Callable[[dict[str, Any]], None]) -> None:
    manifest = json.loads(files["manifest.json"])
    change(manifest)
    files["manifest.json"] = json.dumps(manifest).encode()


def replaced(name: str, change: Callable[[bytes], bytes]) -> Spoil:
    """Change a file and let the manifest agree with it: only what the file says can give it away."""

    def spoil(files: dict[str, bytes]) -> None:
        files[name] = change(files[name])
        facts = {"bytes": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()}
        with_manifest(files, lambda manifest: manifest["files"].update({name: facts}))

    return spoil


def first_row(table: str, /, **values: Any) -> Spoil:
    def change(content: bytes) -> bytes:
        lines = content.splitlines()
        lines[0] = json.dumps({**json.loads(lines[0]), **values}).encode()
        return b"\n".join(lines) + b"\n"

    return replaced(f"rows/{table}.jsonl", change)


def added(name: str, content: bytes) -> Spoil:
    def spoil(files: dict[str, bytes]) -> None:
        files[name] = content
        facts = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        with_manifest(files, lambda manifest: manifest["files"].update({name: facts}))

    return spoil


def bomb(files: dict[str, bytes]) -> None:
    files["files/" + "a" * 64] = bytes(40_000_000)
    facts = {"bytes": 1000, "sha256": "a" * 64}
    with_manifest(files, lambda manifest: manifest["files"].update({"files/" + "a" * 64: facts}))


def without(start: str) -> Spoil:
    """Take out the first file whose path starts so, also from the manifest."""

    def spoil(files: dict[str, bytes]) -> None:
        gone = next(name for name in sorted(files) if name.startswith(start))
        del files[gone]
        with_manifest(files, lambda manifest: manifest["files"].pop(gone))

    return spoil


def unlisted_map(files: dict[str, bytes]) -> None:
    """Hashes that are none, in a column of which the manifest does not say that it holds hashes."""
    with_manifest(files, lambda manifest: manifest.pop("file_maps"))
    first_row("entry", published={"M.csv": "../../etc/passwd"})(files)


SPOILS: dict[str, tuple[Spoil, str]] = {
    "a path that leads out": (added("../../etc/cron.d/evil", b"x"), "expected a plain relative path"),
    "an absolute path": (added("/etc/passwd", b"x"), "expected a plain relative path"),
    "a backslash": (added("files\\evil", b"x"), "expected a plain relative path"),
    "a file that nobody listed": (lambda files: files.update(extra=b"x"), "extra: not in the manifest"),
    "no manifest": (lambda files: files.__delitem__("manifest.json"), "manifest.json: missing"),
    "a manifest that is no JSON": (lambda files: files.update({"manifest.json": b"{"}), "not JSON"),
    "another format": (
        lambda files: with_manifest(files, lambda manifest: manifest.update(kakurenbo_archive=99)),
        "expected 'kakurenbo_archive' of format 1 or 2",
    ),
    "a changed byte": (
        lambda files: files.update({"verify.py": files["verify.py"] + b" "}),
        "longer than the",
    ),
    "a shortened file": (
        lambda files: files.update({"verify.py": files["verify.py"][:-1]}),
        "verify.py: got",
    ),
    "a bomb": (bomb, "longer than the 1000 bytes of the manifest"),
    "a terabyte by its own word": (
        lambda files: with_manifest(
            files, lambda manifest: manifest["files"]["verify.py"].update(bytes=10**12)
        ),
        "expected at most",
    ),
    "a missing file": (without("files/"), "is missing"),
    "a missing table": (without("rows/score.jsonl"), "rows/score.jsonl: missing"),
    "a reference to nowhere": (first_row("entry", team=99), "team is 99, expected the number of one of"),
    "a reference that is no number": (first_row("entry", team="1"), "team is '1', expected the number"),
    "a row that skips a number": (first_row("team", id=2), "expected an object whose id is 1"),
    "an unknown column": (first_row("team", rank=1), "this version knows no column 'rank'"),
    "a state that does not exist": (first_row("entry", state="winner"), "expected one of"),
    "a text that is too long": (first_row("team", name="x" * 500), "at most 60 characters"),
    "a number that is none": (first_row("entry", utility="lots"), "column utility"),
    "null where none may be": (first_row("entry", number=None), "got null, expected a value"),
    "rows that contradict each other": (first_row("entry", is_official=True, state="invalid"), "contradict"),
    "a changed audit row": (first_row("auditevent", reason="Nothing to see."), "Audit log: row 1"),
    "a changed commitment": (first_row("commitment", payload="{}"), "rows/commitment.jsonl, row 1"),
    "rows that are not of its format": (
        lambda files: with_manifest(files, lambda manifest: manifest.update(kakurenbo_archive=1)),
        "the rows are not of format 1",
    ),
    "a truth that is not sealed": (
        replaced("rows/sealed.jsonl", lambda content: b""),
        "expected a truth for each valid entry",
    ),
    "a published file that is missing": (
        first_row("entry", published={"M.csv": "0" * 64}),
        f"the file {'0' * 64} of published is missing",
    ),
    "published files without names": (
        first_row("entry", published=["0" * 64]),
        "expected published to be names with hashes",
    ),
    "a map of files that nobody lists": (unlisted_map, "column published: got"),
    "a name with invisible characters": (first_row("person", name="ta\u200bnuki"), "invisible"),
    "a team that nobody sees": (first_row("team", name="ta\u200bnuki"), "rows/team.jsonl, row 1"),
    "a round that turns its page": (first_row("round", name="\u202elanif"), "rows/round.jsonl, row 1"),
    "a title that nobody sees": (first_row("contest", title="\u3164"), "rows/contest.jsonl, row 1"),
}


@pytest.mark.parametrize("spoiled", SPOILS)
def test_a_hostile_archive_is_refused_and_leaves_nothing(
    spoiled: str, content: bytes, tmp_path: Path
) -> None:
    spoil, sentence = SPOILS[spoiled]
    files = members(content)
    spoil(files)
    path = tmp_path / "spoiled.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in files.items():
            archive.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    user = make_user()
    before = _counts()
    with pytest.raises(Refused) as caught:
        import_archive(path, user, slug="spoiled")
    assert caught.value.code == "bad-archive"
    assert sentence in caught.value.text
    assert _counts() == before


def _counts() -> dict[str, int]:
    return {
        model.__name__: model._default_manager.count()
        for model in apps.get_app_config("contest").get_models()
    }


@pytest.mark.parametrize("junk", [b"", b"PK\x05\x06", b"not a zip at all" * 100])
def test_what_is_no_zip_is_said_to_be_none(junk: bytes, tmp_path: Path) -> None:
    path = tmp_path / "junk.zip"
    path.write_bytes(junk)
    with pytest.raises(Refused, match="not a"):
        import_archive(path, make_user())


def test_a_zip_with_a_link_or_a_file_twice_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd.zip"
    link = zipfile.ZipInfo("files/link")
    link.external_attr = 0o120777 << 16
    path.write_bytes(content)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(Refused, match="no link and no device"):
        import_archive(path, make_user())
    path.write_bytes(content)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("verify.py", "print('Everything holds.')")
    with pytest.raises(Refused, match=r"verify\.py: twice"):
        import_archive(path, make_user())


def test_an_address_that_is_taken_is_refused_and_another_may_be_chosen(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "kept.zip"
    path.write_bytes(content)
    user = make_user()
    make_contest(user, slug="kept")
    with pytest.raises(CommandError, match="kept already"):
        call_command("contest_import", str(path), organiser=user.username)
    call_command("contest_import", str(path), organiser=user.username, slug="kept-again")
    assert Contest.objects.filter(slug="kept-again").exists()


def test_every_column_with_a_hash_names_its_store() -> None:
    for table in TABLES:
        hashes = {column.name for column in table.columns if column.name.endswith("_sha256")}
        if table.model is Sealed:
            hashes.add("sha256")
        assert hashes == set(table.files), table.name
        maps = {column.name for column in table.columns if column.name in ("files", "published")}
        assert maps == set(table.maps), table.name
        assert {*table.files.values(), *table.maps.values()} <= set(settings.STORAGES)
