"""The files for code hosts, editors and git: they follow their rules and agree with the Makefile."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.deployment.test_files import YAMLLINT, tool

SCHEMAS = {
    ".github/workflows/ci.yml": "github-workflows",
    ".github/ISSUE_TEMPLATE/config.yml": "github-issue-config",
    ".github/ISSUE_TEMPLATE/bug.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/idea.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/method.yml": "github-issue-forms",
    "CITATION.cff": "citation-file-format",
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "schema"), SCHEMAS.items(), ids=SCHEMAS)
def test_a_file_for_others_follows_their_schema(name: str, schema: str) -> None:
    tool("check-jsonschema", "--builtin-schema", f"vendor.{schema}", name)
    tool("yamllint", "--strict", "--config-data", YAMLLINT, name)


def test_every_file_for_the_code_host_has_a_schema() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / ".github").rglob("*.yml")}
    assert found == {name for name in SCHEMAS if name.startswith(".github/")}


def test_the_hooks_run_what_make_lint_runs() -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", read("Makefile"), re.MULTILINE)
    assert recipe is not None
    commands = [line.removeprefix("\t@$(BIN)/") for line in recipe[1].splitlines()]
    (local,) = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert local["repo"] == "local"
    assert [hook["entry"].removeprefix(".venv/bin/") for hook in local["hooks"]] == commands
    for hook in local["hooks"]:
        assert hook["language"] == "system" and hook["pass_filenames"] is False


def test_the_workflow_calls_what_developers_call_with_the_services_of_the_tests() -> None:
    job = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]["ci"]
    assert job["steps"][-1]["run"] == ".ci/run"
    variables = set(re.findall(r"KAKURENBO_TEST_(?:POSTGRES|REDIS|RABBITMQ)\b", read("tests/backends.py")))
    assert variables and variables <= job["env"].keys()
    for service in job["services"]:
        assert any(f"{service}:" in job["env"][name] for name in variables), service


def test_a_citation_names_the_version() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    citation = yaml.safe_load(read("CITATION.cff"))
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])


def test_the_container_for_developers_uses_what_there_is() -> None:
    container = json.loads(read(".devcontainer/devcontainer.json"))
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z-]+)", container["postCreateCommand"])) <= targets
    python = re.fullmatch(r"python:(3\.\d+)-\w+", container["image"])
    assert python is not None and f"Python {python[1]} to" in read("README.md")


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.*")), ids=lambda path: path.name)
def test_no_file_names_a_registry(path: Path) -> None:
    assert "://" not in re.sub(r"(postgresql|redis|amqp)://", "", path.read_text(encoding="utf-8"))
