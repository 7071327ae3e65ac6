"""``kakurenbo contest``: check or rehearse a bundle; create, export, archive or import a contest."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from contest.bundle.files import open_bundle
from contest.bundle.specification import KNOWN_SEEDS
from games.formats.presets import preset_names, preset_text
from kakurenbo.installation import manage
from kakurenbo.main import UsageError

KEPT = {"KAKURENBO_GAMES"}
"""What a rehearsal keeps of the environment: where games are."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    line = "List everything that is wrong with a bundle, by line."
    check = acts.add_parser("check", help=line, description=line)
    check.add_argument("file", type=Path, metavar="FILE", help="YAML file, zip, or name of a preset")
    check.add_argument("--json", action="store_true", help="print the verdict as JSON")
    _add_rehearsal(acts)
    line = "Print a preset to start from."
    preset = acts.add_parser("preset", help=line, description=line)
    preset.add_argument("name", choices=preset_names())
    line = "Create a contest from a bundle."
    create = acts.add_parser("create", help=line, description=line)
    create.add_argument("file", metavar="FILE", help="YAML file, zip, or name of a preset")
    create.add_argument("--organiser", required=True, metavar="NAME", help="user name of the first organiser")
    create.add_argument("--slug", help="another address than the bundle's")
    create.add_argument("--known-seeds", action="store_true", help=KNOWN_SEEDS)
    create.add_argument("--starts", metavar="TIME", help="move the first phase to this time, with its zone")
    line = "Write a contest's bundle."
    export = acts.add_parser("export", help=line, description=line)
    export.add_argument("slug", metavar="SLUG")
    export.add_argument("--out", required=True, metavar="FILE", help="FILE.yaml or FILE.zip")
    line = "Write the archive of a contest: one zip that verifies itself."
    archive = acts.add_parser("archive", help=line, description=line)
    archive.add_argument("slug", metavar="SLUG")
    archive.add_argument("--out", required=True, metavar="FILE", help="FILE.zip")
    line = "Import a contest from its archive, beside the contests that are here."
    import_ = acts.add_parser("import", help=line, description=line)
    import_.add_argument("file", metavar="FILE", help="the zip")
    import_.add_argument("--organiser", required=True, metavar="NAME", help="user name of the organiser here")
    import_.add_argument("--slug", help="another address than the archive's")
    import_.add_argument("--rescore", action="store_true", help="compute every number again and compare")


def _add_rehearsal(acts: Any) -> None:
    line = "Play the contest of a bundle with invented teams, on a database that is thrown away."
    rehearse = acts.add_parser("rehearse", help=line, description=line)
    rehearse.add_argument("file", metavar="FILE", help="YAML file, zip, or name of a preset")
    rehearse.add_argument("--teams", type=int, default=20, metavar="N", help="how many play (%(default)s)")
    rehearse.add_argument("--seed", type=int, default=1, metavar="N", help="of their files (%(default)s)")
    rehearse.add_argument(
        "--workers", type=int, default=2, metavar="N", help="of the site, for the forecast (%(default)s)"
    )
    rehearse.add_argument(
        "--program-seconds",
        type=float,
        default=0.0,
        metavar="S",
        help="seconds of one program per team on each entry, for the forecast (%(default)s)",
    )
    rehearse.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.act == "check":
        return _check(arguments.file, arguments.json)
    if arguments.act == "rehearse":
        return _rehearse(arguments)
    if arguments.act == "preset":
        print(preset_text(arguments.name), end="")
        return 0
    if arguments.act == "create":
        options = {name: getattr(arguments, name) for name in ("organiser", "slug", "starts")}
        flags = ["--known-seeds"] * arguments.known_seeds
        return manage("contest_create", arguments.file, *flags, **options)
    if arguments.act == "import":
        options = {name: getattr(arguments, name) for name in ("organiser", "slug")}
        return manage("contest_import", arguments.file, *["--rescore"] * arguments.rescore, **options)
    return manage(f"contest_{arguments.act}", arguments.slug, out=arguments.out)


def _rehearse(arguments: argparse.Namespace) -> int:
    _require("--teams", arguments.teams, 1, 200)
    _require("--seed", arguments.seed, 0, 1_000_000)
    _require("--workers", arguments.workers, 1, 10_000)
    _require("--program-seconds", arguments.program_seconds, 0, 86_400)
    if not Path(arguments.file).exists() and arguments.file not in preset_names():
        raise UsageError(f"There is no file {arguments.file}, and no preset of that name.")
    names = ("teams", "seed", "workers", "program_seconds")
    options = {name.replace("_", "-"): str(getattr(arguments, name)) for name in names}
    with tempfile.TemporaryDirectory(prefix="kakurenbo-rehearsal-") as folder:
        # Nothing of the site is touched: neither its database nor its broker, mail or stores.
        for name in [name for name in os.environ if name.startswith("KAKURENBO_") and name not in KEPT]:
            del os.environ[name]
        os.environ["KAKURENBO_VAR"] = folder
        words = [arguments.file, *["--json"] * arguments.json]
        return manage("migrate", "--verbosity=0") or manage("contest_rehearse", *words, **options)


def _require(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise UsageError(f"The '{name}' option must be from {least} to {most}. Got {value:g} instead.")


def _check(path: Path, as_json: bool) -> int:
    try:
        opened = open_bundle(path)
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
    with opened:
        problems = opened.checked.problems
    if as_json:
        verdict = {"valid": opened.checked.ok, "problems": [problem.as_dict() for problem in problems]}
        print(json.dumps(verdict, indent=2, ensure_ascii=False))
    else:
        lines = [str(problem) for problem in problems]
        lines.append(f"invalid: {len(lines)} problem{'s' if len(lines) > 1 else ''}" if lines else "valid")
        print("\n".join(lines))
    return 0 if opened.checked.ok else 1
