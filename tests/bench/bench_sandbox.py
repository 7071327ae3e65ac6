"""What the sandbox costs a run, and how many attacker–entry pairs two processes get through in a minute."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from attacks.sandbox import Limits, NoSandbox, choose_backend, read_program, run_program

PROGRAMS = {
    "nothing": "",
    "numpy": "import numpy",
    "numpy and pandas": "import numpy, pandas",
}
WRITE = "\nimport sys\nopen(sys.argv[3], 'w').write('1\\n')\n"
RUNS = 7
PAIRS = 60
WANTED_PAIRS = 120


def make_inputs(folder: Path, customers: int = 400, rows: int = 38_000) -> dict[str, Path]:
    """Two folders of the size of the contest of 2016."""
    for side in ("original", "entry"):
        (folder / side).mkdir()
        people = "".join(f"{number},f,1970/1/1,Japan\n" for number in range(customers))
        lines = "".join(
            f"{row % customers},{row},2011/1/1,8:00,{row % 2781:05d},1.25,12\n" for row in range(rows)
        )
        (folder / side / "M.csv").write_text(people)
        (folder / side / "T.csv").write_text(lines)
    return {side: folder / side for side in ("original", "entry")}


def median_seconds(run: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def one_pair(inputs: dict[str, Path]) -> str:
    return run_program(WRITE.encode(), inputs, Limits(), accept_uncounted=True).status


def compare(inputs: dict[str, Path], folder: Path) -> None:
    for name, source in PROGRAMS.items():
        script = folder / "reidentify.py"
        script.write_text(source + WRITE)
        program = read_program(script)
        arguments = [str(inputs["original"]), str(inputs["entry"]), str(folder / "Q.csv")]
        bare = median_seconds(lambda: subprocess.run([sys.executable, script, *arguments], check=True))  # noqa: B023
        ours = median_seconds(lambda: run_program(program, inputs, accept_uncounted=True))  # noqa: B023
        print(
            f"importing {name}: sandbox {ours * 1000:.0f} ms, bare subprocess {bare * 1000:.0f} ms,"
            f" ratio {ours / bare:.2f}, overhead {(ours - bare) * 1000:+.0f} ms"
        )


def count_pairs(inputs: dict[str, Path]) -> None:
    with ProcessPoolExecutor(2) as pool:
        # Both processes pass their self-test before the clock starts, as a worker does at its own start.
        list(pool.map(one_pair, [inputs] * 4))
        started = time.perf_counter()
        statuses = list(pool.map(one_pair, [inputs] * PAIRS))
        minutes = (time.perf_counter() - started) / 60
    assert statuses == ["done"] * PAIRS
    verdict = "reached" if PAIRS / minutes >= WANTED_PAIRS else "MISSED"
    print(
        f"trivial program, 2 processes: {PAIRS / minutes:.0f} pairs a minute (goal {WANTED_PAIRS}: {verdict})"
    )


def main() -> None:
    try:
        choose_backend(accept_uncounted=True)
    except NoSandbox as error:
        print(error)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs = make_inputs(folder)
        compare(inputs, folder)
        count_pairs(inputs)


if __name__ == "__main__":
    main()
