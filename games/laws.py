"""The laws of the contract: what must hold for every game, as checks that a game's author can run too.

A law looks at a game through rehearsals: rounds in memory whose entries come from the game's examples and
house methods, and whose answers come from its house attacks. A game that offers neither is only checked as
far as that goes; `checked` says which laws had nothing to look at. A game may declare that a law does not
hold for it, with a reason.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from datasets.messages import Message, Template
from datasets.problems import Problem
from games import findings
from games.apart import ApartGame, run_here
from games.contract.boxes import MemoryBox
from games.contract.broken import BrokenGame
from games.contract.declaration import Example, File
from games.contract.files import check_files
from games.contract.game import Game
from games.contract.messages import in_languages
from games.findings import Finding
from games.rehearsal import Entered
from games.stage import Stage, files_in

BLIND = "blind"
"""The name of a house attack that looks at nothing."""
SHORT = 8
"""Bytes below which a secret may stand in a published file by chance."""
FAR = 0.25
"""How far from its baseline a blind answer may be where the judge gives no interval."""
UNREADABLE = b"\xff\xfe\x00"
STRANGER = "stranger.bin"


def checked(folder: Path, *names: str, made: Callable[[], Game] | None = None) -> list[Finding]:
    """Every law on the game in a folder, or those of these names; ``made`` as in `Stage`."""
    stage = Stage(folder, made=made)
    return [_finding(stage, name, law) for name, law in LAWS.items() if not names or name in names]


def _finding(stage: Stage, name: str, law: Law) -> Finding:
    meaning = (law.__doc__ or "").strip()
    if name in stage.declared.laws_off:
        return Finding(
            name, meaning, None, findings.DECLARED_OFF(reason=in_languages(stage.declared.laws_off[name]))
        )
    seen = 0
    detail: Message | None = None
    try:
        for problem in law(stage):
            seen += 1
            detail = detail or problem
    except Exception as error:  # noqa: BLE001 - whatever a game raises, it is the game that broke
        detail = findings.BROKE(error=_said(error))
    parts = _examples_tried(stage) if name == "examples" else ()
    return Finding(name, meaning, None if not seen and not detail else not detail, detail, parts)


def _said(error: Exception) -> str | Message:
    return error.sentence if isinstance(error, BrokenGame) else f"{type(error).__name__}: {error}"


def _examples_tried(stage: Stage) -> tuple[Finding, ...]:
    """Each example by itself; those after one that broke the game were not tried."""
    names = [example.name for example in stage.declared.examples]
    return tuple(
        Finding(name, "", not stage.tried[name], stage.tried[name])
        if name in stage.tried
        else Finding(name, "", None)
        for name in names
    )


Found = Iterator[Message | None]
Law = Callable[[Stage], Found]
"""Yields None for everything that it looked at and found right, else what is wrong."""


def examples(stage: Stage) -> Found:
    """Every example comes out as it says."""
    for example in stage.declared.examples:
        stage.tried[example.name] = findings.EXAMPLE_BROKE()
        problems = list(_compared_example(stage, example))
        stage.tried[example.name] = next((problem for problem in problems if problem), None)
        yield from problems


def _compared_example(stage: Stage, example: Example) -> Found:
    round_ = stage.rehearse()
    if example.entry:
        entered = round_.enter(0, files_in(stage.folder / example.entry), stage.declared.slots[0])
        yield from _compared_entry(example, entered)
        if entered.target is None or not example.answer:
            return
    answered = round_.answer(1, files_in(stage.folder / example.answer))
    if not example.entry:
        yield _compared_codes(example, answered.problems)
    about = (cell for cell in answered.cells if example.target in ("", cell.target))
    given = {cell.challenge: cell.result for cell in about}
    for challenge, numbers in example.results.items():
        if challenge not in given:
            yield findings.NOT_COVERED(example=example.name, challenge=challenge)
            continue
        result = given[challenge]
        figures = {"risk": result.risk, "baseline": result.baseline, **result.numbers}
        for name, wanted in numbers.items():
            what = f"{example.name}, {challenge}, {name}"
            yield _compared(what, figures.get(name), wanted, example.tolerance)


def _compared_entry(example: Example, entered: Entered) -> Found:
    different = _compared_codes(example, entered.problems)
    yield different
    if different:
        return
    for measure, wanted in example.measures.items():
        got = entered.measures.get(measure)
        yield _compared(f"{example.name}, {measure}", got, wanted, example.tolerance)


def _compared_codes(example: Example, problems: Sequence[Problem]) -> Message | None:
    codes = sorted({problem.code for problem in problems})
    if codes == sorted(example.refused):
        return None
    said = {"example": example.name, "got": str(codes), "expected": str(sorted(example.refused))}
    return (
        findings.OTHER_PROBLEMS_FIRST(first=problems[0].message, **said)
        if problems
        else findings.OTHER_PROBLEMS(**said)
    )


def _compared(what: str, got: float | None, wanted: float | None, tolerance: float) -> Message | None:
    if got is None or wanted is None:
        is_same = got is wanted
    else:
        is_same = abs(got - wanted) <= tolerance
    return None if is_same else findings.OTHER_NUMBER(what=what, got=repr(got), expected=repr(wanted))


def same_twice(stage: Stage) -> Found:
    """A second process gives the same bytes and numbers."""
    if stage.made:
        yield _same(Stage(stage.folder, stage.made()).fingerprint(), stage)
        return
    code = "import sys; from pathlib import Path; from games.stage import Stage; "
    code += "print(Stage(Path(sys.argv[1])).fingerprint())"
    root = Path(__file__).resolve().parent.parent
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONHASHSEED": "4711"}
    command = [sys.executable, "-c", code, str(stage.folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        yield findings.SECOND_FAILED(error=done.stderr.strip().splitlines()[-1])
    else:
        yield _same(done.stdout.strip(), stage)


def _same(fingerprint: str, stage: Stage) -> Message | None:
    return None if fingerprint == stage.fingerprint() else findings.DIFFER()


def through_folders(stage: Stage) -> Found:
    """Every verb gives the same where it is given nothing but a folder, as uploaded games are."""
    if stage.made:
        yield None  # it was given nothing else all along
        return
    apart = Stage(stage.folder, ApartGame(stage.folder, stage.declared, run_here))
    yield _same(apart.fingerprint(), stage)


def made_as_declared(stage: Stage) -> Found:
    """What the game makes, for the round, for seats and of entries, is as it declares it."""
    round_ = stage.played
    for scope, files in round_.made():
        for name, content in files.items():
            file = stage.declared.file(name, scope)
            if file is None or not file.columns or file.made == "upload":
                continue
            rows = file.rows if isinstance(file.rows, int) else None
            alone = replace(file, name=name, count=1, rows=rows, reader="declared")
            problems = check_files((alone,), MemoryBox({name: content}), round_.lookup(0)).verdict.problems
            yield problems[0].message if problems else None


def row_order(stage: Stage) -> Found:
    """The order of an upload's rows changes nothing that is published, where rows are sorted."""
    if any(file.columns and file.order == "kept" for file in stage.declared.files_of("entry", "upload")):
        return
    for seat, slot, upload in stage.uploads:
        files = {name: stage.declared.file(name, "entry") for name in upload}
        turned = {name: _turned(content, files[name]) for name, content in upload.items()}
        first, second = stage.rehearse(), stage.rehearse()
        published = [
            entered.target.published.files if entered.target else None  # type: ignore[attr-defined]
            for entered in (first.enter(seat, upload, slot), second.enter(seat, turned, slot))
        ]
        yield None if published[0] == published[1] else findings.PUBLISHED_DIFFER(team=stage.teams[seat])


def _turned(content: bytes, file: File | None) -> bytes:
    """The rows of a table from the last to the first, its header where it was."""
    if file is None or not file.columns:
        return content
    lines = content.removesuffix(b"\n").split(b"\n")
    header = ",".join(column.name for column in file.columns).encode()
    head = lines[:1] if file.header == "required" or lines[0] == header else []
    return b"\n".join(head + lines[len(head) :][::-1]) + b"\n"


def secret_stays(stage: Stage) -> Found:
    """No published file holds a secret one."""
    round_ = stage.played
    world = round_.world()
    secrets = [world.secret, *(round_.seat(number).secret for number in range(len(stage.teams)))]
    for entered in round_.entries.values():
        assert entered.target is not None
        hidden = [
            (name, box.open(name).read()) for box in (*secrets, entered.target.secret) for name in box.names()
        ]
        for name in entered.target.published.names():
            content = entered.target.published.open(name).read()
            for secret, text in hidden:
                leaks = len(text.strip()) >= SHORT and text.strip() in content
                yield findings.HOLDS_SECRET(file=name, secret=secret) if leaks else None


def unchanged_loses_nothing(stage: Stage) -> Found:
    """Unchanged data have the best value of every measure."""
    if stage.declared.unchanged not in [method.name for method in stage.declared.methods]:
        return
    round_ = stage.rehearse()
    entered = round_.enter(0, round_.anonymize(stage.declared.unchanged, 0), stage.declared.slots[0])
    if entered.target is None:
        yield findings.UNCHANGED_REFUSED(problem=entered.problems[0].message)
        return
    for number in stage.declared.measures:
        best = number.low if number.better == "lower" else number.high
        if number.better and best is not None:
            yield _compared(number.name, entered.measures[number.name], best, 1e-9)


def truth_is_best(stage: Stage) -> Found:
    """An answer made from the truth has the highest risk, and no house attack has a higher one."""
    answer = stage.played.oracle(0)
    if answer is None:
        return
    others = list(stage.played.cells)
    answered = stage.played.answer(0, answer, "the truth")
    stage.played.cells = others
    if answered.problems:
        yield findings.TRUTH_REFUSED(problem=answered.problems[0].message)
    best = {(cell.target, cell.challenge): cell.result.risk for cell in answered.cells}
    for place, risk in best.items():
        yield None if risk is not None else findings.NO_RISK(target=place[0], challenge=place[1])
    for cell in others:
        highest = best.get((cell.target, cell.challenge)) or 0.0
        beaten = findings.TRUTH_BEATEN(attack=cell.attacker, target=cell.target, challenge=cell.challenge)
        yield beaten if (cell.result.risk or 0.0) > highest else None


def blind_is_baseline(stage: Stage) -> Found:
    """A blind answer is near its baseline, or inside the interval that the judge gives."""
    for cell in stage.played.cells:
        if cell.attacker != BLIND or cell.result.baseline is None or cell.result.risk is None:
            continue
        risk, baseline = cell.result.risk, cell.result.baseline
        low, high = cell.result.interval or (risk - FAR, risk + FAR)
        far = findings.BLIND_IS_FAR(risk=f"{risk:.3f}", target=cell.target, baseline=f"{baseline:.3f}")
        yield None if low <= baseline <= high else far


def bad_uploads(stage: Stage) -> Found:
    """Missing, foreign, empty and unreadable files are refused with the file's name, and nothing breaks."""
    for seat, slot, upload in stage.uploads[:1]:
        for name in sorted(upload):
            file = stage.declared.file(name, "entry")
            assert file is not None
            for kind, files in _damaged(upload, name):
                problems = stage.rehearse().enter(seat, files, slot).problems
                named = {problem.file for problem in problems} & {name, STRANGER}
                may_pass = (
                    not file.required
                    if name not in files
                    else not (file.columns or kind is findings.FOREIGN_TAKEN)
                )
                yield None if named or may_pass else kind(file=name)
    if stage.declared.phases == "seek":
        yield from _bad_answers(stage)


def _bad_answers(stage: Stage) -> Found:
    """The same of answers, where teams upload nothing else; an answer may leave a file out."""
    for attack in stage.declared.attacks[:1]:
        round_ = stage.rehearse()
        answer = round_.attack(attack.name, 0)
        for name in sorted(answer)[:1]:
            for kind, files in _damaged(answer, name):
                problems = round_.answer(0, files).problems
                named = {problem.file for problem in problems} & {name, STRANGER}
                yield None if named or name not in files else kind(file=name)


def pictures(stage: Stage) -> Found:
    """Pictures of entries and answers are as declared, and every declared picture is drawn at least once."""
    wanted, drawn = set[str](), set[str]()
    for names, plain in stage.pictures():
        wanted.update(names)
        drawn.update(one["name"] for one in plain)
    for name in sorted(wanted):
        yield None if name in drawn else findings.NEVER_DRAWN(picture=name)


def _damaged(upload: Mapping[str, bytes], name: str) -> list[tuple[Template, dict[str, bytes]]]:
    """An upload with one thing wrong about a file, and what is to be said where it is taken."""
    return [
        (findings.MISSING_TAKEN, {other: content for other, content in upload.items() if other != name}),
        (findings.FOREIGN_TAKEN, {**upload, STRANGER: b"?"}),
        (findings.EMPTY_TAKEN, {**upload, name: b""}),
        (findings.UNREADABLE_TAKEN, {**upload, name: UNREADABLE + upload[name]}),
    ]


LAWS: dict[str, Law] = {
    "examples": examples,
    "same-twice": same_twice,
    "through-folders": through_folders,
    "made-as-declared": made_as_declared,
    "row-order": row_order,
    "secret-stays": secret_stays,
    "unchanged-loses-nothing": unchanged_loses_nothing,
    "truth-is-best": truth_is_best,
    "blind-is-baseline": blind_is_baseline,
    "bad-uploads": bad_uploads,
    "pictures": pictures,
}
