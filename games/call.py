"""One verb of one game in a process of its own: ``python -m games.call GAME IN OUT``.

IN holds the call, OUT gets ``answer.json`` and, in ``files``, what the verb writes. In the sandbox OUT is one
file, a stream of these.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from datasets.file_stream import write_stream
from games.contract.boxes import MemoryOut
from games.contract.broken import BrokenGame
from games.contract.folders import Reader, Writer
from games.contract.game import Game
from games.loading import load_folder, read_folder

CALL, ANSWER, FILES, BROKEN = "call.json", "answer.json", "files", "broken.json"
WRITES = {
    "build": ("round", ("build",)),
    "allot": ("seat", ("allot",)),
    "publish": ("entry", ("publish", "upload")),
    "attack": ("answer", ()),
    "oracle": ("answer", ()),
    "anonymize": ("entry", ("upload",)),
}
"""The verbs that write files, and which."""
VERBS = (
    *WRITES, "targets", "check", "measure", "verdict", "cover", "judge", "judge_all", "tally",
    "pictures", "answer_pictures", "answer_pictures_all",
)  # fmt: skip


def call(game: Game, verb: str, arguments: list[Any]) -> tuple[Any, dict[str, bytes]]:
    """What a verb gives, and the files that it writes."""
    if verb not in VERBS:
        raise ValueError(f"There is no verb {verb!r}.")
    files: dict[str, bytes] = {}
    if verb == "tally":
        cells = arguments[3]
        arguments = [*arguments[:3], lambda: iter(cells), *arguments[4:]]
    if verb in WRITES:
        scope, makers = WRITES[verb]
        out = MemoryOut(game.declaration.files_of(scope, *makers))  # type: ignore[arg-type]
        given = getattr(game, verb)(*arguments, out)
        files = out.files
    else:
        given = getattr(game, verb)(*arguments)
    return (tuple(given) if isinstance(given, Iterator) else given), files


def main(words: list[str], load: Callable[[Path], Game] = load_folder) -> int:
    folder, inside, outside = map(Path, words)
    verb, arguments = Reader(inside).read(CALL)
    given, files = call(load(folder), verb, list(arguments))
    for name, content in files.items():
        path = outside / FILES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    Writer(outside).write(ANSWER, given)
    return 0


def as_written(folder: Path) -> Game:
    """A game that nobody at the site has read: it declares what its `game.yaml` says, and nothing else."""
    return load_folder(folder, read_folder(folder))


def streamed(words: list[str]) -> int:
    """The same with one file for everything; what breaks the declaration is said in ``broken.json``."""
    *places, answer = words
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            main([*places, name], as_written)
        except BrokenGame as error:
            (folder / BROKEN).write_text(json.dumps(error.message.as_data()), encoding="utf-8")
        with Path(answer).open("wb") as target:
            write_stream(folder, target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
