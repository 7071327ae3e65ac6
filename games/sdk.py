"""What the code of an uploaded game may import from the platform: the contract, and what it is made of.

These are copies of sources, with their bytecode, for a folder that the sandbox shows read-only. Nothing of
Django, of the settings or of contests is among them; numpy, scipy and pandas are those of the sandbox.
docs/games.md says what each package is for.
"""

from __future__ import annotations

import functools
import importlib.util
import py_compile
import sys
import tempfile
from pathlib import Path

MODULES = {
    "arithmetic": ("*",),
    "games": ("__init__", "call", "loading"),
    "games/contract": ("*",),
    "games/codabench": ("*",),
    "games/seek": ("*",),
    "games/tables": ("*",),
    "datasets": (
        "__init__", "archive", "archive_tree", "cell_forms", "cells", "csv_forms", "diagnosis", "documents",
        "file_kinds", "file_stream", "lookup", "messages", "plain", "problems", "reader", "remarks",
        "samples", "setting", "table_shapes", "tables", "tokens",
    ),
}  # fmt: skip
"""The modules of the platform by package."""
YAML = "yaml"
"""The one library that the contract needs beyond those of the sandbox: its part that is written in Python."""
ENTRY = "run.py"
STARTER = b"import sys\n\nfrom games.call import streamed\n\nsys.exit(streamed(sys.argv[1:]))\n"
HOME = "/program"
"""Where the sandbox shows these files; tracebacks name it instead of a folder of the machine."""


@functools.cache
def sdk_files() -> dict[str, bytes]:
    """Every file by its path, with the program that is started."""
    root = Path(__file__).resolve().parent.parent
    paths = {
        f"{package}/{path.name}": path
        for package, names in MODULES.items()
        for name in names
        for path in sorted((root / package).glob(f"{name}.py"))
    }
    spec = importlib.util.find_spec(YAML)
    assert spec is not None and spec.submodule_search_locations
    for path in sorted(Path(next(iter(spec.submodule_search_locations))).glob("*.py")):
        paths[f"{YAML}/{path.name}"] = path
    files = {name: path.read_bytes() for name, path in paths.items()}
    return {ENTRY: STARTER} | files | _compiled(paths)


def _compiled(paths: dict[str, Path]) -> dict[str, bytes]:
    """The bytecode of these sources; other versions of Python do not look at it."""
    files = {}
    with tempfile.TemporaryDirectory() as name:
        target = Path(name, "code")
        for inner, path in paths.items():
            folder, _, base = inner.rpartition("/")
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(
                str(path), str(target), f"{HOME}/{inner}", doraise=True, invalidation_mode=mode
            )
            tag = sys.implementation.cache_tag
            files[f"{folder}/__pycache__/{base.removesuffix('.py')}.{tag}.pyc"] = target.read_bytes()
    return files
