"""Where control groups are found, on files that look like the kernel's, and what is written to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from attacks.sandbox import cgroup
from attacks.sandbox.cgroup import LEAF, VARIABLE, find
from attacks.sandbox.group import Group, set_limits
from attacks.sandbox.usage import Usage
from tests.attacks.sandbox.conftest import SMALL

MEMORY = str((300 + 8) << 20)


class Tree:
    """A machine made of files: hierarchies below ``sys``, and what /proc/self says of this process."""

    def __init__(self, folder: Path) -> None:
        self.sys, self.proc = folder / "sys", folder / "proc"
        self.proc.mkdir()
        self.mounts: list[str] = []
        self.own: list[str] = []

    def group(self, path: str, **files: str) -> Path:
        folder = self.sys / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in ({"cgroup_procs": ""} | files).items():
            (folder / name.replace("_", ".", 1)).write_text(text)
        return folder

    def version2(self, path: str, controllers: str, switched_on: str, **files: str) -> Path:
        files |= {"cgroup_controllers": controllers, "cgroup_subtree_control": switched_on}
        return self.group(path, **files)

    def mount(self, path: str, kind: str, controllers: str, own: str, root: str = "/") -> None:
        self.mounts.append(f"31 23 0:28 {root} {self.sys / path} rw - {kind} {kind} rw,{controllers}")
        self.own.append(f"{len(self.own)}:{controllers}:{own}")

    def find(self) -> cgroup.Places:
        (self.proc / "mountinfo").write_text("\n".join(self.mounts) + "\n")
        (self.proc / "cgroup").write_text("\n".join(self.own) + "\n")
        return find(self.proc)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.setenv(VARIABLE, "auto")
    return Tree(tmp_path)


def test_version_1_divides_our_own_group_of_each_controller(tree: Tree) -> None:
    for name in ("memory", "pids", "cpuacct"):
        tree.group(f"{name}/system/worker")
        tree.mount(name, "cgroup", name, "/system/worker")
    places = tree.find()
    assert places.kind == "v1"
    expected = {"memory": "memory", "pids": "pids", "cpu": "cpuacct"}
    assert places.parents == {key: tree.sys / name / "system/worker" for key, name in expected.items()}


def test_version_1_in_a_container_that_sees_a_part_of_the_hierarchy(tree: Tree) -> None:
    for name in ("memory", "pids", "cpu,cpuacct"):
        tree.group(f"{name}")
        tree.mount(name, "cgroup", name, "/docker/abc", root="/docker/abc")
    places = tree.find()
    assert (places.kind, places.parents["cpu"]) == ("v1", tree.sys / "cpu,cpuacct")


def test_version_2_takes_the_nearest_group_above_that_is_divided(tree: Tree) -> None:
    tree.version2("", "cpu memory pids", "memory pids")
    worker = tree.version2("worker.service", "cpu memory pids", "memory pids")
    tree.version2("worker.service/platform", "memory", "", cgroup_procs="17\n")
    tree.mount("", "cgroup2", "", "/worker.service/platform")
    places = tree.find()
    assert places.kind == "v2"
    assert set(places.parents.values()) == {worker}


def test_version_2_switches_the_controllers_on(tree: Tree) -> None:
    top = tree.version2("", "cpu memory pids", "")
    tree.version2("session", "", "")
    tree.mount("", "cgroup2", "", "/session")
    assert tree.find().kind == "v2"
    assert (top / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_in_a_container_we_move_into_a_part_of_the_uppermost_group_first(tree: Tree) -> None:
    top = tree.version2("", "memory pids", "", cgroup_procs="1\n17\n", cgroup_type="domain\n")
    (top / LEAF).mkdir()
    tree.mount("", "cgroup2", "", "/")
    places = tree.find()
    assert (places.kind, places.parents["memory"]) == ("v2", top)
    # The files keep the number that was written last; the kernel would have moved both.
    assert (top / LEAF / "cgroup.procs").read_text() == "17"


def test_a_hybrid_machine_gives_each_controller_where_it_is(tree: Tree) -> None:
    for name in ("memory", "pids"):
        tree.group(name)
        tree.mount(name, "cgroup", name, "/")
    unified = tree.version2("unified", "hugetlb", "")
    tree.mount("unified", "cgroup2", "", "/")
    places = tree.find()
    assert places.kind == "hybrid"
    assert places.parents == {"memory": tree.sys / "memory", "pids": tree.sys / "pids", "cpu": unified}


@pytest.mark.parametrize("absent", ["memory", "pids", "cpuacct"])
def test_all_or_nothing(absent: str, tree: Tree) -> None:
    for name in {"memory", "pids", "cpuacct"} - {absent}:
        tree.group(name)
        tree.mount(name, "cgroup", name, "/")
    places = tree.find()
    assert (places.kind, places.found, places.parents) == ("none", False, {})
    assert f"counts {absent.removesuffix('acct')}." in places.lack


def test_version_2_without_its_memory_controller_does_not_do(tree: Tree) -> None:
    tree.version2("", "cpu pids", "")
    tree.mount("", "cgroup2", "", "/")
    assert "counts memory, pids, cpu." in tree.find().lack


def test_a_machine_without_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert not find(tmp_path).found
    monkeypatch.setenv(VARIABLE, "none")
    assert find().lack == "KAKURENBO_CGROUP is set to none."


def test_groups_can_be_named(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tree.version2("mine", "memory pids", "memory pids")
    monkeypatch.setenv(VARIABLE, str(folder))
    assert (find().kind, set(find().parents.values())) == ("v2", {folder})
    files = {"memory_limit_in_bytes": "1"}, {"pids_max": "1"}, {"cpuacct_usage": "0"}
    named = [tree.group(f"one{number}", **file) for number, file in enumerate(files)]
    monkeypatch.setenv(VARIABLE, ":".join(map(str, named)))
    assert (find().kind, list(find().parents.values())) == ("v1", named)
    monkeypatch.setenv(VARIABLE, str(named[0]))
    assert "no control group can be made that counts pids, cpu." in find().lack


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("memory.max", "memory.swap.max", "memory.oom.group", "pids.max"), (MEMORY, "0", "1", "38")),
        (("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"), (MEMORY, MEMORY)),
    ],
    ids=["v2", "v1"],
)
def test_the_limits_go_to_the_files_that_exist(
    names: tuple[str, ...], expected: tuple[str, ...], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_text("max\n")
    set_limits(tmp_path, SMALL)
    assert tuple((tmp_path / name).read_text() for name in names) == expected
    assert {path.name for path in tmp_path.iterdir()} == set(names)


@pytest.mark.parametrize(
    "files",
    [
        {
            "cpu.stat": "usage_usec 2500000\nuser_usec 2000000\n",
            "memory.current": "9000\n",
            "memory.stat": "anon 5000\nshmem 1000\ninactive_file 1500\nactive_file 500\n",
            "pids.current": "3\n",
        },
        {
            "cpuacct.usage": "2500000000\n",
            "memory.usage_in_bytes": "9000\n",
            "memory.stat": "cache 3000\nrss 5000\nactive_file 500\ninactive_file 1500\n",
            "pids.current": "3\n",
        },
    ],
    ids=["v2", "v1"],
)
def test_what_the_group_counts_is_read(files: dict[str, str], tmp_path: Path) -> None:
    """Pages of files on disk are left out: the kernel takes them back by itself."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    group = Group(dict.fromkeys(cgroup.NEEDED, tmp_path))
    assert group.usage() == Usage(2.5, 7000, 4)


@pytest.mark.parametrize("name", ["memory.events", "memory.oom_control"])
def test_an_end_for_memory_is_noticed(name: str, tmp_path: Path) -> None:
    group = Group(dict.fromkeys(cgroup.NEEDED, tmp_path))
    assert not group.ran_out_of_memory()
    (tmp_path / name).write_text("oom 3\noom_kill 0\n")
    assert not group.ran_out_of_memory()
    (tmp_path / name).write_text("oom 3\noom_kill 2\n")
    assert group.ran_out_of_memory()
