from __future__ import annotations

import os
import sys

from tests.load.run import measure_bursts, measure_matrix, measure_one_by_one, site
from tests.load.slow import measure_slow

CUSTOMERS_2016 = 400


def main() -> None:
    wanted = sys.argv[1:]
    if wanted not in ([], ["slow"]):
        raise SystemExit(f"usage: python -m tests.load [slow]. Got {' '.join(wanted)!r} instead.")
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} before the run", flush=True)
    if wanted:
        with site(teams=2, customers=12, web_processes=1) as here:
            print(measure_slow(here, bodies=500, heads=500, visitors=50, looks=30), flush=True)
        return
    with site(teams=22, customers=CUSTOMERS_2016) as here:
        print(measure_bursts(here, bursts=8, every=15.0, viewers=200), flush=True)
    with site(teams=4, customers=40) as here:
        print(measure_one_by_one(here, 30), flush=True)
    with site(teams=22, customers=40) as here:
        print(measure_matrix(here), flush=True)


if __name__ == "__main__":
    main()
