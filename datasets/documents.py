"""YAML to plain data that still knows the line of everything; only the safe subset, without aliases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import yaml

from datasets.messages import Message, Template
from datasets.problems import shown
from datasets.setting import A_FINITE_NUMBER

A_YAML = Template("document.yaml", "YAML")
A_TEXT_AS_KEY = Template("document.text-as-key", "a text as key; put it in quotes")
A_KEY_ONCE = Template("document.key-once", "a key once; see line %(line)s")
AT_MOST_CHARACTERS = Template("document.at-most-characters", "at most %(n)s characters")
AT_MOST_LEVELS = Template("document.at-most-levels", "at most %(n)s levels")
NO_ALIASES = Template("document.no-aliases", "no aliases")
MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 20
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class DocumentProblem:
    """One problem of a document: the line, the key, what is there, what was expected.

    >>> print(DocumentProblem("contest.yaml", 17, "rounds[0].weight", "not-finite", "inf", A_FINITE_NUMBER()))
    contest.yaml, line 17, rounds[0].weight: got 'inf', expected a finite number. [not-finite]
    """

    file: str
    line: int | None
    key: str
    code: str
    got: str | None
    expected: Message

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        key = f", {self.key}" if self.key else ""
        got = "" if self.got is None else f"got '{self.got}', "
        return f"{place}{key}: {got}expected {self._expected()}. [{self.code}]"

    def as_dict(self) -> dict[str, Any]:
        """In English words."""
        return asdict(self) | {"expected": self._expected()}

    def _expected(self) -> str:
        """A text that may end with a sentence, as the one about parameters, loses its full stop."""
        return str(self.expected).rstrip(".")


class Document:
    """A document as data, the line of every key, and the problems found in it.

    ``expected`` says what the whole should be, ``most`` how many characters it may have.
    """

    def __init__(self, text: str, file: str, expected: Message, most: int = MAX_CHARACTERS) -> None:
        self.file = file
        self.most = most
        self.data: Any = None
        self.problems: list[DocumentProblem] = []
        self._expected = expected
        self._lines: dict[Path, int] = {(): 1}
        try:
            self._read(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            quoted = shown(error.problem or "something else")
            line = mark.line + 1 if mark else None
            self.problems.append(DocumentProblem(file, line, "", "not-yaml", quoted, A_YAML()))
        except yaml.YAMLError as error:
            self.problems.append(DocumentProblem(file, None, "", "not-yaml", shown(str(error)), A_YAML()))
        except (ValueError, OverflowError) as error:
            # A number such as 1e999999 in a form that YAML has but Python cannot hold.
            self.problems.append(DocumentProblem(file, None, "", "not-yaml", shown(str(error)), A_YAML()))

    def add(self, path: Path, code: str, expected: Message, got: Any = None) -> None:
        """Note a problem at a key; where the key itself is missing, at the mapping that lacks it."""
        quoted = None if got is None else shown(got if isinstance(got, str) else str(got))
        self.problems.append(
            DocumentProblem(self.file, self.line(path), name_of(path), code, quoted, expected)
        )

    def line(self, path: Path) -> int:
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    def _read(self, text: str) -> None:
        if len(text) > self.most:
            self.add((), "too-long", AT_MOST_CHARACTERS(n=f"{self.most:,}"), len(text))
            return
        if not self._is_tame(text):
            return
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                self.add((), "empty", self._expected)
                return
            self._index(node, ())
            if not self.problems:
                self.data = loader.construct_document(node)
        finally:
            loader.dispose()
        for path, number in _floats(self.data, ()):
            if not math.isfinite(number):
                self.add(path, "not-finite", A_FINITE_NUMBER(), number)

    def _is_tame(self, text: str) -> bool:
        """Look at the events before anything is built: aliases and deep nests can grow without bound."""
        depth = 0
        for event in yaml.parse(text, Loader=_Loader):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent):
                problem = DocumentProblem(self.file, line, "", "alias", f"*{event.anchor}", NO_ALIASES())
                self.problems.append(problem)
                return False
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                expected = AT_MOST_LEVELS(n=MAX_DEPTH)
                self.problems.append(DocumentProblem(self.file, line, "", "too-deep", None, expected))
                return False
        return True

    def _index(self, node: yaml.Node, path: Path) -> None:
        """Remember the line of every key and element; note keys that are not text or appear twice."""
        if isinstance(node, yaml.SequenceNode):
            for place, element in enumerate(node.value):
                self._lines[(*path, place)] = element.start_mark.line + 1
                self._index(element, (*path, place))
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                line = key.start_mark.line + 1
                inner = (*path, str(key.value)[:100])
                known = self._lines.setdefault(inner, line)
                if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                    self._lines[inner] = line
                    self.add(inner, "key-not-text", A_TEXT_AS_KEY())
                elif known != line:
                    problem = DocumentProblem(
                        self.file, line, name_of(inner), "key-twice", None, A_KEY_ONCE(line=known)
                    )
                    self.problems.append(problem)
                self._index(value, inner)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, but times stay texts, so that we keep and check their zone."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def name_of(path: Path) -> str:
    """A path as people write it.

    >>> name_of(("rounds", 0, "weight"))
    'rounds[0].weight'
    """
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def _floats(value: Any, path: Path) -> Iterator[tuple[Path, float]]:
    if isinstance(value, float):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _floats(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _floats(inner, (*path, place))
