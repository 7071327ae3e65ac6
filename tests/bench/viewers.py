"""Many viewers of one live board, as a process of its own: `python -m tests.bench.viewers HOST PORT PATH N`.

Each viewer loads the page and then polls as the page's own attributes say. Every change of the version that
it shows is a line `viewer version time`; whatever goes wrong is a line `error …`. Ends with its input.
"""

from __future__ import annotations

import asyncio
import html
import re
import sys
import time

POLL = re.compile(r'hx-get="([^"]+)"\s+hx-trigger="every (\d+)s"')


async def fetch(host: str, port: int, path: str, poll: bool) -> tuple[int, str]:
    """One request on a connection of its own, as after a proxy that keeps none open."""
    reader, writer = await asyncio.open_connection(host, port)
    extra = "HX-Request: true\r\n" if poll else ""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{extra}\r\n".encode())
    try:
        await writer.drain()
        answer = (await reader.read(-1)).decode("utf-8")
    finally:
        writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split(" ", 2)[1]), body


async def follow(viewer: int, host: str, port: int, path: str) -> None:
    where, seconds, poll = path, 0.0, False
    while True:
        try:
            status, body = await fetch(host, port, where, poll)
        except (OSError, ValueError, IndexError) as error:
            print(f"error viewer {viewer}: {error!r}", flush=True)
            await asyncio.sleep(max(seconds, 1.0))
            continue
        found = POLL.search(body) if status == 200 else None
        if found:
            where, seconds, poll = html.unescape(found[1]), float(found[2]), True
            print(viewer, re.findall(r"version=(\d+)", where)[0], time.time(), flush=True)
        elif status != 204:
            print(f"error viewer {viewer}: status {status}", flush=True)
        await asyncio.sleep(seconds or 1.0)


async def watch(host: str, port: int, path: str, n: int, spread: float = 3.0) -> None:
    """Viewers arrive one after the other over some seconds, as people do, and stay until the input ends."""
    loop = asyncio.get_running_loop()
    ended = loop.run_in_executor(None, sys.stdin.read)
    tasks = []
    for viewer in range(n):
        tasks.append(asyncio.create_task(follow(viewer, host, port, path)))
        await asyncio.sleep(spread / n)
    await ended
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(watch(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
