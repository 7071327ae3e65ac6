"""Contests in the formats of 2017 and 2018, from the bundle to the board, through pages and jobs."""

from __future__ import annotations

import datetime
import hashlib
import io
import re
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import queries
from contest.bundle.check import check_bundle
from contest.bundle.specification import Bundle, moved
from contest.bundle.writing import bundle_text
from contest.errors import Refused
from contest.files.storage import submitted
from contest.models import AttackRun, Contest, Entry, Round, Team
from contest.services.attacks import add_house_attack
from contest.services.bundles import create_from_bundle, export_bundle
from contest.services.datasets import load_original
from contest.services.house import request_house_entry
from contest.services.team_attacks import submit_guesses, try_program
from contest.work.verification import recount
from games.formats.presets import preset_names, preset_text
from games.shop.guessing import find_game
from games.shop.methods.registry import run_anonymizer
from tests.factories import as_zip, make_team, make_user, work_off
from tests.services.test_offence import member, need_sandbox

pytestmark = pytest.mark.django_db

REAL_2017 = {
    "master": "M.csv",
    "transactions": "T.csv",
    **{f"T{share}": f"T{share}.txt" for share in (25, 50, 75, 100)},
}


@pytest.fixture(autouse=True)
def same_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """With seeds drawn in secret, which house entries are valid would be a matter of luck."""
    monkeypatch.setattr("contest.services.house.secret_seed", lambda: 1)
    monkeypatch.setattr("contest.services.bundles.secret_seed", lambda: 2016)


def checked(text: str) -> Bundle:
    result = check_bundle(text)
    assert result.problems == ()
    assert result.bundle is not None
    return result.bundle


def play(text: str, open_file: Callable[[str], IO[bytes]] = lambda name: io.BytesIO()) -> Contest:
    """The contest of a bundle, begun a moment ago, its practice open for hiding and seeking at once."""
    bundle = moved(checked(text), timezone.now() - datetime.timedelta(hours=1))
    contest = create_from_bundle(bundle, make_user("oni"), open_file)
    work_off()
    return contest


def practice(name: str) -> str:
    """The practice round of a preset, for everybody to see."""
    text = preset_text(name).replace("public: false", "public: true")
    return re.sub(r"(?s)- slug: final.*", "", text)


def small(name: str, *, house: bool = True) -> str:
    """The practice round of a preset on 30 customers, with or without the house's entries."""
    text = re.sub(r"(\bcustomers:) \d+", r"\1 30", practice(name))
    return text if house else re.sub(r"(?s)  baselines:\n.*?  ranking", "  ranking", text)


def hand_in(client: Client, round_: Round, team: Team, files: dict[str, Any]) -> Entry:
    client.force_login(member(team))
    answer = client.post(reverse("upload", args=[round_.contest.slug, round_.slug]), files)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    work_off()
    return Entry.objects.filter(team=team).latest("pk")


def pages(round_: Round, entry: Entry) -> list[str]:
    place = [round_.contest.slug, round_.slug]
    names = ("leaderboard", "dataset", "rules", "upload", "seek", "matrix")
    return [reverse(name, args=place) for name in names] + [entry.get_absolute_url()]


@pytest.fixture
def real_2017(shared_data: Path) -> tuple[str, Callable[[str], IO[bytes]]]:
    """The preset of 2017 on the contest's own files."""
    folder = shared_data / "pwscup2017"

    def described(part: str) -> str:
        content = (folder / REAL_2017[part]).read_bytes()
        return f"{{name: {REAL_2017[part]}, sha256: {hashlib.sha256(content).hexdigest()}}}"

    shares = ", ".join(
        f"{part}: {described(part)}" for part in REAL_2017 if part not in ("master", "transactions")
    )
    files = (
        f"    files:\n      master: {described('master')}\n"
        f"      transactions: {described('transactions')}\n      knowledge: {{{shares}}}\n"
    )
    generated = r"    generate:\n      customers: 500\n      seed: 2017\n"
    real, count = re.subn(generated, files, practice("pwscup2017"))
    assert count == 1
    # Without the house's own entries: the organisers' sample is what counts here.
    real = re.sub(r"(?s)  baselines:\n.*?  ranking", "  ranking", real)
    return real, lambda name: (folder / name).open("rb")


def test_the_contest_of_2017_on_its_own_data_gives_its_published_utility(
    real_2017: tuple[str, Callable[[str], IO[bytes]]], shared_data: Path, client: Client
) -> None:
    """max E = 0.947189 was published; S6 depends on the order of S, and 0.3415 is that of the canonical one.

    The seven values of E and all of S are checked against the organisers' programs in the tests of measures.
    """
    contest = play(*real_2017)
    round_ = contest.rounds.get()
    assert (round_.dataset.n_people, round_.dataset.fact["purchases"]) == (500, 44_917)
    exported = export_bundle(contest)
    assert exported.bundle == moved(checked(real_2017[0]), exported.bundle.starts_at)
    assert bundle_text(checked(bundle_text(exported.bundle))) == bundle_text(exported.bundle)

    team = make_team(contest, "Organisers")
    sample = shared_data / "pwscup2017" / "AT_sample.csv"
    with sample.open("rb") as file:
        entry = hand_in(client, round_, team, {"released": file})
    assert (entry.state, entry.problems, entry.n_people) == ("valid", [], 500)
    published = {"e1": 0.946782, "e2": 0.947189, "e3a": 0.21, "e3b": 0.657265, "e4": 0, "e5": 0, "e6": 0.5}
    assert entry.measures == pytest.approx(published, abs=5e-7)
    rates = dict(AttackRun.objects.filter(entry=entry).values_list("attack__name", "risk"))
    assert rates["s6"] == pytest.approx(0.3415, abs=1e-12)
    assert (entry.strongest_attack, entry.risk) == ("s6", rates["s6"]) == ("s6", max(rates.values()))
    (row,) = queries.board(round_, None, show_attacks=True)
    assert row.total == pytest.approx((0.947189 + 0.3415) / 2, abs=5e-7)

    # F_sample.csv is the organisers' own table of who is who. It gives a pseudonym also to 26 months of which
    # A(T) kept no row, where nobody can know one; with DEL there, as in other empty months, all is right.
    seeker = make_team(contest, "Seekers")
    table = (shared_data / "pwscup2017" / "F_sample.csv").read_text()
    assert _judged(round_, seeker, entry, table).state == "refused"
    shown = {line.split(",")[0] for line in sample.read_text().splitlines()}
    rows = [line.split(",") for line in table.splitlines()]
    empty = sum(name not in shown for row in rows for name in row[1:])
    assert empty == 26
    told = "".join(
        ",".join([row[0], *(name if name in shown else "DEL" for name in row[1:])]) + "\n" for row in rows
    )
    run = _judged(round_, seeker, entry, told)
    assert (run.state, run.hits, run.guesses) == ("done", 500, 500), run.reason
    client.force_login(member(seeker))
    answer = client.get(reverse("targets", args=[contest.slug, round_.slug]))
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:  # type: ignore[arg-type]
        assert archive.namelist() == [f"{entry.pk}/S.csv"]
        lines = archive.read(f"{entry.pk}/S.csv").splitlines()
    kept = [line for line in sample.read_bytes().splitlines() if not line.startswith(b"DEL")]
    assert sorted(lines) == sorted(kept)


def _judged(round_: Round, team: Team, entry: Entry, text: str) -> AttackRun:
    attack = submit_guesses(round_, team, member(team), {entry.pk: io.BytesIO(text.encode())})
    work_off()
    return attack.runs.get()


def made_2018(round_: Round, seed: int) -> tuple[bytes, dict[str, str]]:
    """An entry of the round, and who is who in it: the first cell of every line of T and of A."""
    spec, original = round_.dataset.spec, load_original(round_.dataset)
    with tempfile.TemporaryDirectory() as name:
        spec.write_original(Path(name), original)
        spec.write_entry(Path(name), run_anonymizer("numbers-only", original, {}, seed, {}).release)
        before, after = ((Path(name) / file).read_bytes() for file in ("T.csv", "A.csv"))
    lines = zip(before.decode().splitlines(), after.decode().splitlines(), strict=True)
    return after, {left.split(",")[0]: right.split(",")[0] for left, right in lines}


def claims(answers: dict[str, str], n: int, right: int) -> bytes:
    """n claims of which so many are right; the others name a pseudonym of somebody else."""
    people = sorted(answers)
    named = [answers[people[place if place < right else place - 1]] for place in range(n)]
    return "".join(f"{who},{name}\n" for who, name in zip(people, named, strict=False)).encode()


def test_the_verdict_of_2018_is_the_published_table(shared_data: Path, client: Client) -> None:
    """R.csv says how many right claims of n shoot an entry down; one less does not."""
    lines = (shared_data / "pwscup2018" / "R.csv").read_text().split()
    least = {int(n): int(k) for n, k in (line.split(",") for line in lines)}
    quiet = re.sub(r"  attacks: .*\n", "  attacks: []\n", small("pwscup2018", house=False))
    contest = play(quiet)
    round_ = contest.rounds.get(slug="practice")
    seeker = make_team(contest, "Seekers")

    def verdict_after(entry: Entry, content: bytes, right: int, n: int) -> str:
        submit_guesses(round_, seeker, member(seeker), {entry.pk: io.BytesIO(content)})
        work_off()
        run = AttackRun.objects.filter(attack__team=seeker, entry=entry).latest("pk")
        assert (run.state, run.hits, run.guesses) == ("done", right, n), run.reason
        rows = {row.entry_id: row for row in queries.board(round_, None, show_attacks=True)}
        return rows[entry.pk].verdict

    for n in (1, 6, 7, 12, 29):
        team = make_team(contest, f"Hiders {n}")
        content, answers = made_2018(round_, seed=n)
        entry = hand_in(client, round_, team, {"released": io.BytesIO(content)})
        assert (entry.state, entry.n_people) == ("valid", 30)
        most = min(n, least[n] - 1)
        assert verdict_after(entry, claims(answers, n, most), most, n) == ""
        if least[n] <= n:
            assert verdict_after(entry, claims(answers, n, least[n]), least[n], n) == "shot down"
            # A later attack that finds more people by claiming everybody does not take the verdict back.
            assert verdict_after(entry, claims(answers, n, most), most, n) == "shot down"
    board = queries.board(round_, None, show_attacks=True)
    assert [row.verdict for row in board] == ["", "", "shot down", "shot down", "shot down"]
    page = client.get(reverse("leaderboard", args=[contest.slug, round_.slug])).content.decode()
    assert page.count("shot down") >= 3


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_plays_from_upload_to_board_and_all_its_pages_answer(name: str, client: Client) -> None:
    contest = play(small(name))
    round_ = contest.rounds.get(slug="practice")
    house = Entry.objects.filter(round=round_)
    assert house.count() == 2
    assert set(house.values_list("state", flat=True)) <= {"valid", "invalid"}
    files = ENTRIES[name](round_)
    entry = hand_in(client, round_, make_team(contest, "By file"), files)
    assert entry.state == "valid", (entry.problems, entry.because)
    spec = round_.dataset.spec
    parts = {file.name: files[file.field] for file in spec.upload_files}
    for part in parts.values():
        part.seek(0)
    zipped = as_zip({file: part.read() for file, part in parts.items()})
    again = hand_in(client, round_, make_team(contest, "By zip"), {"archive": io.BytesIO(zipped)})
    assert (again.state, again.measures) == ("valid", entry.measures)
    runs = AttackRun.objects.filter(entry__round=round_)
    assert set(runs.values_list("state", flat=True)) == {"done"}
    for address in pages(round_, entry):
        answer = client.get(address)
        assert answer.status_code == 200, address
    for file, sha256 in round_.dataset.files.items():
        answer = client.get(reverse("dataset_download", args=[contest.slug, round_.slug, file]))
        assert hashlib.sha256(b"".join(answer)).hexdigest() == sha256  # type: ignore[arg-type]
    answer = client.get(reverse("template_program", args=[spec.name]))
    assert b"OUT_FILE" in b"".join(answer)  # type: ignore[arg-type]
    assert client.get(reverse("template_program", args=["1999"])).status_code == 404
    found = recount(contest)
    assert found.differences == [] and found.compared["measure"] >= len(round_.limits)


def _entry(round_: Round, method: str) -> dict[str, Any]:
    spec = round_.dataset.spec
    made = run_anonymizer(method, load_original(round_.dataset), {}, 4, {})
    with tempfile.TemporaryDirectory() as name:
        spec.write_entry(Path(name), made.release)
        return {file.field: io.BytesIO((Path(name) / file.name).read_bytes()) for file in spec.upload_files}


ENTRIES: dict[str, Callable[[Round], dict[str, Any]]] = {
    "pwscup2016": lambda round_: _entry(round_, "identity"),
    "pwscup2017": lambda round_: _entry(round_, "month-days"),
    "pwscup2018": lambda round_: _entry(round_, "starred-rows"),
}


@pytest.mark.parametrize(("name", "fault"), [("2017", "too-many-deleted"), ("2018", "value-not-covered")])
def test_files_that_break_the_rules_of_their_year_cost_no_attempt(
    name: str, fault: str, client: Client
) -> None:
    contest = play(small(f"pwscup{name}", house=False))
    round_ = contest.rounds.get(slug="practice")
    (field,) = [file.field for file in round_.dataset.spec.upload_files]
    content = ENTRIES[f"pwscup{name}"](round_)[field].getvalue().decode().splitlines()
    if name == "2017":
        content = ["DEL,,,,,,"] * (len(content) - 5) + content[-5:]
    else:
        content[0] = "100000,2009/1/1,*,*,*"
    sent = io.BytesIO(("\n".join(content) + "\n").encode())
    entry = hand_in(client, round_, make_team(contest, "Tanuki"), {field: sent})
    assert (entry.state, entry.costs_attempt) == ("invalid", False)
    assert entry.problems[0]["code"] == fault
    page = client.get(entry.get_absolute_url()).content.decode()
    assert fault in page


def test_what_belongs_to_another_format_is_refused() -> None:
    contest = play(small("pwscup2017", house=False))
    round_ = contest.rounds.get(slug="practice")
    with pytest.raises(Refused, match="re-itemset"):
        add_house_attack(round_, "re-itemset")
    with pytest.raises(Refused, match="swap"):
        request_house_entry(round_, None, "swap")


GENERATED = "    generate:\n      customers: 500\n      seed: 2017"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("measure: e1", "measure: ut-jaccard", "unknown-measure"),
        ("[s1, s2", "[re-itemset, s2", "unknown-attack"),
        ("method: year-pseudonyms", "method: swap", "unknown-method"),
        ("rules: {least-kept: 0.5}", "rules: {drop-rows: true}", "rule-of-another-format"),
        ('format: "2017"', 'format: "1999"', "bad-value"),
        (
            "    generate:\n      customers: 500\n      seed: 2017",
            "    files:\n      transactions: {FILE}",
            "missing-key",
        ),
    ],
)
def test_a_bundle_that_mixes_formats_is_told_by_line(old: str, new: str, code: str) -> None:
    text = preset_text("pwscup2017")
    file = f"{{name: T.csv, sha256: {'f' * 64}}}"
    result = check_bundle(text.replace(old, new.replace("{FILE}", file), 1))
    assert [problem.code for problem in result.problems] == [code]
    line = text[: text.index(old)].count("\n") + 1
    assert line - 2 <= (result.problems[0].line or 0) <= line + 3


def test_a_master_table_has_no_place_in_2018() -> None:
    file = f"{{name: T.csv, sha256: {'f' * 64}}}"
    files = f"    files:\n      master: {file}\n      transactions: {file}"
    text = preset_text("pwscup2018").replace("    generate:\n      customers: 1000\n      seed: 2018", files)
    assert [problem.code for problem in check_bundle(text).problems] == ["file-of-another-format"]


@pytest.mark.parametrize("name", ["2017", "2018"])
def test_the_template_of_each_year_finds_people_in_the_sandbox(name: str) -> None:
    need_sandbox()
    contest = play(small(f"pwscup{name}"))
    round_ = contest.rounds.get(slug="practice")
    team = make_team(contest, "Tanuki")
    with find_game(name).template.open("rb") as file:
        program = submitted.put(file)
    attack = try_program(round_, team, member(team), program)
    work_off()
    run = attack.runs.get()
    assert run.state == "done", (run.reason, run.log)
    # All 30 today.
    assert (run.hits or 0) >= 25


def test_organisers_are_offered_only_what_fits_their_data(client: Client) -> None:
    contest = play(small("pwscup2018", house=False))
    client.force_login(contest.organisers.get().user)
    page = client.get(reverse("organise_house", args=[contest.slug])).content.decode()
    assert "starred-rows" in page
    assert "itemset-clusters" not in page and "month-days" not in page
    answer = client.get(reverse("house_entry", args=[contest.slug]) + "?method=swap")
    assert answer.status_code == 302
