"""`make portability`: digests of every result under every configuration, compared with this machine's own."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

from tests.portability.configurations import Configuration, every_configuration


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digest", choices=("some", "everything"), help="print the digests of this process")
    parser.add_argument("--only", help="run the configurations whose names hold this text, and the first")
    arguments = parser.parse_args()
    if arguments.digest:
        print(json.dumps(digests(arguments.digest)))
        return 0
    return compare(arguments.only or "")


def digests(which: str) -> dict[str, str]:
    """Name → digest of every result, computed in this process."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.db import connection

    django.setup()
    from tests.portability import results

    if which == "some":
        return {name: results.digest(value) for name, value in results.some()}
    connection.creation.create_test_db(verbosity=0)
    return {name: results.digest(value) for name, value in results.everything()}


def run(configuration: Configuration, which: str) -> dict[str, str]:
    """The digests of a new process under a configuration."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.portability", "--digest", which]
    done = subprocess.run(
        command, env=configuration.environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{configuration.name}: {done.stderr[-3000:]}")
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(only: str) -> int:
    first, *others = every_configuration()
    expected = run(first, "everything")
    print(f"{len(expected)} results, {first.name}")
    differences = 0
    for configuration in others:
        if only not in configuration.name:
            continue
        found = run(configuration, "everything")
        names = expected.keys() | found.keys()
        changed = sorted(name for name in names if expected.get(name) != found.get(name))
        differences += len(changed)
        print(f"{len(changed)} differ, {configuration.name}", *changed[:20], sep="\n    ", flush=True)
    print("The same bytes everywhere." if not differences else f"{differences} differences.")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
