"""The way to our packages from a process in which others of the same names may be installed.

A wheel holds `anonymizers`, `datasets`, `scoring` and the rest in a folder of `kakurenbo`, so that installing
it touches no other package. Nobody finds them there until the folder is put on the path: the command line
does it for its own process, and a program that uses the library asks for it. See docs/library.md.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

_HOME = Path(__file__).resolve().parent
FOLDER = _HOME / "_packages" if (_HOME / "_packages").is_dir() else _HOME.parent
"""Where our packages are: inside `kakurenbo` in a wheel, beside it in a checkout."""

_active = False
_set_aside: dict[str, ModuleType] = {}
"""Our modules between two blocks of `activated`, so that the second does not load them again."""


def activate() -> None:
    """Make our packages importable in this process, before any others of their names, until it ends."""
    global _active
    if _active:
        return
    taken = sorted(name for name in package_names() if name in sys.modules and not _is_ours(name))
    if taken:
        raise ImportError(
            f"This process has already imported another package named {', '.join(taken)}. "
            "Use `with kakurenbo.activated():`, which sets it aside for a block."
        )
    sys.path.insert(0, str(FOLDER))
    _active = True


@contextmanager
def activated() -> Iterator[None]:
    """Make our packages importable within a block and release their names at its end.

    Import and call our functions inside the block: some import more when they are first called. Other threads
    see the same modules, so none of them should import a package of such a name meanwhile.
    """
    global _active
    if _active:
        yield
        return
    borrowed = [name for name in package_names() if not _is_ours(name)]
    others = _removed(borrowed)
    sys.modules.update({name: ours for name, ours in _set_aside.items() if _top(name) in borrowed})
    sys.path.insert(0, str(FOLDER))
    _active = True
    try:
        yield
    finally:
        _active = False
        with suppress(ValueError):
            sys.path.remove(str(FOLDER))
        _set_aside.update(_removed(borrowed))
        sys.modules.update(others)


def package_names() -> set[str]:
    """Our packages as far as they are installed: the library of a kit has fewer than the platform."""
    found = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    return found - {"kakurenbo", "tests"}


def _is_ours(name: str) -> bool:
    """Whether the module that is loaded under this name, if any, is our package."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and Path(file).resolve() == FOLDER / name / "__init__.py"


def _removed(names: Collection[str]) -> dict[str, ModuleType]:
    """Take packages with all that is in them out of the loaded modules."""
    inside = [name for name in sys.modules if _top(name) in names]
    return {name: sys.modules.pop(name) for name in inside}


def _top(name: str) -> str:
    return name.partition(".")[0]
