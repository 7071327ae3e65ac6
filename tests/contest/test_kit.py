"""The kit: what it holds, that its bytes are always the same, and that its numbers are the server's."""

from __future__ import annotations

import datetime
import io
import json
import os
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.files.storage import storages
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from attacks.sandbox import NoSandbox, choose_backend
from contest.files.storage import submitted
from contest.kit import build
from contest.kit.library import library
from contest.language.translation import say
from contest.models import AttackRun, Contest, Entry, Phase, Round
from contest.services.team_attacks import submit_program
from games.shop.attacks.registry import ATTACKS as EVERY_ATTACK
from games.shop.guessing import find_game
from kakurenbo.main import main
from tests.conftest import missing
from tests.environments import fresh_environment
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db

# The kernels of the others are compiled anew on a fresh machine, which takes a minute.
ATTACKS = [house.name for house in EVERY_ATTACK] if os.environ.get("KAKURENBO_TEST_KIT") else ["re-totals"]


def round_with_kit(contest: Contest | None = None) -> Round:
    now, day = timezone.now(), datetime.timedelta(days=1)
    kinds = (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)
    return make_round(
        contest,
        phases=[(kind, now - day, now + day) for kind in kinds],
        attacks=ATTACKS,
        seed=20161101,
    )


def kit_bytes(round_: Round) -> bytes:
    with build.open_stored_kit(round_) as file:
        return file.read()


def forget_kits() -> None:
    storage = storages["default"]
    if storage.exists("kits"):
        for name in storage.listdir("kits")[1]:
            storage.delete(f"kits/{name}")


def unpacked(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    (inside,) = folder.iterdir()
    return inside


def test_a_kit_holds_all_that_a_team_needs(client: Client, tmp_path: Path) -> None:
    round_ = round_with_kit()
    answer = client.get(f"{round_.get_absolute_url()}kit.zip")
    assert answer.status_code == 200
    folder = unpacked(answer.getvalue(), tmp_path)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    readable = {"README.md", "README.ja.md", "RULES.md", "RULES.ja.md", "round.json", "notebook.ipynb"}
    assert names >= readable | {"data/M.csv", "data/T.csv", "reidentify.py", "library/versions.txt"}
    assert {f"samples/shuffle/{part}.csv" for part in "MTP"} <= names
    assert f"library/{library().wheel_name}" in names
    rules = (folder / "RULES.md").read_text(encoding="utf-8")
    for limit in round_.limits:
        assert f"| {limit['measure']} |" in rules
    assert "キット" in (folder / "README.ja.md").read_text(encoding="utf-8")
    wheel = zipfile.ZipFile(folder / "library" / library().wheel_name)
    assert not [name for name in wheel.namelist() if {"contest", "config"} & set(name.split("/"))]


def test_the_seed_of_the_house_attacks_is_in_the_kit_only_after_the_reveal(tmp_path: Path) -> None:
    round_ = round_with_kit()
    before = kit_bytes(round_)
    with zipfile.ZipFile(io.BytesIO(before)) as archive:
        assert not [name for name in archive.namelist() if b"20161101" in archive.read(name)]
    Round.objects.filter(pk=round_.pk).update(revealed_at=timezone.now())
    round_.refresh_from_db()
    folder = unpacked(kit_bytes(round_), tmp_path)
    assert json.loads((folder / "round.json").read_text(encoding="utf-8"))["seed"] == 20161101


def test_the_same_round_gives_the_same_bytes_and_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = round_with_kit()
    first = kit_bytes(round_)
    forget_kits()
    assert kit_bytes(round_) == first

    def fail(*arguments: Any) -> bytes:
        raise AssertionError("the kit was built again")

    monkeypatch.setattr(build, "_build", fail)
    assert kit_bytes(round_) == first


def test_the_kit_of_a_hidden_contest_is_not_for_strangers(client: Client) -> None:
    round_ = round_with_kit(make_contest(is_public=False))
    assert client.get(f"{round_.get_absolute_url()}kit.zip").status_code == 404


def program_of(notebook: Path) -> str:
    """The cells of a notebook that hold code, one after the other."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def served(round_: Round, kit: Path) -> Entry:
    """An entry through upload, check, score and attack on the server; the kit gets the same files."""
    files = entry_files("swap", seed=3)
    (kit / "mine").mkdir()
    for name, content in files.items():
        (kit / "mine" / name).write_bytes(content)
    entry = make_entry(round_, make_team(round_.contest), files)
    work_off()
    entry.refresh_from_db()
    return entry


@pytest.mark.slow
def test_on_a_machine_without_the_project_the_kit_says_what_the_server_says(tmp_path: Path) -> None:
    try:
        choose_backend("auto")
    except NoSandbox as error:
        missing(f"sandbox absent: {error}")
    round_ = round_with_kit()
    Round.objects.filter(pk=round_.pk).update(revealed_at=timezone.now())
    round_.refresh_from_db()
    (tmp_path / "kit").mkdir()
    kit = unpacked(kit_bytes(round_), tmp_path / "kit")
    machine = fresh_environment(tmp_path / "venv")
    machine.install(next((kit / "library").glob("*.whl")))
    look = (
        "import kakurenbo; kakurenbo.activate()\n"
        "import importlib.util as u, datasets; print(datasets.__file__, u.find_spec('contest'))"
    )
    where = machine.run("python", "-c", look, cwd=kit)
    assert where.startswith(str(tmp_path / "venv"))
    assert where.strip().endswith("None")
    machine.add_stand_ins("attacks", "datasets", "scoring")
    installed = machine.run("kakurenbo", "--version", cwd=kit).strip()
    assert library().wheel_name == f"{installed.replace(' ', '-')}-py3-none-any.whl"
    assert installed.startswith(f"kakurenbo {metadata.version('kakurenbo')}+kit.")

    entry = served(round_, kit)
    with find_game("2016").template.open("rb") as file:
        program = submitted.put(file)
    attacker = make_team(round_.contest)
    attack = submit_program(round_, attacker, attacker.memberships.get().user, program)
    work_off()

    def said(*words: str) -> Any:
        return json.loads(machine.run("kakurenbo", "kit", *words, "--json", cwd=kit))

    scored = said("score", "mine")
    assert (scored["valid"], scored["utility"]) == (entry.state == Entry.State.VALID, entry.utility)
    assert scored["measures"] == entry.measures
    assert entry.utility not in (0, 100)
    found = said("attack", "mine")
    runs = {run.attack.name: run for run in AttackRun.objects.filter(entry=entry, attack__team=None)}
    assert set(found["attacks"]) == set(runs) == set(ATTACKS)
    own = said("attack", "mine", "--by", "./reidentify.py")
    runs["./reidentify.py"] = AttackRun.objects.get(entry=entry, attack=attack)
    for name, judged in (found["attacks"] | own["attacks"]).items():
        run = runs[name]
        assert run.state == AttackRun.State.DONE, run.reason
        assert judged["rate"] == run.risk, name
        for fact in ("low", "high", "baseline"):
            assert judged[fact] == getattr(run, fact), f"{name}: {fact}"
        for fact in ("hits", "expected_hits"):
            assert judged[fact] == run.numbers[fact], f"{name}: {fact}"
    machine.run("python", "-c", program_of(kit / "notebook.ipynb"), cwd=kit)
    assert (kit / "my-entry" / "T.csv").is_file()


def test_a_folder_that_is_no_kit_and_an_entry_that_breaks_the_rules_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kit", "check", "nowhere", "--kit", str(tmp_path)]) == 2
    assert "round.json" in capsys.readouterr().err
    kit = unpacked(kit_bytes(round_with_kit()), tmp_path)
    broken = kit / "samples" / "identity"
    (broken / "P.csv").write_bytes(b"1\n" * 12)
    assert main(["kit", "score", str(broken), "--kit", str(kit)]) == 1
    assert "P.csv, line 2" in capsys.readouterr().out
    assert main(["kit", "attack", str(kit / "samples/shuffle"), "--kit", str(kit), "--by", "re-nothing"]) == 2
    assert "re-nothing" in capsys.readouterr().err


def test_the_notebook_loads_looks_hides_scores_attacks_and_plots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cells run in their order, in the folder of the kit, and give the numbers of the server."""
    round_ = round_with_kit()
    kit = unpacked(kit_bytes(round_), tmp_path)
    monkeypatch.chdir(kit)
    known: dict[str, Any] = {}
    exec(program_of(kit / "notebook.ipynb"), known)  # this is the notebook that we made
    assert {path.name for path in (kit / "plots").iterdir()} == {"rows.svg", "attacks.svg", "map.svg"}
    for path in (kit / "plots").iterdir():
        assert ElementTree.parse(path).getroot().tag.endswith("svg")  # as above
    files = {name: (kit / "my-entry" / name).read_bytes() for name in ("M.csv", "T.csv", "P.csv")}
    entry = make_entry(round_, make_team(round_.contest), files)
    work_off()
    entry.refresh_from_db()
    assert known["mine"]["utility"] == entry.utility == known["places"]["my-entry"][0]
    assert set(known["places"]) == {"identity", "shuffle", "my-entry"}
    assert set(known["hits"]) == set(ATTACKS)


def test_the_rules_in_the_kit_are_those_of_the_page(client: Client, tmp_path: Path) -> None:
    """What the page of the rules says in a language, the file in that language says too."""
    round_ = round_with_kit()
    kit = unpacked(kit_bytes(round_), tmp_path)
    for language, name in (("en", "RULES.md"), ("ja", "RULES.ja.md")):
        said = (kit / name).read_text(encoding="utf-8")
        answer = client.get(f"{round_.get_absolute_url()}rules/", headers={"Accept-Language": language})
        context = answer.context
        with override(language):
            wanted = [
                *(say(row["measure"].title) for row in context["limits"]),
                *(say(row["measure"].meaning) for row in context["limits"]),
                *(str(row["measure"].reference) for row in context["limits"]),
                *(say(sentence) for sentence in context["text"].fixed),
                *(say(sentence) for sentence, _allowed in context["file_rules"]),
                *(say(tie_break) for tie_break in context["ranking"].tie_breaks),
                *(say(attack.meaning) for attack in context["attacks"]),
                say(context["ranking"].title),
                say(context["ranking"].formula),
            ]
        assert [text for text in wanted if text not in said] == []
        for number in (round_.attacks_per_day, round_.entries_per_day, round_.entries_in_total):
            assert str(number) in said


def test_every_house_attack_finds_the_same_in_the_kit_and_on_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the same bytes and with the seed of the round, the command line and the site give one figure."""
    names = [house.name for house in EVERY_ATTACK]
    now, day = timezone.now(), datetime.timedelta(days=1)
    phases = [(kind, now - day, now + day) for kind in (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)]
    round_ = make_round(phases=phases, attacks=names, seed=20161101)
    kit = unpacked(kit_bytes(round_), tmp_path)
    entry = served(round_, kit)
    words = ["kit", "attack", str(kit / "mine"), "--kit", str(kit), "--seed", "20161101", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)["attacks"]
    runs = AttackRun.objects.filter(entry=entry).select_related("attack")
    assert {run.attack.name: run.numbers["hits"] for run in runs} == {
        name: judged["hits"] for name, judged in found.items()
    }
    assert {run.attack.name: run.risk for run in runs} == {name: one["rate"] for name, one in found.items()}
    assert set(found) == set(names)
