"""Every board of a game of the house, each of its columns and each fact has a title in both languages."""

from __future__ import annotations

import pytest

from contest.language.declared import USUAL
from games.loading import find_folder, load_folder
from games.rehearsal import Rehearsal

HOUSE = ("membership", "midst", "pwscup2016", "pwscup2024", "pwscup2025", "pwscup2026", "snake")


@pytest.mark.parametrize("name", HOUSE)
def test_facts_boards_and_columns_have_titles(name: str) -> None:
    game = load_folder(find_folder(name))
    declared = game.declaration
    played = Rehearsal(game, {}, ("Usagi", "Kitsune"), declared.rehearsal)
    assert all({"en", "ja"} <= declared.facts[name].keys() for name in played.facts)
    tasks = {part for target in played.targets() for part in (target.key, target.key.split("/")[0])}
    for rule in declared.rules:
        boards = played.boards(rule.name)
        assert boards
        for board in boards:
            assert board.name in USUAL or {"en", "ja"} <= declared.board_title(board.name).keys()
            numbers = declared.board_numbers(board.name)
            for column in set(board.columns) - tasks - USUAL.keys():
                assert {"en", "ja"} <= numbers[column].title.keys(), f"{board.name}: {column}"


def test_a_column_has_the_words_of_its_own_board_first() -> None:
    declared = load_folder(find_folder("pwscup2025")).declaration
    assert declared.board_numbers("attackers")["score"].title["ja"] == "攻撃点"
    assert declared.board_numbers("overall")["score"].title["ja"] == "得点"
