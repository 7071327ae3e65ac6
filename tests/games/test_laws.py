"""The laws hold for the toys, and each of them fails for a game that breaks it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from games.contract.broken import BrokenGame
from games.laws import LAWS, checked
from games.stage import Stage

TOYS = Path(__file__).parent
NAMES = ("pair", "pool")


def test_every_law_holds_for_the_toys_and_has_something_to_look_at() -> None:
    looked_at = set()
    for name in NAMES:
        findings = checked(TOYS / name)
        assert [finding.law for finding in findings] == list(LAWS)
        assert {finding.law: finding.detail for finding in findings if finding.detail} == {}
        assert all(finding.meaning for finding in findings)
        looked_at |= {finding.law for finding in findings if finding.holds}
    assert looked_at == set(LAWS)


def broken(folder: Path, toy: str, file: str, before: str, after: str) -> Path:
    """A copy of a toy with one thing changed."""
    copy = folder / toy
    shutil.copytree(TOYS / toy, copy)
    text = (copy / file).read_text(encoding="utf-8")
    assert before in text
    (copy / file).write_text(text.replace(before, after), encoding="utf-8")
    return copy


BREACHES = {
    "examples": ("pool", "game.yaml", "refused: [bad-number]", "refused: []"),
    "same-twice": ("pool", "game.py", "rng.random(len(points))", "np.random.random(len(points))"),
    "through-folders": ("pool", "game.py", "2 * area - 1)",
                        "2 * area - 1) if type(answer).__name__ == 'MemoryBox' else 0.5"),
    "made-as-declared": ("pool", "game.yaml", "{name: point, kind: int}", "{name: point, kind: date}"),
    "row-order": ("pool", "game.py", "super().publish(world, entry, rng, out)",
                  "out.create('synthetic.csv').write(entry.upload.open('synthetic.csv').read())"),
    "secret-stays": ("pool", "game.py", "super().publish(world, entry, rng, out)",
                     "out.create('synthetic.csv').write(world.secret.open('people.csv').read())"),
    "unchanged-loses-nothing": ("pool", "game.py", "else 0.0\n", "else 1.0\n"),
    "truth-is-best": ("pool", "game.py", "area = auc(scores, labels)\n        evidence",
                      "area = auc(-scores, labels)\n        evidence"),
    "blind-is-baseline": ("pool", "game.py", '{"auc": area}, 0.0, evidence', '{"auc": area}, 0.9, evidence'),
    "bad-uploads": ("pool", "game.yaml", ", columns: [{name: x, kind: real, span: [-1000, 1000]}]", ""),
    "pictures": ("pool", "game.py", 'yield number_bars("spread", "", mine, released)', "pass"),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_a_game_that_breaks_a_law_is_found_out(law: str, tmp_path: Path) -> None:
    folder = broken(tmp_path, *BREACHES[law])
    (finding,) = checked(folder, law)
    assert finding.holds is False
    assert finding.detail


def test_the_laws_play_a_round_with_the_declared_parameters() -> None:
    stage = Stage(TOYS / "pair")
    assert stage.played.params == {"cohort": 12, "limit-changed": 0.9}


def test_where_teams_only_attack_their_answers_are_damaged(tmp_path: Path) -> None:
    def seek(folder: Path, file: str, before: str, after: str) -> Path:
        copy = broken(folder, "pool", file, before, after)
        text = (copy / "game.yaml").read_text(encoding="utf-8")
        (copy / "game.yaml").write_text(f"{text}phases: seek\n", encoding="utf-8")
        return copy

    (finding,) = checked(seek(tmp_path / "sound", "game.yaml", "name: pool", "name: pool"), "bad-uploads")
    assert (finding.holds, finding.text) == (True, "")
    column = "    columns: [{name: score, kind: real, span: [0, 1]}]\n"
    (finding,) = checked(seek(tmp_path / "open", "game.yaml", column, ""), "bad-uploads")
    assert finding.holds is False


def test_a_law_can_be_declared_not_to_hold_with_a_reason(tmp_path: Path) -> None:
    text = "laws-off: {examples: The examples are old.}\nexamples:"
    folder = broken(tmp_path, "pool", "game.yaml", "examples:\n", f"{text}\n")
    (finding,) = checked(folder, "examples")
    assert finding.holds is None
    assert "The examples are old." in finding.text


def test_every_example_has_a_finding_of_its_own(tmp_path: Path) -> None:
    folder = broken(tmp_path, "mini", "game.yaml", "{error: 1}", "{error: 2}")
    (finding,) = checked(folder, "examples")
    assert [(part.law, part.holds) for part in finding.parts] == [("one year more", False), ("a word", True)]
    assert "got 1.0, expected 2" in finding.parts[0].text


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("max(0.0, 2 * area - 1)", "2.0", "a risk of 2.0, expected 0 to 1"),
        ('{"auc": area}, 0.0', '{"auc": float("nan")}, 0.0', "nan as 'auc', expected a finite number"),
        ('{"auc": area}, 0.0', "{}, 0.0", "declares the number 'auc' and did not give it"),
        ('write(out, "members.csv"', 'write(out, "secrets.csv"', "writes a file 'secrets.csv'"),
        ('write(out, "mine.csv", "x", everybody[chosen])', "pass", "declares 'mine.csv' and did not make it"),
        ('"x", everybody[chosen]', '"x" * 70_000_000, everybody[chosen]', "writes more than 67108864 bytes"),
    ],
)
def test_a_game_that_breaks_its_own_declaration_is_stopped(
    before: str, after: str, said: str, tmp_path: Path
) -> None:
    folder = broken(tmp_path, "pool", "game.py", before, after)
    with pytest.raises((BrokenGame, ValueError), match=said):
        Stage(folder)
