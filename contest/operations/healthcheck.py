"""Asks this machine's own web server how it is, and answers by exit code.

Run as ``python -m contest.operations.healthcheck readyz``.
"""

from __future__ import annotations

import http.client
import os
import sys


def status(path: str, port: int, host: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", f"/{path}", headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()


def main(arguments: list[str]) -> int:
    path = arguments[0] if arguments else "readyz"
    host = os.environ.get("KAKURENBO_ALLOWED_HOSTS", "localhost").split(",")[0].strip()
    try:
        return 0 if status(path, int(os.environ.get("KAKURENBO_PORT", "8000")), host) == 200 else 1
    except (OSError, http.client.HTTPException):
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
