"""Fresh virtual environments in which a wheel is the only trace of the project."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
PASSED_ON = {"PATH", "HOME", "LANG", "TMPDIR"}


@dataclass(frozen=True)
class Environment:
    """A virtual environment without pip; its packages are in `site`."""

    folder: Path
    site: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    def install(self, wheel: Path) -> None:
        self._pip("install", "--no-deps", "--no-index", "--no-compile", str(wheel))

    def uninstall(self, name: str) -> None:
        self._pip("uninstall", "--yes", name)

    def add_stand_ins(self, *names: str) -> None:
        """Put in small packages that play the part of somebody else's."""
        for name in names:
            (self.site / name).mkdir()
            for file in ("__init__.py", "registry.py"):
                (self.site / name / file).write_text("OWNER = 'somebody else'\n", encoding="utf-8")

    def run(self, *command: str | Path, cwd: Path, codes: tuple[int, ...] = (0,)) -> str:
        """What one of its programs prints, started without any variable that leads to the project."""
        program, *words = command
        kept = {name: value for name, value in os.environ.items() if name in PASSED_ON}
        done = subprocess.run(
            [self.folder / "bin" / program, *words],
            cwd=cwd, env=kept, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode in codes, done.stdout + done.stderr
        return done.stdout

    def _pip(self, command: str, *words: str) -> None:
        subprocess.run([*PIP, "--python", self.python, command, "--quiet", *words], check=True)


def fresh_environment(folder: Path) -> Environment:
    """An environment in which only foreign packages come from that of the tests.

    The folder of installed packages is named in a `.pth` file. Such files inside it are not followed, so
    the project, which is there only as one of them, cannot be found through it.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.check_output([folder / "bin/python", "-c", ask], text=True).strip())
    foreign = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    # Python reads such a file in the encoding of the locale, which may have no letters but ASCII.
    lines = [f"import sys; sys.path.append({path!a})\n" for path in sorted(foreign)]
    (site / "foreign.pth").write_text("".join(lines), encoding="ascii")
    return Environment(folder, site)
