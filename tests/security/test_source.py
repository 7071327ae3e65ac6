"""What the source must not hold, found in its syntax trees and templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import kombu.serialization
import pytest
from django.conf import settings
from kombu.exceptions import ContentDisallowed

from config import environment
from config.celery import app
from tests.conftest import ROOT
from tests.test_architecture import modules

MODULES = {
    "pickle", "_pickle", "pickletools", "marshal", "shelve", "dbm", "dill", "cloudpickle", "joblib",
    "copyreg", "telnetlib", "xml",
}  # fmt: skip
CALLS = {
    "eval", "exec", "compile", "__import__", "yaml.load", "yaml.unsafe_load", "yaml.full_load", "os.system",
    "os.popen", "np.load", "numpy.load", "tempfile.mktemp",
}  # fmt: skip
METHODS = {"extractall", "extra", "raw", "read_pickle", "to_pickle", "enable_insecure_serializers"}
"""Of archives, of querysets (SQL that is put together by hand), of tables and of kombu."""
WORDS = re.compile(
    r"pickle|x-python-serialize|backends\.redis\.RedisCache|FileBasedCache|DatabaseCache|MemcachedCache|"
    r"PyLibMCCache|PyMemcacheCache|sessions\.backends\.(?!db)"
)
"""In texts of the settings: every cache of Django's but the one in a process' own memory unpickles."""
MARKED_SAFE = {"contest/language/markdown.py", "contest/charts/svg.py", "contest/board/board_cache.py"}
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
        elif isinstance(node, ast.ImportFrom):
            # Also what others pass on, such as `from django.core.cache.backends.locmem import pickle`.
            names = {(node.module or "").split(".")[0], *(alias.name for alias in node.names)}
            yield from ((node, name) for name in names if name in MODULES or WORDS.search(name.lower()))
        elif isinstance(node, ast.Attribute) and node.attr in MODULES | METHODS - {"extra", "raw"}:
            yield node, node.attr
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
        "import pickle", "from marshal import loads", "import joblib.numpy_pickle", "pd.read_pickle(x)",
        "from django.contrib.sessions.serializers import PickleSerializer", "from pandas import read_pickle",
        "from django.core.cache.backends.locmem import pickle", "locmem.pickle.loads(x)",
        "kombu.enable_insecure_serializers()", "read = pandas.read_pickle", "frame.to_pickle(x)",
        "eval('1')", "yaml.load(x)", "run(x, shell=True)",
        "np.load(x, allow_pickle=True)", "archive.extractall('.')", "Entry.objects.raw('SELECT 1')",
    )  # fmt: skip
    for line in bad:
        assert list(forbidden(ast.parse(line))), line
    assert not list(forbidden(ast.parse("yaml.safe_load(x)\nrun([x])\nre.compile('x')")))


def texts(value: object) -> Iterator[str]:
    """Every text in a setting, however deep, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from texts(pair)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from texts(item)


def unpickling(values: Mapping[str, object]) -> list[str]:
    return [
        f"{name}: {text}" for name, value in values.items() for text in texts(value) if WORDS.search(text)
    ]


def test_no_setting_lets_anything_be_unpickled() -> None:
    assert unpickling({name: getattr(settings, name) for name in dir(settings) if name.isupper()}) == []
    assert unpickling({"CACHES": environment.cache("redis://127.0.0.1:6379/1")}) == []
    assert settings.SESSION_SERIALIZER == "django.contrib.sessions.serializers.JSONSerializer"


def test_the_search_finds_a_setting_that_unpickles() -> None:
    bad: tuple[object, ...] = (
        {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache"}},
        {"default": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache"}},
        {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache"}},
        {"default": {"BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache"}},
        "django.contrib.sessions.backends.cache",
        ["json", "pickle"],
        ("application/x-python-serialize",),
    )
    for value in bad:
        assert unpickling({"X": value}), value
    assert not unpickling({"X": ["django.contrib.sessions.backends.db", "config.caches.JsonRedisCache"]})


def test_celery_and_kombu_take_json_and_nothing_else() -> None:
    conf = app.conf
    assert conf.accept_content == conf.result_accept_content == ["json"]
    assert {conf.task_serializer, conf.result_serializer, conf.event_serializer} == {"json"}
    assert conf.task_ignore_result and conf.result_backend is None
    for kind in ("pickle", "application/x-python-serialize"):
        with pytest.raises(ContentDisallowed):
            kombu.serialization.loads(b"x", kind, "binary", accept=conf.accept_content)
    assert "application/x-python-serialize" in kombu.serialization.registry._disabled_content_types  # type: ignore[attr-defined]


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
