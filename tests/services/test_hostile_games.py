"""Hostile games through the server: an organiser uploads one, teams play it, and it gets nobody anything.

What can be seen in the zip is refused at once, in words. What only running shows ends the job for good: the
organisers read a word and the log, teams a neutral sentence; no page fails, no job is stuck, nothing leaks.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from attacks.sandbox import run_files
from contest.models import Attack, Contest, Entry, GamePackage, Job, Round, StoredBoard
from contest.models.round import BuildState
from contest.play import packages
from datasets.zip_writer import zipped
from games.contract.game import Game
from games.loading import declared_in
from games.sandboxed import LIMITS, SandboxedGame
from games.zips import pack
from tests.attacks.sandbox.conftest import sandbox as sandbox_fixture
from tests.factories import make_contest, make_entry, make_team, work_off
from tests.game_rounds import answer, make_game_round
from tests.game_versions import MINI
from tests.games.hostile import EVERY, Hostile
from tests.games.test_hostile import SMALL

sandbox = sandbox_fixture
pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.once]

SECRET = "only-this-game-may-read-it"
YAML, CODE = (MINI / "game.yaml").read_bytes(), (MINI / "game.py").read_bytes()
ENTRY = {"up.csv": b"x,y\na,1\nb,2\n"}


def member(name: str, content: bytes, mode: int = 0o100644, **fields: Any) -> bytes:
    """A game with one more member of a kind."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for known, text in {"game.yaml": YAML, "game.py": CODE}.items():
            archive.writestr(known, text)
        info = zipfile.ZipInfo(name)
        info.filename, info.external_attr, info.compress_type = name, mode << 16, zipfile.ZIP_DEFLATED
        archive.writestr(info, content)
    return target.getvalue()


def declared(old: str, new: str) -> bytes:
    """A game that declares something else."""
    assert old in YAML.decode()
    return zipped({"game.yaml": YAML.decode().replace(old, new, 1).encode(), "game.py": CODE})


COLUMNS = ", ".join(f"{{name: c{n}}}" for n in range(100_000))
ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)
REFUSED: dict[str, Callable[[], bytes]] = {
    "a zip bomb": lambda: member("zeros.bin", bytes(80 << 20)),
    "a path outside": lambda: member("../../escaped.py", b"x"),
    "an absolute path": lambda: member("/escaped.py", b"x"),
    "a path of Windows": lambda: member("..\\escaped.py", b"x"),
    "a symbolic link": lambda: member("link", b"/etc/passwd", stat.S_IFLNK | 0o777),
    "a device": lambda: member("device", b"", stat.S_IFCHR | 0o666),
    "a pipe": lambda: member("pipe", b"", stat.S_IFIFO | 0o666),
    "a file twice but for its letters": lambda: member("Game.py", b"import os"),
    "three thousand files": lambda: zipped(
        {"game.yaml": YAML, "game.py": CODE, **{f"{n}.txt": b"" for n in range(3000)}}
    ),
    "a hundred thousand columns": lambda: declared(
        "[{name: age, kind: int, span: [0, 120]}]", f"[{COLUMNS}]"
    ),
    "aliases that multiply": lambda: zipped({"game.yaml": ALIASES.encode() + YAML, "game.py": CODE}),
    "a tag that runs code": lambda: zipped(
        {"game.yaml": b"!!python/object/apply:os.system [id]\n", "game.py": CODE}
    ),
    "lists without end": lambda: zipped({"game.yaml": b"[" * 100_000, "game.py": CODE}),
    "a name with a path": lambda: declared("name: mini", "name: ../pair"),
    "markup as a name": lambda: declared("name: mini", "name: <script>"),
    "a file of the house's kind": lambda: declared('"{target}.csv"', '"../{target}.csv"'),
    "bytes that are no text": lambda: zipped({"game.yaml": b"\xff\xfe\x00", "game.py": CODE}),
}
"""What an upload is refused for, before anything of it runs."""

RUNNING = (
    "reads the passwords",
    "keeps running",
    "writes ten gigabytes",
    "floods its log",
    "ends without an answer",
    "answers by a link",
    "climbs out of the folder",
    "takes a word of the platform",
    "gives no number",
    "ranks a team of another contest",
    "has a board of ten thousand columns",
    "covers the target of another round",
    "tells the secret as a quoted cell",
    "tells the secret in an exception",
)
"""Kinds that show when a verb runs, out of `tests.games.hostile`, where all of them are tried."""


def test_there_are_at_least_thirty_kinds() -> None:
    assert set(RUNNING) <= set(EVERY)
    assert len(REFUSED) + len(RUNNING) >= 30


@pytest.fixture
def contest() -> Contest:
    return make_contest(slug="arena")


def organiser_of(contest: Contest) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(contest.organisers.select_related("user").get().user)
    return client


def uploaded(contest: Contest, content: bytes) -> Any:
    given = {"game": SimpleUploadedFile("game.zip", content, "application/zip")}
    return organiser_of(contest).post(reverse("organise_upload_game", args=[contest.slug]), given)


@pytest.mark.parametrize("kind", REFUSED)
def test_what_can_be_seen_in_the_zip_is_refused_in_words(kind: str, contest: Contest) -> None:
    page = uploaded(contest, REFUSED[kind]())
    text = page.content.decode()
    assert page.status_code == 422, text[:500]
    assert text.count("errorlist") == 1
    said = text.partition("errorlist")[2].partition("</ul>")[0]
    assert "game" in said and "Traceback" not in text
    assert len(text) < 100_000, "the refusal does not repeat the upload"
    assert not GamePackage.objects.exists() and not Job.objects.exists()
    assert not list(Path(settings.VAR).rglob("escaped.py"))


def test_a_game_with_the_name_of_an_installed_one_replaces_nothing(contest: Contest) -> None:
    installed = packages.installed_package("membership")
    before = packages.declaration_of(installed)
    assert uploaded(contest, declared("name: mini", "name: membership")).status_code == 302
    assert packages.installed_package("membership") == installed
    assert packages.declaration_of(installed) == before
    mine = GamePackage.objects.get(contest=contest)
    assert (mine.is_uploaded, mine.pk == installed.pk) == (True, False)


@pytest.fixture
def _small_limits(monkeypatch: pytest.MonkeyPatch, sandbox: str) -> None:
    """The sandbox as the server uses it, with less of everything."""

    @lru_cache
    def caged(sha256: str, zip_sha256: str, declaration: str) -> Game:
        folder = packages._unpacked(sha256, zip_sha256)
        run = partial(run_files, accept_uncounted=True)
        limits = dict.fromkeys([*LIMITS, "measure", "cover", "judge"], SMALL)
        return SandboxedGame(folder, declared_in(declaration.encode(), "game"), run, limits, identity=sha256)

    monkeypatch.setattr(packages, "_sandboxed", caged)


def ready(contest: Contest, hostile: Hostile, place: Path) -> GamePackage:
    """Upload a game by the page, and take it as tried: laws need not find what is hidden well."""
    facts = {"truth": "/nowhere", "other": "/nowhere", "database": "/nowhere", "secret": "x"}
    assert uploaded(contest, pack(hostile.written(place, facts))).status_code == 302
    package = GamePackage.objects.get(contest=contest)
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    package.refresh_from_db()
    return package


def team_pages(round_: Round) -> Iterator[str]:
    """Everything that a team reads of its round: pages, the API's answers, downloads."""
    url, api = round_.get_absolute_url(), f"/api/v1/contests/{round_.contest.slug}/rounds/{round_.slug}/"
    yield from (url + name for name in ("", "matrix/", "rules/", "data/", "upload/", "seek/", "board.json"))
    yield from (api + name for name in ("", "game/", "boards/", "files/", "matrix/"))
    for entry in Entry.objects.filter(round=round_):
        yield from (f"{url}entries/{entry.pk}/", f"{api}entries/{entry.pk}/")
    for attack in Attack.objects.filter(round=round_):
        yield from (f"{url}attacks/{attack.pk}/", f"{api}attacks/{attack.pk}/")


@pytest.mark.parametrize("kind", RUNNING)
@pytest.mark.usefixtures("_small_limits")
def test_what_shows_while_it_runs_ends_in_words_for_organisers_alone(
    kind: str, contest: Contest, tmp_path: Path
) -> None:
    hostile = EVERY[kind]
    package = ready(contest, hostile, tmp_path / "hostile")
    teams = [make_team(contest, name) for name in ("Aki", "Haru")]
    round_ = make_game_round(contest, package, {"people.csv": f"x\n{SECRET}\n".encode()})
    if round_.build_state == BuildState.READY:
        for team in teams:
            make_entry(round_, team, ENTRY)
        work_off()
        if Entry.objects.filter(round=round_, is_official=True).exists():
            answer(round_, teams[0], {"guess.csv": b"x\na\n"})
            work_off()
    assert not Job.objects.filter(state__in=Job.OPEN).exists(), "a job is stuck"
    broken = Job.objects.filter(state=Job.State.FAILED)
    assert broken.exists() == (hostile.codes != ("",)), list(Job.objects.values("kind", "state", "error"))
    for job in broken:
        assert any(f"[{code}]" in job.error for code in hostile.codes), job.error
        assert job.attempts == 1, "it is not tried again and again"
    captain = teams[0].memberships.select_related("user").get().user
    player, visitor = Client(raise_request_exception=False), Client(raise_request_exception=False)
    player.force_login(captain)
    for client in (player, visitor):
        for path in team_pages(round_):
            page: Any = client.get(path)
            body = b"".join(page.streaming_content) if page.streaming else page.content
            assert page.status_code < 500, path
            for secret in (SECRET, "Traceback", "denied", "ESCAPED", "/call/", "bad-refusal"):
                assert secret.encode() not in body, (secret, path)
    if broken.exists():
        organisers_words(contest, round_, broken.latest("pk"))
    assert all(len(board.columns) < 1000 for board in StoredBoard.objects.filter(round=round_))


def organisers_words(contest: Contest, round_: Round, job: Job) -> None:
    """Organisers find the job, and what the game wrote."""
    client = organiser_of(contest)
    place = [contest.slug, round_.slug]
    pages = [
        reverse("organise_operations", args=[contest.slug]),
        reverse("organise_game_data", args=place),
    ]
    text = "".join(client.get(path).content.decode() for path in pages)
    word = job.error.splitlines()[0].partition(" [")[0]
    assert word[:30] in text.replace("&#x27;", "'").replace("&quot;", '"'), (word, text[-3000:])
