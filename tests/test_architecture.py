"""The house rules that a machine can watch: who may import whom, and how large things may grow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from contest.archive.tables import NOT_ARCHIVED, TABLES
from tests.conftest import ROOT

PACKAGES = (
    "arithmetic", "datasets", "games", "scoring", "attacks", "anonymizers", "contest", "config", "kakurenbo",
)  # fmt: skip
ALLOWED = {
    "arithmetic": set(),
    "datasets": {"arithmetic"},
    "scoring": {"arithmetic", "datasets"},
    "attacks": {"arithmetic", "datasets"},
    "anonymizers": {"arithmetic", "datasets"},
    "games": {"arithmetic", "datasets", "scoring", "attacks", "anonymizers"},
    "kakurenbo": {"arithmetic", "datasets", "games", "scoring", "attacks", "anonymizers"},
    "contest": {"datasets", "games", "scoring", "attacks", "anonymizers", "config"},
    "config": {"contest"},
}
HOUSE_GAMES = {"formats", "shop", "tables", "pwscup2016", "pwscup2017", "pwscup2018"}
"""Rooms of `games` that import the numerics; the contract and what runs any game know `datasets` alone."""
EXCEPTIONS = {"kakurenbo/commands/contest.py": {"contest"}}
"""Checking a bundle is offline work, but what a bundle is belongs to contests. That part needs no Django, and
the command loads the rest only where it acts on an installation."""
WEB = {"django", "celery", "rest_framework", "kombu"}
NUMERICS = ("datasets", "games", "scoring", "attacks", "anonymizers")
WRITERS = tuple(f"contest/{room}/" for room in ("models", "services", "jobs", "outside", "records", "work"))
"""The rooms whose code changes the state of a contest."""
LOADERS = {
    "contest/archive/importing.py",
    "contest/operations/backup/restoring.py",
    "contest/play/packages.py",
    "contest/rehearsal/fast_clock.py",
    "contest/rehearsal/play.py",
}
"""What brings whole contests or installations back, row by row; the rows of installed games; and the clock of
a rehearsal, whose database is thrown away."""
MAX_FUNCTION_LINES = 60
MAX_MODULE_LINES = 400


def modules(*packages: str) -> Iterator[Path]:
    for package in packages or PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def texts() -> Iterator[Path]:
    """What people wrote: sources, pages, words, documents."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in (*PACKAGES, "templates", "docs", "docker", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".html", ".md", ".po", ".txt", ".yaml", ".js", ".css", ".sh"}:
                yield path


def imported(path: Path) -> set[str]:
    """The top-level packages that a module imports, at any depth of the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", ["arithmetic", *NUMERICS, "kakurenbo"])
def test_packages_import_only_what_stands_below_them(package: str) -> None:
    for path in modules(package):
        ours = imported(path) & set(PACKAGES)
        allowed = ALLOWED[package] | {package} | EXCEPTIONS.get(path.relative_to(ROOT).as_posix(), set())
        assert ours <= allowed, f"{path.relative_to(ROOT)} imports {ours}"


def test_the_contract_of_games_knows_no_numerics() -> None:
    for path in modules("games"):
        relative = path.relative_to(ROOT)
        if relative.parts[1] not in HOUSE_GAMES:
            ours = imported(path) & set(PACKAGES)
            assert ours <= {"arithmetic", "datasets", "games"}, f"{relative} imports {ours}"


@pytest.mark.parametrize("package", ["arithmetic", *NUMERICS])
def test_the_numerics_know_nothing_of_the_web(package: str) -> None:
    for path in modules(package):
        assert not imported(path) & WEB, f"{path.relative_to(ROOT)} imports the web"


def test_a_bundle_is_checked_without_the_web() -> None:
    for path in modules("contest"):
        if path.parent.name == "bundle":
            assert not imported(path) & WEB, f"{path.relative_to(ROOT)} imports the web"
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"from contest\.(models|services|access|queries|storage)", text), path


def test_only_the_vault_opens_the_vault() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if path.relative_to(ROOT).as_posix() in {"contest/files/vault.py", "config/settings.py"}:
            continue
        assert 'ContentStore("vault")' not in text, path
        assert not re.search(r"storages\[.vault.\]", text), path


def test_only_the_judges_code_reads_a_truth_or_an_upload() -> None:
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if re.search(r"\b(truth_of|upload_of)\(", path.read_text(encoding="utf-8"))
    }
    assert readers == {
        "contest/files/vault.py",
        "contest/services/stored_uploads.py",
        "contest/work/attacks.py",
        "contest/work/entries.py",
        "contest/work/other_rounds.py",
        "contest/work/signals.py",
    }


def test_states_are_changed_only_by_services() -> None:
    """Outside a few rooms nobody assigns a state or saves, updates, creates or deletes a row."""
    writes = re.compile(r"\.(save|update|bulk_create|bulk_update|get_or_create|update_or_create|delete)\(")
    created = re.compile(r"objects\.create\(")
    for path in modules("contest"):
        relative = path.relative_to(ROOT).as_posix()
        if relative.startswith(WRITERS) or relative in LOADERS or "storage" in relative:
            continue
        text = path.read_text(encoding="utf-8")
        assert not created.search(text), relative
        for match in writes.finditer(text):
            line = text[: match.start()].count("\n") + 1
            source = text.splitlines()[line - 1]
            assert "digest.update" in source, f"{relative}:{line}: {source.strip()}"


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_a_function_fits_a_screen_and_a_module_is_one_thought() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        relative = path.relative_to(ROOT)
        assert text.count("\n") <= MAX_MODULE_LINES, f"{relative} has {text.count(chr(10))} lines"
        for function in functions(ast.parse(text)):
            body = function.body
            documented = ast.get_docstring(function) is not None
            first = body[1].lineno if documented and len(body) > 1 else body[0].lineno
            length = (function.end_lineno or first) - first + 1
            assert length <= MAX_FUNCTION_LINES, f"{relative}:{function.name} has {length} lines"


def test_no_module_is_a_drawer_for_everything() -> None:
    for path in modules():
        assert path.stem not in {"utils", "helpers", "common", "manager", "misc"}, path


def test_nothing_untrusted_can_be_evaluated() -> None:
    """No pickle, eval, exec, yaml.load or shell anywhere in the platform."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in {
                    "eval",
                    "exec",
                    "yaml.load",
                    "os.system",
                    "pickle.load",
                    "pickle.loads",
                }, where
                for keyword in node.keywords:
                    value = getattr(keyword.value, "value", None)
                    assert not (keyword.arg in {"shell", "allow_pickle"} and value is True), where


def test_an_exception_that_is_built_is_raised() -> None:
    """A statement that only builds an exception does nothing: the check it was meant for cannot fail."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                name = ast.unparse(node.value.func).rsplit(".", 1)[-1]
                is_error = re.fullmatch(
                    r"(\w*Error|\w*Exception|Refused|CannotProtect|Http404|PermissionDenied)", name
                )
                assert not is_error, f"{path.relative_to(ROOT)}:{node.lineno} builds {name} and drops it"


def test_templates_load_nothing_from_elsewhere_and_hold_no_inline_code() -> None:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        relative = path.relative_to(ROOT)
        assert not re.search(r"""(src|href)\s*=\s*["'](https?:)?//""", text), relative
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), relative
        assert not re.search(r"""\sstyle\s*=\s*["']""", text), relative
        assert not re.search(r"""\son[a-z]+\s*=\s*["']""", text), relative


def test_no_quotation_mark_is_an_apostrophe() -> None:
    """A replacement of all quotes once turned the apostrophes of six docstrings into quotation marks."""
    faults = []
    for path in texts():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if re.search(r"""\b[a-z]{2,}["”](s|t|re|ve|ll|d)\b(?!\()""", line):
                faults.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not faults, "\n".join(faults)


def test_the_lock_files_name_no_address() -> None:
    for path in sorted((ROOT / "requirements").glob("*.lock")):
        text = path.read_text(encoding="utf-8")
        assert "://" not in text, path
        assert "index-url" not in text, path
        assert "--hash=sha256:" in text, path


def test_every_model_is_archived_or_left_out_for_a_reason() -> None:
    known = {table.name for table in TABLES} | set(NOT_ARCHIVED)
    there = {model._meta.model_name for model in apps.get_app_config("contest").get_models()}
    assert there == known, "say in contest/archive/tables.py whether a new model belongs into the archive"


def test_only_archives_and_backups_take_whole_files_out_of_the_vault() -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if re.search(r"\b(open_for_archive|keep_archived)\b", path.read_text(encoding="utf-8"))
    }
    assert users == {"contest/files/vault.py", "contest/archive/file_stores.py"}
    users = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if "contest.archive.file_stores" in path.read_text()
    }
    assert users <= {
        "contest/archive/zips.py",
        "contest/operations/backup/writing.py",
        "contest/operations/doctor/files.py",
        "contest/archive/importing.py",
        "contest/operations/backup/restoring.py",
    }


A_FEW_ERRORS = re.compile(r"[<>]=? \d+(\.\d+)? \* .*(error|deviation)|pvalue > ?0|multivariate_normal\(")


def test_statistical_tests_count_their_false_alarms() -> None:
    """A margin of so many errors comes from `tests.chance`, which knows how often it fails by bad luck; so do
    correlated normal values, which NumPy makes by an SVD that differs by processor."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path.name == Path(__file__).name:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert not A_FEW_ERRORS.search(line), f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


BY_PROCESSOR = {
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "power", "float_power", "sin", "cos", "tan",
    "tanh", "arctan", "arctan2", "cbrt", "hypot", "logaddexp", "dot", "vdot", "inner", "matmul", "tensordot",
    "cov", "corrcoef", "polyfit", "convolve", "correlate", "argpartition",
}  # fmt: skip
"""NumPy functions whose last bits, or whose order of equal values, depend on the processor."""
SPARSE = {
    "games/shop/engines/itemset_clusters/centre_bounds.py",
    "anonymizers/engines/benchmark_steps.py",
    "anonymizers/engines/kmm/cuts.py",
    "attacks/linkage/candidates.py",
    "attacks/linkage/overlap.py",
    "games/shop/starters/reidentify.py",
    "games/shop/starters/reidentify_2018.py",
    "scoring/panel/brand_metrics.py",
    "games/shop/measures/item_similarity.py",
}
"""Products of sparse or whole-number matrices, whose sums SciPy takes in the order of the entries."""
HANDED_IN = {"games/shop/demo/rare_items.py"}
"""Programs of demo teams: like those of any team, they run in the sandbox with what NumPy and SciPy have."""
SORTED_BY_NUMBA = {"games/shop/engines/itemset_clusters/jaccard_kernels.py"}
"""Numba brings a sort of its own, which is the same everywhere."""


def depends_on_the_processor(node: ast.AST) -> str:
    """What in a piece of code may come out differently on another processor, or nothing."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
        return "@"
    if not isinstance(node, ast.Attribute):
        return ""
    text = ast.unparse(node)
    if text in {f"np.{name}" for name in BY_PROCESSOR} | {"scipy.optimize.minimize"}:
        return text
    return text if text.startswith("np.linalg.") and text != "np.linalg.norm" else ""


@pytest.mark.parametrize("package", NUMERICS)
def test_the_numerics_give_the_same_bits_on_every_processor(package: str) -> None:
    """`arithmetic` has a function for each; NumPy's and LAPACK's choose their kernels by the processor."""
    for path in modules(package):
        name = path.relative_to(ROOT).as_posix()
        if name in HANDED_IN:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = depends_on_the_processor(node)
            line = getattr(node, "lineno", 0)
            assert not found or (found == "@" and name in SPARSE), f"{name}:{line} uses {found}"
            if isinstance(node, ast.ImportFrom):
                assert node.module not in {"scipy.linalg", "numpy.linalg"}, f"{name} imports {node.module}"
                imported_names = {alias.name for alias in node.names}
                assert not (node.module == "scipy.optimize" and "minimize" in imported_names), name


@pytest.mark.parametrize("package", NUMERICS)
def test_equal_values_are_sorted_in_a_fixed_order(package: str) -> None:
    """NumPy's default sort leaves equal values in an order that depends on the processor."""
    for path in modules(package):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("argsort", "sort_values")):
                kinds = [ast.unparse(word.value) for word in node.keywords if word.arg == "kind"]
                assert kinds == ["'stable'"] or name in SORTED_BY_NUMBA, f"{name}:{node.lineno}"
