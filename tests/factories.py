"""People, teams, contests and entries for tests, made through the services wherever there is one."""

from __future__ import annotations

import datetime
import io
import itertools
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from contest.files import vault
from contest.models import Contest, Entry, Job, Phase, Round, Team, User
from contest.services.contests import create_contest, create_round
from contest.services.datasets import register_dataset
from contest.services.entries import submit_entry
from contest.services.teams import create_team
from games.shop.data.folder import write_release
from games.shop.data.generate import generate
from games.shop.data.tables import PurchaseData
from games.shop.methods.registry import run_anonymizer
from scoring.rules import Limit

PASSWORD = "correct horse battery"
LIMITS = (
    Limit("ut-jaccard", "<=", 0.9),
    Limit("subset", "<=", 1e9),
    Limit("cmae", "<=", 1e6),
    Limit("rfm", "<=", 100.0),
)
_numbers = itertools.count(1)


@lru_cache
def small_data(n_customers: int = 12, seed: int = 7) -> PurchaseData:
    return generate(n_customers, seed=seed)


def make_user(name: str = "", **fields: Any) -> User:
    name = name or f"person{next(_numbers)}"
    return User.objects.create_user(name, f"{name}@example.org", PASSWORD, **fields)


def make_contest(organiser: User | None = None, slug: str = "", **fields: Any) -> Contest:
    return create_contest(
        organiser or make_user(),
        slug=slug or f"contest{next(_numbers)}",
        title=fields.pop("title", "Hide and seek"),
        summary="A contest for tests.",
        is_public=fields.pop("is_public", True),
        **fields,
    )


def make_round(contest: Contest | None = None, *, data: PurchaseData | None = None, **fields: Any) -> Round:
    """A round whose anonymise phase is open now."""
    contest = contest or make_contest()
    organiser = contest.organisers.select_related("user").get().user
    now = timezone.now()
    day = datetime.timedelta(days=1)
    return create_round(
        contest,
        organiser,
        slug=fields.pop("slug", "practice"),
        name=fields.pop("name", "Practice"),
        dataset=register_dataset("Small", data or small_data()),
        limits=fields.pop("limits", LIMITS),
        attacks=fields.pop("attacks", ["re-itemset"]),
        # Ties are drawn alike in every run of a test.
        seed=fields.pop("seed", 0),
        feedback=fields.pop("feedback", "full"),
        attacks_in_total=fields.pop("attacks_in_total", None),
        all_targets=fields.pop("all_targets", False),
        phases=fields.pop(
            "phases",
            [(Phase.Kind.ANONYMISE, now - day, now + day), (Phase.Kind.RESULTS, now + day, now + 2 * day)],
        ),
        **fields,
    )


def make_team(contest: Contest, name: str = "", captain: User | None = None, track: str = "") -> Team:
    return create_team(contest, captain or make_user(), name or f"Team {next(_numbers)}", track)


@lru_cache
def entry_files(method: str = "shuffle", seed: int = 1, data: PurchaseData | None = None) -> dict[str, bytes]:
    """M.csv, T.csv and P.csv of a legal entry."""
    made = run_anonymizer(method, data or small_data(), {}, seed, {})
    with tempfile.TemporaryDirectory() as folder:
        write_release(Path(folder), made.release)
        return {name: (Path(folder) / name).read_bytes() for name in ("M.csv", "T.csv", "P.csv")}


def as_zip(files: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in files.items():
            bundle.writestr(name, content)
    return archive.getvalue()


def make_entry(round_: Round, team: Team, files: dict[str, bytes] | None = None, **fields: Any) -> Entry:
    files = entry_files() if files is None else files
    upload = vault.keep_parts(
        {name: io.BytesIO(content) for name, content in files.items()}, settings.UPLOAD_MAX_BYTES
    )
    member = team.memberships.select_related("user").first()
    return submit_entry(round_, team, member.user if member else None, upload, **fields)


def work_off(limit: int = 200) -> int:
    """Do all queued jobs in this process, as a worker would; returns how many."""
    from contest.work.handlers import work_on

    for done in range(limit):
        job = Job.objects.filter(state=Job.State.QUEUED).order_by("id").first()
        if job is None:
            return done
        work_on(Job.Kind(job.kind))
    raise AssertionError(f"more than {limit} jobs")
