"""Hostile games, made from one template: each tries one thing in one verb.

Before each text stand `FACTS` (addresses of everything worth attacking), `OUT` (the place of the answer),
`attempt(function, ...)`, which prints ESCAPED where it gets what it must not get, `secret(world)`, the secret
that a verb may read and must not tell, and `forge(files)`, which ends the process with a stream of its own.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

DECLARATION = """
name: hostile
version: "1.0"
title: {en: Hostile}
people: {en: people}
files:
  - {name: people.csv, scope: round, made: organiser, shown: secret, columns: [{name: x}]}
  - {name: made.csv, scope: round, made: build, shown: public, required: false, max-bytes: 100}
  - {name: up.csv, scope: entry, made: upload, shown: published, columns: [{name: x}, {name: y}]}
  - {name: guess.csv, scope: answer, made: upload, columns: [{name: x}]}
measures: [{name: loss, better: lower}]
challenges:
  - {name: who, title: {en: Who}, question: {en: "Who?"}, answer: [guess.csv], numbers: [{name: hits}]}
pictures:
  - {name: ages, kind: bars, title: {en: Ages}, words: {before: {en: before}}}
  - {name: roc, kind: curves, of: answer, title: {en: ROC}, words: {answer: {en: the answer}}}
rules: [{name: standard, formula: {en: Any}}]
messages: {odd: {en: "something that is not %(what)s"}}
"""
PRELUDE = """
import ctypes, json, os, signal, socket, stat, sys, time
import numpy as np
from games.contract import game as contract
from games.contract.values import Bars, Board, Curves, Fault, Result, Row, Verdict

FACTS = {facts}
OUT = sys.argv[-1]
libc = ctypes.CDLL(None, use_errno=True)
STREAM = b"kakurenbo-files 1\\n"

def attempt(function, *arguments):
    try:
        got = function(*arguments)
    except (OSError, ImportError) as error:
        print("denied:", error)
    else:
        print("ESCAPED", got)

def read(path):
    with open(path, "rb") as file:
        return path, file.read(100)

def write(path):
    with open(path, "w") as file:
        return path, file.write("x")

def call(returned):
    if returned < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def secret(world):
    with world.secret.open("people.csv") as file:
        return file.read().decode().split()[1]

def forge(files):
    index = [[name, len(content)] for name, content in files.items()]
    with open(OUT, "wb") as file:
        file.write(STREAM + json.dumps(index).encode() + b"\\n" + b"".join(files.values()))
    os._exit(0)

class Game(contract.Game):
    def measure(self, world, entry, names):
        return {{"loss": 0.5}}

    def judge(self, world, challenge, by, target, answer):
        return Result(0.5, {{"hits": 1.0}})
"""
SIGNATURES = {
    "build": "sources, params, rng, out",
    "check": "world, entry",
    "publish": "world, entry, rng, out",
    "measure": "world, entry, names",
    "verdict": "rule, measures, params",
    "cover": "world, by, answer, targets",
    "judge": "world, challenge, by, target, answer",
    "judge_all": "world, questions",
    "tally": "rule, params, hidden, cells, earlier",
    "pictures": "world, entry",
    "answer_pictures_all": "world, judged",
}
DEFAULTS = {
    "build": "return {}", "check": "return iter(())", "publish": "super().publish(world, entry, rng, out)",
    "measure": "return {'loss': 0.5}", "judge": "return Result(0.5, {'hits': 1.0})",
}  # fmt: skip


@dataclass(frozen=True)
class Hostile:
    """What a verb does; ``codes`` are the words for the organiser that are right, "" being none.

    ``logged`` must stand in its log.
    """

    source: str
    codes: tuple[str, ...] = ("",)
    verb: str = "measure"
    logged: str = ""
    limits: dict[str, float] = field(default_factory=dict)

    def written(self, folder: Path, facts: dict[str, object]) -> Path:
        """The game in a folder."""
        source = textwrap.dedent(self.source).strip()
        lines = f"{source}\n{DEFAULTS.get(self.verb, '')}"
        body = textwrap.indent(lines, " " * 8)
        method = f"\n    def {self.verb}(self, {SIGNATURES[self.verb]}):\n{body}\n"
        folder.mkdir(exist_ok=True)
        (folder / "game.yaml").write_text(DECLARATION, encoding="utf-8")
        (folder / "game.py").write_text(PRELUDE.format(facts=json.dumps(facts)) + method, encoding="utf-8")
        return folder


REACHING = {
    "reads the passwords": Hostile(
        'for path in ("/etc/shadow", "/etc/passwd", "/root/.ssh/id_rsa"): attempt(read, path)',
        logged="denied",
    ),
    "reads the vault": Hostile(
        'for name in ("truth", "other", "database"): attempt(read, FACTS[name])', logged="No such file"
    ),
    "reads the environments of all processes": Hostile("""
        for pid in [name for name in os.listdir("/proc") if name.isdigit()] + ["self"]:
            try:
                text = open(f"/proc/{pid}/environ", "rb").read()
            except OSError:
                continue
            if FACTS["secret"].encode() in text or b"KAKURENBO" in text:
                print("ESCAPED", pid)
    """),
    "searches the whole tree": Hostile("""
        for folder, below, names in os.walk("/"):
            below[:] = [name for name in below if name not in ("proc", "usr", "opt", "dev", "lib")]
            for name in names:
                if folder != "/game" and FACTS["secret"].encode() in open(f"{folder}/{name}", "rb").read():
                    print("ESCAPED", folder, name)
    """),
    "opens sockets": Hostile(
        """
        attempt(lambda: socket.create_connection(("127.0.0.1", FACTS["port"]), 0.2))
        attempt(lambda: socket.socket(socket.AF_UNIX).connect(FACTS["unix_socket"]))
        attempt(lambda: socket.create_connection(("192.0.2.1", 53), 0.2))
    """,
        logged="denied",
    ),
    "imports the platform": Hostile(
        """
        for name in ("django", "contest.models", "config.settings", "attacks", "scoring", "anonymizers",
                     "games.rehearsal", "games.sandboxed", "games.shop.data.online_retail", "kakurenbo"):
            attempt(__import__, name)
    """,
        logged="No module named 'django'",
    ),
    "writes into the SDK, the game and the call": Hostile(
        """
        for path in ("/program/games/call.py", "/program/new.py", "/game/game.py", "/game/new.py",
                     "/call/call.json", "/call/new", "/new", "/usr/new", "/opt/new"):
            attempt(write, path)
    """,
        logged="Read-only",
    ),
    "traces its parents": Hostile(
        """
        for pid in (os.getppid(), 1):
            attempt(lambda: call(libc.ptrace(16, pid, None, None)))
            attempt(read, f"/proc/{pid}/mem")
    """,
        logged="denied",
    ),
    "kills everything it sees": Hostile("os.kill(-1, 9)", ("killed", "no-output", "crashed")),
    "makes devices and hard links": Hostile(
        """
        attempt(os.mknod, OUT, stat.S_IFCHR | 0o666, os.makedev(1, 8))
        attempt(os.link, "/call/call.json", OUT)
    """,
        logged="denied",
    ),
}
"""What they try to reach, and do not."""

USING = {
    "forks forever": Hostile(
        "while True: os.fork()",
        ("too-many-processes", "cpu-exceeded", "timed-out", "memory-exceeded", "killed"),
        limits={"processes": 8},
    ),
    "keeps running": Hostile("while True: pass", ("cpu-exceeded",)),
    "sleeps": Hostile("time.sleep(600)", ("timed-out",), limits={"wall_seconds": 2}),
    "fills the memory": Hostile("held = np.ones(10**10)", ("memory-exceeded",)),
    "writes ten gigabytes": Hostile(
        "with open('/tmp/much', 'wb') as file:\n    while True: file.write(bytes(1 << 20))",
        ("crashed", "killed"),
    ),
    "makes a million files": Hostile(
        "for n in range(10**6): open(f'/tmp/{n}', 'w').close()", ("crashed", "killed")
    ),
    "digs folders without end": Hostile(
        "os.chdir('/tmp')\nwhile True:\n    os.mkdir('deeper')\n    os.chdir('deeper')", ("crashed", "killed")
    ),
    "floods its log": Hostile("while True: print('x' * 10_000)", ("killed",), limits={"log_bytes": 4096}),
    "draws on the terminal": Hostile("print('\\x1b[2J\\x07 gone \\u202e')", logged="\\x1b[2J"),
}
"""What they use too much of."""

ANSWERING = {
    "ends without an answer": Hostile("os._exit(0)", ("no-output",)),
    "answers by a link": Hostile("os.symlink('/call/call.json', OUT)\nos._exit(0)", ("no-output",)),
    "answers by a pipe": Hostile("os.mkfifo(OUT)\nos._exit(0)", ("no-output",)),
    "answers by a folder": Hostile("os.mkdir(OUT)\nos._exit(0)", ("no-output",)),
    "answers with noise": Hostile("open(OUT, 'wb').write(b'\\0' * 1000)\nos._exit(0)", ("bad-answer",)),
    "answers with too much": Hostile(
        "open(OUT, 'wb').write(bytes(2 << 20))\nos._exit(0)",
        ("output-too-large",),
        limits={"output_bytes": 1 << 20},
    ),
    "climbs out of the folder": Hostile("forge({'../../escaped': b'1'})", ("bad-answer",)),
    "names an absolute path": Hostile("forge({'/escaped': b'1'})", ("bad-answer",)),
    "names a path a hundred deep": Hostile("forge({'a/' * 100 + 'b': b'1'})", ("bad-answer",)),
    "answers with a million files": Hostile("forge({f'f{n}': b'' for n in range(10_000)})", ("bad-answer",)),
    "has a file that is a folder": Hostile("forge({'a': b'', 'a/b': b''})", ("bad-answer",)),
    "gives a huge answer": Hostile("forge({'answer.json': b' ' * (5 << 20)})", ("answer-too-large",)),
    "nests without end": Hostile("forge({'answer.json': b'[' * 100_000})", ("bad-answer",)),
    "gives a type of its own": Hostile(
        "forge({'answer.json': json.dumps({'$': 'Popen', 'fields': ['ls']}).encode()})", ("bad-answer",)
    ),
    "gives a pickled array": Hostile(
        """
        np.save('/tmp/a.npy', np.array([{}], dtype=object), allow_pickle=True)
        inner = {'$': 'array', 'file': 'a.npy'}
        forge({'answer.json': json.dumps(inner).encode(), 'a.npy': open('/tmp/a.npy', 'rb').read()})
    """,
        ("bad-answer",),
    ),
    "takes a word of the platform": Hostile(
        "forge({'broken.json': json.dumps({'code': 'run.finished', 'values': {}}).encode()})", ("no-answer",)
    ),
    "gives no number": Hostile("return {'loss': float('nan')}", ("not-finite",)),
    "gives infinity": Hostile("return {'loss': float('-inf')}", ("not-finite",)),
    "gives a number of a thousand digits": Hostile("return {'loss': 10**1000}", ("not-finite",)),
    "gives a number too long to read": Hostile(
        "sys.set_int_max_str_digits(0)\nreturn {'loss': 10**5000}", ("bad-answer",)
    ),
    "gives a word for a number": Hostile("return {'loss': 'half'}", ("not-finite",)),
    "leaves a number out": Hostile("return {}", ("number-missing",)),
    "gives another verb's answer": Hostile("return Verdict()", ("other-type",)),
    "gives ten thousand numbers": Hostile(
        "return {'loss': 1.0} | {str(n): 1.0 for n in range(10_000)}", ("too-many-numbers",)
    ),
    "gives a risk of two": Hostile("return Result(2.0, {'hits': 1.0})", ("bad-risk",), "judge"),
    "gives a list as a risk": Hostile("return Result((1, 2), {'hits': 1.0})", ("bad-risk",), "judge"),
    "gives numbers that are none": Hostile("return Result(0.5, 'hits')", ("other-type",), "judge"),
    "leaves the numbers of a result out": Hostile("return Result(0.5)", ("number-missing",), "judge"),
    "gives an endless interval": Hostile(
        "return Result(0.5, {'hits': 1.0}, None, (0.0, float('inf')))", ("not-finite",), "judge"
    ),
    "gives too much evidence": Hostile(
        "return Result(0.5, {'hits': 1.0}, evidence={'found': np.zeros(2_200_000)})",
        ("too-much-evidence",),
        "judge",
    ),
    "answers fewer questions than were asked": Hostile(
        "return iter(())", ("other-number-of-results",), "judge_all"
    ),
    "covers the target of another round": Hostile(
        "return iter([('stranger', 'who')])", ("bad-cover",), "cover"
    ),
    "covers a cell twice": Hostile("return iter([('aki', 'who')] * 2)", ("bad-cover",), "cover"),
    "ranks a team of another contest": Hostile(
        "return iter([Board('main', (), (Row('stranger', {}, (1.0,)),))])", ("bad-board",), "tally"
    ),
    "has a board of ten thousand columns": Hostile(
        "return iter([Board('main', tuple(map(str, range(10_000))), ())])", ("bad-board",), "tally"
    ),
    "breaks a limit that nobody knows": Hostile(
        "return Verdict(('the secret is 42',))", ("bad-verdict",), "verdict"
    ),
    "gives a book of facts": Hostile("return {'story': 'x' * 100_000}", ("too-many-facts",), "build"),
    "draws no number": Hostile(
        "yield Bars('ages', ('a',), {'before': (float('nan'),)})", ("bad-picture",), "pictures"
    ),
    "draws a million points": Hostile(
        "yield Bars('ages', ('a',), {'before': np.zeros(10**6)})", ("bad-picture",), "pictures"
    ),
    "draws a million numbers of JSON": Hostile(
        "yield Bars('ages', ('a',), {'before': (0.123456789,) * 10**6})", ("answer-too-large",), "pictures"
    ),
    "draws a thousand pictures": Hostile(
        "yield from [Bars('ages', ('a',), {'before': (1,)}, str(n)) for n in range(1000)]",
        ("too-many-pictures",),
        "pictures",
    ),
    "draws what it does not declare": Hostile(
        "yield Bars(secret(world), ('a',), {'before': (1,)})", ("unknown-picture",), "pictures"
    ),
    "draws control characters": Hostile(
        "yield Bars('ages', ('\\x1b[2J',), {'before': (1,)})", ("bad-picture",), "pictures"
    ),
    "draws markup, which pages escape": Hostile(
        "yield Bars('ages', ('<script>',), {'before': (1,)})", ("",), "pictures"
    ),
    "draws another kind of picture": Hostile(
        "yield Curves('ages', {'before': ((0, 1), (0, 1))})", ("bad-picture",), "pictures"
    ),
    "draws something strange": Hostile("yield Bars({}, {}, {}, {})", ("unknown-picture",), "pictures"),
    "draws another verb's answer": Hostile("yield Result(0.5)", ("other-type",), "pictures"),
    "crashes while it draws": Hostile("raise RuntimeError('no pictures')", ("crashed",), "pictures"),
    "draws a curve that goes back": Hostile(
        "return iter([[Curves('roc', {'answer': ((1, 0), (0, 1))})] for _ in judged])",
        ("bad-picture",),
        "answer_pictures_all",
    ),
    "draws an answer too few": Hostile(
        "return iter(())", ("other-number-of-results",), "answer_pictures_all"
    ),
    "draws a picture of an entry for an answer": Hostile(
        "return iter([[Bars('ages', ('a',), {'before': (1,)})] for _ in judged])",
        ("unknown-picture",),
        "answer_pictures_all",
    ),
    "writes a file that it does not declare": Hostile(
        "out.create('result-of-another-round.csv')", ("undeclared-file",), "build"
    ),
    "forges a file that it does not declare": Hostile(
        "forge({'answer.json': b'{\"$\": \"map\", \"items\": []}', 'files/other.csv': b'1'})",
        ("undeclared-file",),
        "build",
    ),
    "writes more than it declares": Hostile(
        "out.create('made.csv').write(bytes(101))", ("file-too-large",), "build"
    ),
}
"""What they answer."""

TELLING = {
    "tells the secret as a value": Hostile(
        "yield Fault('odd', 'up.csv', values={'what': secret(world)})", ("bad-refusal",), "check"
    ),
    "tells the secret letter by letter": Hostile(
        "yield Fault('odd', 'up.csv', values={str(n): letter for n, letter in enumerate(secret(world)[:8])})",
        ("bad-refusal",),
        "check",
    ),
    "tells the secret as a quoted cell": Hostile(
        "yield Fault('odd', 'up.csv', 1, 'x', secret(world), {'what': 1})", ("bad-refusal",), "check"
    ),
    "quotes a cell of another line": Hostile(
        "yield Fault('odd', 'up.csv', 1, 'x', 'b', {'what': 1})", ("bad-refusal",), "check"
    ),
    "tells the secret as a file": Hostile(
        "yield Fault('odd', secret(world), values={'what': 1})", ("bad-refusal",), "check"
    ),
    "tells the secret as a column": Hostile(
        "yield Fault('odd', 'up.csv', 1, secret(world), None, {'what': 1})", ("bad-refusal",), "check"
    ),
    "tells the secret as a code": Hostile("yield Fault(secret(world), 'up.csv')", ("bad-refusal",), "check"),
    "tells the secret as a line": Hostile(
        "yield Fault('odd', 'up.csv', int.from_bytes(secret(world).encode()[:8], 'big'))",
        ("bad-refusal",),
        "check",
    ),
    "tells the secret as a number": Hostile(
        "yield Fault('odd', 'up.csv', values={'what': int.from_bytes(secret(world).encode(), 'big')})",
        ("bad-refusal",),
        "check",
    ),
    "tells the secret as the name of a value": Hostile(
        "yield Fault('odd', 'up.csv', values={secret(world): 1})", ("bad-refusal",), "check"
    ),
    "refuses a thousand times and more": Hostile(
        "yield from [Fault('odd', 'up.csv', values={'what': n}) for n in range(1001)]",
        ("too-many-refusals",),
        "check",
    ),
    "refuses with something strange": Hostile(
        "yield Fault({}, {}, {}, {}, {}, {})", ("strange-value",), "check"
    ),
    "tells the secret in an exception": Hostile(
        "raise RuntimeError(secret(world))", ("crashed",), "check", logged="only-this-game-may-read-it"
    ),
}
"""What they tell a team by a refusal."""

EVERY = {**REACHING, **USING, **ANSWERING, **TELLING}
