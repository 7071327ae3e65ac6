"""Docker, compose and systemd files: what can be checked without starting them."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from attacks.sandbox import Limits
from attacks.sandbox.group import OWN_BYTES, OWN_PROCESSES
from attacks.sandbox.world import OFFERED
from contest.jobs.queues import QUEUES
from contest.models import Job
from contest.operations import processes
from tests.conftest import ROOT

DOCKER = ROOT / "docker"
UNITS = sorted((DOCKER / "systemd").glob("*.service"))
PROGRAM_SERVICES = ("web", "sweeper", *processes.MACHINES)
YAMLLINT = (
    "{extends: default, rules: {line-length: {max: 120}, document-start: disable, brackets: disable, "
    "comments: {min-spaces-from-content: 1}, braces: disable}}"
)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def tool(name: str, *arguments: str) -> None:
    """Run a linter of the development requirements."""
    command = [str(Path(sys.executable).parent / name), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def expected_commands(bind: str) -> dict[str, list[str]]:
    workers = {name: processes.worker(queues) for name, queues in processes.MACHINES.items()}
    return {"web": processes.web(bind, processes=2), "sweeper": processes.sweeper(), **workers}


def test_the_compose_file_follows_the_specification() -> None:
    tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker/compose.yaml")
    tool("yamllint", "--strict", "--config-data", YAMLLINT, "docker/compose.yaml")


def test_a_misspelt_key_would_be_found(tmp_path: Path) -> None:
    text = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    broken = tmp_path / "compose.yaml"
    broken.write_text(text.replace("healthcheck:", "healtcheck:", 1), encoding="utf-8")
    with pytest.raises(AssertionError, match="healtcheck"):
        tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(broken))


def test_the_images_follow_the_rules_for_dockerfiles() -> None:
    tool("hadolint", "docker/Dockerfile", "docker/sandbox.Dockerfile")


def test_compose_starts_the_very_commands_that_the_tests_start(compose: dict[str, Any]) -> None:
    found = {name: compose["services"][name]["command"] for name in PROGRAM_SERVICES}
    assert found == {
        name: ["python", *command] for name, command in expected_commands("0.0.0.0:8000").items()
    }


def test_systemd_starts_the_very_commands_that_the_tests_start() -> None:
    found = {}
    for path in UNITS:
        line = re.search(r"^ExecStart=(.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert line is not None, path.name
        python, *command = shlex.split(line[1])
        assert python.endswith("/bin/python"), path.name
        found[path.stem.removeprefix("kakurenbo-").removeprefix("worker-")] = command
    assert found == expected_commands("127.0.0.1:8000")


@pytest.mark.parametrize("machines", [processes.MACHINES, processes.ONE_MACHINE])
def test_no_program_shares_a_worker_with_other_work_and_checks_have_one_alone(
    machines: dict[str, tuple[str, ...]],
) -> None:
    served = [queue for queues in machines.values() for queue in queues]
    assert sorted(served) == sorted(set(QUEUES.values()))
    assert ("programs",) in machines.values()
    assert ("checks",) in machines.values()
    assert {QUEUES[kind] for kind in (Job.Kind.CHECK, Job.Kind.JUDGE)} == {"checks"}
    assert [kind for kind, queue in QUEUES.items() if queue == "programs"] == [
        Job.Kind.PROGRAM,
        Job.Kind.HIDE,
    ]


def test_attack_machines_hold_no_web_secret_and_no_vault(compose: dict[str, Any]) -> None:
    for name in ("attacks", "programs"):
        service = compose["services"][name]
        assert set(service["secrets"]) == {"attacks_database_url", "attacks_broker_url"}
        assert service["environment"]["KAKURENBO_ROLE"] == "attacks"
        assert not [key for key in service["environment"] if "SECRET_KEY" in key or "VAULT" in key]
        mounted = {volume.split(":")[0]: volume for volume in service["volumes"]}
        assert "vault" not in mounted
        assert mounted["entries"].endswith(":ro")
        assert service["networks"] == ["back"]


def test_containers_run_without_rights_they_do_not_need(compose: dict[str, Any]) -> None:
    for name in (*PROGRAM_SERVICES, "migrate"):
        service = compose["services"][name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
    published = [name for name, service in compose["services"].items() if service.get("ports")]
    assert published == ["proxy"]
    assert compose["networks"]["back"] == {"internal": True}
    assert "build" not in compose["services"]["proxy"]
    for name in ("Dockerfile", "sandbox.Dockerfile"):
        last_stage = (DOCKER / name).read_text(encoding="utf-8").rsplit("\nFROM ", 1)[1]
        user = re.search(r"^USER (\d+):(\d+)$", last_stage, re.MULTILINE)
        assert user and int(user[1]) > 1000, name


def test_containers_and_units_have_limits_of_memory_and_processes(compose: dict[str, Any]) -> None:
    for name in (*PROGRAM_SERVICES, "migrate"):
        service = compose["services"][name]
        assert service["mem_limit"] == service["memswap_limit"], name
        assert 0 < service["pids_limit"] <= 512, name
    assert compose["services"]["programs"]["cgroup"] == "private"
    for path in UNITS:
        lines = path.read_text(encoding="utf-8").splitlines()
        settings = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
        assert re.fullmatch(r"\d+[MG]", settings["MemoryMax"]), path.name
        assert settings["MemorySwapMax"] == "0", path.name
        assert 0 < int(settings["TasksMax"]) <= 512, path.name


def test_the_worker_for_programs_may_divide_its_group_and_no_other_may() -> None:
    for path in UNITS:
        text = path.read_text(encoding="utf-8")
        delegated = re.search(r"^Delegate=(.+)$", text, re.MULTILINE)
        if "programs" in path.name:
            assert delegated and set(delegated[1].split()) == {"memory", "pids", "cpu"}
            # Without a sight of its own group it could not divide it.
            assert "ProtectControlGroups" not in text
            # A run may use its own limit, so several at once must fit into that of the unit.
            tasks = int(re.search(r"^TasksMax=(\d+)$", text, re.MULTILINE)[1])  # type: ignore[index]
            assert tasks >= 2 * (Limits().processes + OWN_PROCESSES)
            memory = int(re.search(r"^MemoryMax=(\d+)G$", text, re.MULTILINE)[1])  # type: ignore[index]
            assert memory << 30 >= 2 * (Limits().memory_bytes + OWN_BYTES)
        else:
            assert delegated is None, path.name
            assert "ProtectControlGroups=yes" in text, path.name


def test_no_secret_stands_in_the_compose_file(compose: dict[str, Any]) -> None:
    used = {secret for service in compose["services"].values() for secret in service.get("secrets", [])}
    assert used == set(compose["secrets"])
    script = (DOCKER / "make-secrets.sh").read_text(encoding="utf-8")
    assert set(re.findall(r"^keep (\w+) ", script, re.MULTILINE)) == used
    for service in compose["services"].values():
        for key, value in (service.get("environment") or {}).items():
            if re.search(r"PASSWORD|SECRET|TOKEN|_URL", key) and not key.endswith("SITE_URL"):
                assert key.endswith("_FILE") and str(value).startswith("/run/secrets/"), key


def test_the_secrets_are_made_once_and_closed_to_others(tmp_path: Path) -> None:
    for name in ("make-secrets.sh", "redis-users.sh"):
        (tmp_path / name).write_bytes((DOCKER / name).read_bytes())
    runs = []
    for _ in range(2):
        subprocess.run(["sh", str(tmp_path / "make-secrets.sh")], check=True, capture_output=True)
        runs.append({path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()})
    made, again = runs
    assert made == again
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert len(made["secret_key"].strip()) >= 32
    assert made["database_password"].strip() in made["database_url"]
    assert made["cache_url"] == made["broker_url"].replace("/0", "/1")
    assert made["attacks_broker_url"].split(":")[2] != made["broker_url"].split(":")[2]
    # The file that Redis reads holds hashes, so that a look at it tells no password.
    for name in ("broker_url", "attacks_broker_url"):
        password = made[name].split(":")[2].split("@")[0]
        assert password not in made["redis_users"]
        assert hashlib.sha256(password.encode()).hexdigest() in made["redis_users"]


def test_the_images_install_from_the_locks_alone() -> None:
    for name, locks in (("Dockerfile", ["build", "base"]), ("sandbox.Dockerfile", ["sandbox"])):
        text = (DOCKER / name).read_text(encoding="utf-8").replace("\\\n", " ")
        installs = re.findall(r"pip (?:--python \S+ )?install ([^&\n]+)", text)
        assert len(installs) == text.count("bin/pip ") == len(locks) + (name == "Dockerfile"), name
        for install in installs:
            assert "--require-hashes" in install or {"--no-index", "--no-deps"} <= set(install.split()), name
        for lock in locks:
            assert f"requirements/{lock}.lock" in text


def test_the_image_is_built_with_the_tools_that_the_project_names() -> None:
    listed = (ROOT / "requirements/build.in").read_text(encoding="utf-8").splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert [line for line in listed if not line.startswith("#")] == project["build-system"]["requires"]
    locks = [(ROOT / f"requirements/{name}.lock").read_text(encoding="utf-8") for name in ("build", "dev")]
    pins = [re.findall(r"^setuptools==\S+", lock, re.MULTILINE) for lock in locks]
    assert len(pins[0]) == 1 and pins[0] == pins[1]


def test_the_sandbox_image_offers_what_the_sandbox_offers() -> None:
    listed = (ROOT / "requirements/sandbox.in").read_text(encoding="utf-8").splitlines()
    assert {line for line in listed if not line.startswith("#")} == set(OFFERED)
    pins = {}
    for lock in ("base", "sandbox"):
        text = (ROOT / f"requirements/{lock}.lock").read_text(encoding="utf-8")
        pins[lock] = set(re.findall(r"^([\w.-]+==\S+(?: ; [^\\]+)?)", text, re.MULTILINE))
    same = {pin.split(" ;")[0] for pin in pins["sandbox"]}
    assert same <= {pin.split(" ;")[0] for pin in pins["base"]}


def test_the_proxy_keeps_the_insides_inside() -> None:
    text = (DOCKER / "Caddyfile").read_text(encoding="utf-8")
    assert "@inside path /metrics /readyz" in text
    assert "respond @inside 404" in text
    assert re.search(r"read_body \d+s", text)
    assert re.search(r"max_size \d+MB", text)
