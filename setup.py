"""Builds a wheel with one top-level name, `kakurenbo`; docs/decisions/packaging.md says why.

The other packages have names that packages of others have too (`datasets`, `scoring`). The wheel holds them
in the folder `kakurenbo/_packages`, which `kakurenbo/packages.py` puts on the path of a process. An editable
install leaves them where they are. What is installed at all is declared in pyproject.toml.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

TOP = "kakurenbo"


def nested(package: str) -> str:
    """The name under which the wheel holds a package: `kakurenbo._packages.scoring` for `scoring`."""
    return package if package.partition(".")[0] == TOP else f"{TOP}._packages.{package}"


class BuildNested(build_py):
    """Copies the packages to their places in the wheel."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if self.editable_mode:
            return
        declared = self.distribution
        packages = declared.packages or []
        folders = {name.partition(".")[0] for name in packages}
        self.package_dir = {nested(folder): folder for folder in folders}
        self.package_data = {nested(name): files for name, files in declared.package_data.items()}
        self.packages = [nested(name) for name in packages]

    def run(self) -> None:
        """Build into an empty folder: the wheel would also hold what an earlier build left there."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class DescribeNested(egg_info):
    """Names the one top-level package; setuptools would list the packages before they are nested."""

    def run(self) -> None:
        super().run()
        Path(self.egg_info, "top_level.txt").write_text(f"{TOP}\n", encoding="utf-8")


setup(cmdclass={"build_py": BuildNested, "egg_info": DescribeNested})
