from __future__ import annotations

import os

from tests.load.run import measure_bursts, measure_matrix, measure_one_by_one, site

CUSTOMERS_2016 = 400


def main() -> None:
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} before the run", flush=True)
    with site(teams=22, customers=CUSTOMERS_2016) as here:
        print(measure_bursts(here, bursts=8, every=15.0, viewers=200), flush=True)
    with site(teams=4, customers=40) as here:
        print(measure_one_by_one(here, 30), flush=True)
    with site(teams=22, customers=40) as here:
        print(measure_matrix(here), flush=True)


if __name__ == "__main__":
    main()
