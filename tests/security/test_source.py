"""What the source must not hold, found in its syntax trees and templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT
from tests.test_architecture import modules

MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "telnetlib", "xml"}
CALLS = {
    "eval", "exec", "compile", "__import__", "yaml.load", "yaml.unsafe_load", "yaml.full_load", "os.system",
    "os.popen", "np.load", "numpy.load", "pd.read_pickle", "joblib.load", "tempfile.mktemp",
}  # fmt: skip
METHODS = {"extractall", "extra", "raw"}
"""Of archives, and of querysets: SQL that is put together by hand."""
MARKED_SAFE = {"contest/markdown.py", "contest/charts/svg.py", "contest/board.py"}
"""The modules that may declare text to be HTML: it was cleaned, or escaped piece by piece, just above."""


def trees(*packages: str) -> Iterator[tuple[Path, ast.AST]]:
    for path in modules(*packages):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def where(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def forbidden(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
            yield from ((node, name) for name in names & MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in MODULES:
            yield node, node.module
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in CALLS or (name.rsplit(".", 1)[-1] in METHODS and "." in name):
                yield node, name
            for keyword in node.keywords:
                if keyword.arg in {"shell", "allow_pickle"} and getattr(keyword.value, "value", None) is True:
                    yield node, keyword.arg


def test_nothing_that_runs_or_unpacks_what_strangers_send() -> None:
    found = [f"{where(path, node)}: {what}" for path, tree in trees() for node, what in forbidden(tree)]
    assert found == []


def test_the_search_finds_what_it_looks_for() -> None:
    bad = (
        "import pickle", "from marshal import loads", "eval('1')", "yaml.load(x)", "run(x, shell=True)",
        "np.load(x, allow_pickle=True)", "archive.extractall('.')", "Entry.objects.raw('SELECT 1')",
    )  # fmt: skip
    for line in bad:
        assert list(forbidden(ast.parse(line))), line
    assert not list(forbidden(ast.parse("yaml.safe_load(x)\nrun([x])\nre.compile('x')")))


def test_sql_is_never_put_together_from_values() -> None:
    for path, tree in trees("contest", "config"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".execute") and node.args:
                built = isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
                assert not built, where(path, node)


def test_no_view_is_exempt_from_the_check_against_forged_requests() -> None:
    exempt = {path for path in modules("contest", "config") if "csrf_exempt" in path.read_text("utf-8")}
    # The answer to unknown addresses of the API does nothing, so there is nothing to forge.
    assert exempt == {ROOT / "contest/api/errors.py"}


def test_html_is_declared_safe_in_few_places() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in modules("contest", "config")
        if re.search(r"\b(mark_safe|SafeString\()", path.read_text(encoding="utf-8"))
    }
    assert found <= MARKED_SAFE, found - MARKED_SAFE


def test_templates_switch_no_escaping_off() -> None:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape\s+off|\|\s*safeseq\b", text), path
