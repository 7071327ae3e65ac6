"""Write the archive of a contest. The same contest gives the same bytes, whatever its primary keys are."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from contest.archive.pages import static_pages
from contest.archive.rows import Row, rows_of
from contest.archive.tables import PERSON, TABLES
from contest.archive.zips import ArchiveWriter, line
from contest.board import queries
from contest.bundle.writing import bundle_text
from contest.errors import Refused
from contest.files.db_snapshot import snapshot
from contest.models import Contest, Job
from contest.records import verify
from contest.services.bundles import export_bundle
from games.formats.attacks import EVERY_ATTACK
from games.formats.measures import EVERY_MEASURE
from games.formats.methods import EVERY_ANONYMIZER

PACKAGES = ("numpy", "pandas", "scipy", "scikit-learn", "numba", "highspy")
README = """\
This is the archive of the contest "{title}" ({slug}), written by Kakurenbo {version}.

verify.py     checks all that follows with nothing but Python:  python3 verify.py {slug}.zip
manifest.json the length and the sha256 of every file, versions, and which files are withheld
bundle/       the contest as it was set up: `kakurenbo contest create` makes a new one of it
pages/        the boards as web pages: open pages/index.html
results/      the boards as JSON
overall.csv   the overall result of all rounds; overall.json has the rule and the awards too
rows/         every row of the database that belongs to the contest, one JSON object a line
files/        data, entries, truths, guesses and programs, named by their sha256

Teams that did not consent are there with their results and the hashes of their files only.
`python manage.py contest_import {slug}.zip --organiser NAME --rescore` brings the contest back to life and
measures everything again.
"""


def write_archive(contest: Contest, target: IO[bytes]) -> dict[str, Any]:
    """Write the zip; returns its manifest. Refused while work on the contest is under way."""
    with snapshot():
        _require_rest(contest)
        rows = rows_of(contest)
        exported = export_bundle(contest)
        pages = static_pages(contest)
    stores, withheld = _files(rows)
    stores |= dict.fromkeys(exported.files.values(), "entries")
    texts = {
        "README.txt": README.format(title=contest.title, slug=contest.slug, version=settings.VERSION),
        "verify.py": Path(verify.__file__).read_text(encoding="utf-8"),
        "bundle/contest.yaml": bundle_text(exported.bundle),
        **{f"rows/{table}.jsonl": "".join(map(line, found)) for table, found in rows.items()},
        **pages,
    }
    with ArchiveWriter(target) as writer:
        for name in sorted(texts):
            writer.add(name, [texts[name].encode("utf-8")])
        for name, sha256 in sorted(exported.files.items()):
            writer.add_file(f"bundle/{name}", sha256, "entries")
        for sha256 in sorted(stores):
            writer.add_file(f"files/{sha256}", sha256, stores[sha256])
        return writer.finish(_manifest(contest, sorted(withheld - set(stores))))


def _require_rest(contest: Contest) -> None:
    counts = queries.job_counts(contest)
    count = counts.get(Job.State.QUEUED, 0) + counts.get(Job.State.RUNNING, 0)
    if count:
        raise Refused(
            "under-way",
            f"{count} jobs of this contest are waiting or running. Write the archive when they are done.",
        )


def _files(rows: Mapping[str, list[Row]]) -> tuple[dict[str, str], set[str]]:
    """The files to be archived and the store of each; and those that teams withhold."""
    wanted: dict[str, str] = {}
    withheld: set[str] = set()
    silent = {row["id"] for row in rows["team"] if not row["in_archive"]}
    teams = {name: {row["id"]: row.get("team") for row in rows[name]} for name in ("attack", "entry")}
    for table in TABLES:
        # A run belongs to who attacks, a secret to whose entry it is about; the files of rounds and seats are
        # the organisers'. What the judge kept about a run is about both.
        owner = {"attackrun": "attack", "sealed": "entry"}.get(table.name)
        for row in rows[table.name]:
            team = teams[owner].get(row[owner]) if owner else row.get("team")
            attacked = teams["entry"].get(row["entry"]) if table.name == "attackrun" else None
            for sha256, store in table.files_in(row):
                if team in silent or (store == "vault" and attacked in silent):
                    withheld.add(sha256)
                else:
                    wanted[sha256] = store
    for row in rows["dataset"]:
        wanted |= dict.fromkeys(row["source"].get("stored", {}).values(), "entries")
    return wanted, withheld


def _manifest(contest: Contest, withheld: list[str]) -> dict[str, Any]:
    return {
        verify.KIND: verify.FORMATS[-1],
        "contest": contest.slug,
        "withheld": withheld,
        "tables": [PERSON, *(table.name for table in TABLES)],
        "references": {table.name: table.references for table in TABLES},
        "file_columns": {table.name: sorted(table.files) for table in TABLES if table.files},
        "file_maps": {table.name: sorted(table.maps) for table in TABLES if table.maps},
        "versions": {
            "kakurenbo": settings.VERSION,
            "python": platform.python_version(),
            "packages": {name: metadata.version(name) for name in PACKAGES},
            "measures": {it.name: it.version for it in EVERY_MEASURE},
            "attacks": {it.name: it.version for it in EVERY_ATTACK},
            "anonymizers": {it.name: it.version for it in EVERY_ANONYMIZER},
        },
    }
