"""A contest made from a bundle gives the same bundle back."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import io
import re
from pathlib import Path
from typing import IO

import pytest
from django.core.management import CommandError, call_command

from contest.bundle.check import check_bundle
from contest.bundle.specification import Bundle
from contest.bundle.writing import bundle_text
from contest.declarations.round import DEFAULTS
from contest.errors import Refused
from contest.files.storage import published
from contest.models import AuditEvent, Contest, Dataset, Entry, Job, Phase
from contest.services.bundles import create_from_bundle, export_bundle
from contest.services.house import request_house_entry
from games.formats.presets import preset_names, preset_text
from games.shop.data.folder import write_dataset
from kakurenbo.main import main
from tests.contest.test_bundle import SMALL
from tests.factories import make_round, make_user, small_data, work_off

pytestmark = [pytest.mark.django_db, pytest.mark.once]


def bundle_of(text: str) -> Bundle:
    checked = check_bundle(text)
    assert checked.problems == ()
    assert checked.bundle is not None
    return checked.bundle


def nothing(name: str) -> IO[bytes]:
    raise FileNotFoundError(name)


def small_preset(name: str) -> str:
    """A preset on a small shop, to be quick."""
    text = preset_text(name)
    small = re.sub(r"(\bcustomers:) \d+", r"\1 12", text)
    assert small != text
    return small


@pytest.mark.parametrize("text", [SMALL, *map(small_preset, preset_names())], ids=["small", *preset_names()])
def test_export_of_create_is_the_same_times_included(text: str) -> None:
    bundle = bundle_of(text)
    contest = create_from_bundle(bundle, make_user(), nothing, known_seeds=True)
    exported = export_bundle(Contest.objects.get(pk=contest.pk)).bundle
    assert exported == bundle
    assert bundle_text(exported) == bundle_text(bundle)


def test_every_setting_survives() -> None:
    """Change each field of a round from its default and see it again."""
    bundle = bundle_of(SMALL)
    rules = dataclasses.replace(bundle.rounds[0].rules, drop_customers=True, vanished="ignore")
    settings = {
        "weight": 0.1, "ranking": "2024", "feedback": "none",
        "house_takes_places": True, "feedback_bands": 7, "attacks_in_total": None, "attacks_per_target": 5,
        "all_targets": False, "which_counts": "best",
        "entries_per_day": 1, "entries_in_total": 2, "attacks_per_day": 3, "program_seconds": 4,
        "program_megabytes": 512, "is_hidden": True, "board_frozen_at": bundle.starts_at,
        "reveal_in_steps": True,
    }  # fmt: skip
    assert {name for name, value in DEFAULTS.items() if settings[name] != value} == set(DEFAULTS)
    changed = {
        "slug": "x", "name": "X", "seed": 9, "settings": settings, "rules": rules, "limits": (),
        "attacks": ("re-rfm", "re-itemset"), "baselines": (),
    }  # fmt: skip
    other = dataclasses.replace(bundle.rounds[0], **changed)
    assert {field.name for field in dataclasses.fields(other)} - set(changed) == {"data", "phases", "game"}
    wide = dataclasses.replace(
        bundle,
        rounds=(*bundle.rounds, other),
        settings={
            "is_public": True,
            "registration_opens": datetime.datetime(2027, 5, 1, 10, tzinfo=datetime.UTC),
            "registration_closes": datetime.datetime(2027, 6, 1, 10, tzinfo=datetime.UTC),
            "min_team_size": 2,
            "max_team_size": 3,
            "tracks": "student | Students | 学生\npro | Professionals | 社会人",
            "approve_teams": True,
            "reminder_hours": 48,
            "last_reminder_hours": 0,
            "may_be_embedded": True,
            "description": "Tab\there\r\n«こ»",
        },
    )
    assert bundle_of(bundle_text(wide)) == wide
    assert export_bundle(create_from_bundle(wide, make_user(), nothing, known_seeds=True)).bundle == wide


def test_a_contest_from_a_bundle_plays() -> None:
    create_from_bundle(bundle_of(SMALL), make_user(), nothing, known_seeds=True)
    work_off()
    entry = Entry.objects.get()
    assert (entry.method, entry.team.name) == ("swap", "House · swap (share=0.3)")
    assert entry.is_final
    phase = Phase.objects.get(kind="anonymise")
    assert phase.starts_at == datetime.datetime(2027, 8, 1, 1, 0, tzinfo=datetime.UTC)
    assert AuditEvent.objects.filter(verb="contest.created_from_bundle").count() == 1


def test_data_files_come_back_byte_for_byte(tmp_path: Path) -> None:
    write_dataset(tmp_path, small_data())
    # With CRLF the stored form differs from the file, which must still come back as it was.
    files = {name: (tmp_path / name).read_bytes().replace(b"\n", b"\r\n") for name in ("M.csv", "T.csv")}
    described = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    source = (
        f"files: {{master: {{name: M.csv, sha256: {described['M.csv']}}}, "
        f"transactions: {{name: T.csv, sha256: {described['T.csv']}}}}}"
    )
    bundle = bundle_of(SMALL.replace("generate: {customers: 12, seed: 7}", source))
    create_from_bundle(bundle, make_user(), lambda name: io.BytesIO(files[name]), known_seeds=True)
    out = tmp_path / "out"
    out.mkdir()
    call_command("contest_export", "small", "--out", str(out / "small.yaml"), stdout=io.StringIO())
    assert {name: (out / name).read_bytes() for name in files} == files
    call_command("contest_export", "small", "--out", str(out / "small.zip"), stdout=io.StringIO())
    make_user("kappa")
    words = [str(out / "small.zip"), "--organiser", "Kappa", "--slug", "again", "--known-seeds"]
    call_command("contest_create", *words, stdout=io.StringIO())
    again = export_bundle(Contest.objects.get(slug="again")).bundle
    assert dataclasses.replace(again, slug="small") == bundle


def test_bad_data_leaves_nothing_behind() -> None:
    sha256 = hashlib.sha256(b"x").hexdigest()
    file = f"{{name: M.csv, sha256: {sha256}}}"
    source = f"files: {{master: {file}, transactions: {file}}}"
    bundle = bundle_of(SMALL.replace("generate: {customers: 12, seed: 7}", source))
    with pytest.raises(Refused) as caught:
        create_from_bundle(bundle, make_user(), lambda name: io.BytesIO(b"x"), known_seeds=True)
    assert caught.value.code == "bad-data"
    assert "M.csv, line 1" in caught.value.text
    assert not Contest.objects.exists()
    assert not Dataset.objects.exists()
    assert not Job.objects.exists()


def test_an_address_is_taken_once() -> None:
    create_from_bundle(bundle_of(SMALL), make_user(), nothing, known_seeds=True)
    with pytest.raises(Refused) as caught:
        create_from_bundle(bundle_of(SMALL), make_user(), nothing, known_seeds=True)
    assert caught.value.code == "slug-taken"


def test_a_contest_that_was_not_made_from_a_bundle_has_one_too() -> None:
    round_ = make_round()
    request_house_entry(round_, None, "swap", {"share": 0.5}, 3)
    exported = export_bundle(round_.contest)
    assert len(exported.files) == 2
    bundle = bundle_of(bundle_text(exported.bundle))
    assert bundle == exported.bundle
    contest = create_from_bundle(
        bundle,
        make_user(),
        lambda name: published.open(exported.files[name]),
        slug="twin",
        known_seeds=True,
    )
    twin = contest.rounds.get()
    assert twin.dataset.files == round_.dataset.files
    starts = [[phase.starts_at for phase in each.phases.all()] for each in (twin, round_)]
    assert starts[0] == starts[1]


def test_the_commands_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        call_command("contest_create", "pwscup2016", "--organiser", "nobody")
    make_user("kappa")
    with pytest.raises(CommandError, match="must be a time with its zone"):
        call_command("contest_create", "pwscup2016", "--organiser", "kappa", "--starts", "tomorrow")
    path = tmp_path / "bad.yaml"
    path.write_text("kakurenbo: 1\n")
    with pytest.raises(CommandError, match=r"bad.yaml, line 1, slug: expected a key 'slug'"):
        call_command("contest_create", str(path), "--organiser", "kappa")
    with pytest.raises(CommandError, match="There is no contest 'nothing'"):
        call_command("contest_export", "nothing", "--out", str(tmp_path / "x.yaml"))


def test_a_preset_is_made_to_start_when_one_likes(tmp_path: Path) -> None:
    make_user("kappa")
    path = tmp_path / "mine.yaml"
    path.write_text(small_preset("pwscup2016"))
    words = ["--organiser", "kappa", "--starts", "2027-01-10T09:00:00+09:00"]
    call_command("contest_create", str(path), *words, stdout=io.StringIO())
    first = Phase.objects.order_by("starts_at").first()
    assert first is not None
    assert first.starts_at == datetime.datetime(2027, 1, 10, tzinfo=datetime.UTC)


def test_the_command_line_makes_and_writes_a_contest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_user("kappa")
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    words = ["contest", "create", str(path), "--organiser", "kappa"]
    assert main(words) == 2
    assert "The bundle names seeds in final" in capsys.readouterr().err
    assert main([*words, "--known-seeds"]) == 0
    out = tmp_path / "again.yaml"
    assert main(["contest", "export", "small", "--out", str(out)]) == 0
    assert bundle_of(out.read_text()) == bundle_of(SMALL)
    assert main([*words, "--known-seeds"]) == 2
    assert (
        "There is a contest with the address 'small' already, or one that looks like it."
        in capsys.readouterr().err
    )
