"""A game on a stage: a round that is played as far as the game's own methods, examples and attacks allow."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from datasets.messages import Message
from games.contract.boxes import FolderBox
from games.contract.game import Game
from games.loading import load_folder
from games.rehearsal import Rehearsal

SOURCES = "data"
"""The folder of a game with the files that organisers would bring."""


class Stage:
    """A game on its folder, with a round that is played as far as the game's own parts allow.

    ``made`` makes the game again where its code must not be imported here.
    """

    def __init__(
        self, folder: Path, game: Game | None = None, made: Callable[[], Game] | None = None
    ) -> None:
        self.folder, self.made = folder, made
        self.game = game or (made() if made else load_folder(folder))
        self.declared = self.game.declaration
        self.sources = files_in(folder / SOURCES)
        self.teams = ("aki", "haru", "natsu")
        self.tried: dict[str, Message | None] = {}
        """What was wrong with each example, by its name."""
        self.played = self.rehearse()
        self.uploads = self._play(self.played)

    def rehearse(self, seed: str = "laws") -> Rehearsal:
        return Rehearsal(self.game, self.sources, self.teams, self.declared.rehearsal, seed)

    def _play(self, round_: Rehearsal) -> list[tuple[int, str, Mapping[str, bytes]]]:
        """Enter what house methods and legal examples give, then let every house attack answer."""
        uploads: list[tuple[int, str, Mapping[str, bytes]]] = []
        for number, files in enumerate(self._entries(round_)):
            seat = number % len(self.teams)
            slot = self.declared.slots[0]
            if round_.enter(seat, files, slot).target is not None:
                uploads.append((seat, slot, files))
        for attack in self.declared.attacks:
            round_.answer(0, round_.attack(attack.name, 0), attack.name)
        return uploads

    def _entries(self, round_: Rehearsal) -> Iterator[Mapping[str, bytes]]:
        """The entries of seats 0, 1, 2, 0 and so on; a method works for the seat that enters it."""
        legal = [example for example in self.declared.examples if example.entry and not example.refused]
        for example in legal:
            yield files_in(self.folder / example.entry)
        for number, method in enumerate(self.declared.methods, start=len(legal)):
            yield round_.anonymize(method.name, number % len(self.teams))

    def fingerprint(self) -> str:
        """A hash of every byte and number that the round gives."""
        digest = hashlib.sha256()
        for name, content in sorted(self.played.round_files.items()):
            digest.update(f"{name}\0".encode() + content)
        for key, entered in sorted(self.played.entries.items()):
            assert entered.target is not None
            for box in (entered.target.published, entered.target.secret):
                for name in box.names():
                    digest.update(f"{key}\0{name}\0".encode() + box.open(name).read())
            digest.update(repr(sorted(entered.measures.items())).encode())
        for cell in self.played.cells:
            digest.update(repr((cell[:3], cell.result.risk, sorted(cell.result.numbers.items()))).encode())
        for _, plain in self.pictures():
            digest.update(repr(plain).encode())
        for board in self.played.boards():
            rows = [(row.key, row.chain, sorted(row.values.items())) for row in board.rows]
            digest.update(repr((board.name, rows)).encode())
        return digest.hexdigest()

    def pictures(self) -> Iterator[tuple[tuple[str, ...], list[dict[str, Any]]]]:
        """The pictures of every entry and every answer, after the names of those that it could have."""
        declared = self.declared
        for key, entered in sorted(self.played.entries.items()):
            if entered.target is not None and entered.target.seat is not None:
                yield tuple(one.name for one in declared.entry_pictures()), self.played.pictures(key)
        for cell in self.played.cells:
            names = tuple(one.name for one in declared.answer_pictures(cell.challenge))
            yield names, self.played.answer_pictures(cell)


def files_in(folder: Path) -> dict[str, bytes]:
    box = FolderBox(folder)
    return {name: (folder / name).read_bytes() for name in (box.names() if folder.is_dir() else ())}
