"""`make bench`: run every benchmark, or those named on the command line."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> None:
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    wanted = [name for name in names if not sys.argv[1:] or name.removeprefix("bench_") in sys.argv[1:]]
    for name in wanted:
        print(f"== {name.removeprefix('bench_')}", flush=True)
        importlib.import_module(f"tests.bench.{name}").main()


if __name__ == "__main__":
    main()
