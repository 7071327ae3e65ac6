"""The call filter against the kernel's own headers, and against an interpreter of its instructions."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from attacks.sandbox.seccomp import (
    ALLOW,
    ARCHITECTURES,
    CLONE,
    CLONE3,
    DENIED,
    FCNTL,
    IOCTL,
    KILL,
    MMAP,
    SIGACTION,
    SOCKETPAIR,
    UnknownArchitecture,
    container_profile,
    filter_program,
)
from tests.conftest import missing

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
DENY = 0x00050000 | errno.EPERM
UNKNOWN = 0x00050000 | errno.ENOSYS
NO_LOCKS = 0x00050000 | errno.ENOLCK


def answer(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel would answer: the six instructions of classic BPF that the filter uses."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    steps = list(struct.iter_unpack("=HBBI", program))
    place, accumulator = 0, 0
    while True:
        code, hit, miss, value = steps[place]
        place += 1
        if code == 0x20:
            accumulator = int.from_bytes(data[value : value + 4], "little")
        elif code == 0x54:
            accumulator &= value
        elif code == 0x06:
            return value
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            place += hit if holds else miss


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_are_those_of_the_kernel_headers(machine: str) -> None:
    if not HEADERS[machine].is_file():
        missing(f"kernel headers absent: {HEADERS[machine].name} is in the package linux-libc-dev")
    text = HEADERS[machine].read_text()
    official = {name: int(n) for name, n in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    column = ARCHITECTURES[machine][0]
    ours = {**DENIED, "clone": CLONE, "clone3": CLONE3, "ioctl": IOCTL, "fcntl": FCNTL, "mmap": MMAP}
    ours |= {"rt_sigaction": SIGACTION, "socketpair": SOCKETPAIR}
    wrong = {
        name: (n[column], official.get(name)) for name, n in ours.items() if n[column] != official.get(name)
    }
    # The generic header still lists calls that aarch64 dropped; a surplus denial there does no harm.
    assert {name: pair for name, pair in wrong.items() if pair[0] is not None} == {}


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_denied_call_is_denied_and_common_ones_pass(machine: str) -> None:
    column, number = ARCHITECTURES[machine]
    program = filter_program(machine)
    for name, numbers in DENIED.items():
        if numbers[column] is not None:
            assert answer(program, number, numbers[column]) == DENY, name
    read, execve = ((0, 59), (63, 221))[column]
    assert answer(program, number, read) == ALLOW
    assert answer(program, number, execve) == ALLOW
    assert answer(program, number, CLONE3[column]) == UNKNOWN
    assert answer(program, number, 457) == UNKNOWN
    assert answer(program, number, 0x40000000 + read) == UNKNOWN


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_arguments_are_looked_at(machine: str) -> None:
    column, number = ARCHITECTURES[machine]
    program = filter_program(machine)
    assert answer(program, number, CLONE[column], 0x003D0F00) == ALLOW  # flags of pthread_create
    for bit in (17, 25, 26, 27, 28, 29, 30):
        assert answer(program, number, CLONE[column], 1 << bit | 17) == DENY
    assert answer(program, number, IOCTL[column], 0, 0x5401) == ALLOW  # TCGETS
    assert answer(program, number, IOCTL[column], 0, 0x5412) == DENY
    # The kernel looks at the low half only, so the high half must not open the door.
    assert answer(program, number, IOCTL[column], 0, 0x1_0000_5412) == DENY


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("uncounted", [False, True], ids=["counted", "uncounted"])
def test_what_nothing_counts_is_denied_where_no_group_counts(machine: str, uncounted: bool) -> None:
    column, number = ARCHITECTURES[machine]
    program = filter_program(machine, uncounted=uncounted)
    only_counted = DENY if uncounted else ALLOW
    assert answer(program, number, SOCKETPAIR[column], 1, 1, 0) == only_counted
    private, shared_file, shared = 0x22, 0x01, 0x21
    assert answer(program, number, MMAP[column], 0, 4096, 3, private) == ALLOW
    assert answer(program, number, MMAP[column], 0, 4096, 3, shared_file) == ALLOW
    for flags in (shared, 0x23, shared | 0x4000):  # MAP_SHARED_VALIDATE, MAP_NORESERVE
        assert answer(program, number, MMAP[column], 0, 4096, 3, flags) == only_counted
    assert answer(program, number, MMAP[column], 0, 4096, 3, private | 0x40000) == DENY  # MAP_HUGETLB
    assert answer(program, number, SIGACTION[column], 2) == ALLOW  # SIGINT
    assert answer(program, number, SIGACTION[column], 17) == only_counted
    for command, expected in (
        (1, ALLOW),
        (5, ALLOW),
        (6, NO_LOCKS),
        (7, NO_LOCKS),
        (37, NO_LOCKS),
        (38, NO_LOCKS),
    ):
        assert answer(program, number, FCNTL[column], 3, command) == expected


def test_another_architecture_is_killed_and_an_unknown_machine_refused() -> None:
    assert answer(filter_program("x86_64"), 0x40000003, 20) == KILL  # 32-bit x86
    with pytest.raises(UnknownArchitecture, match="Got 'riscv64' instead"):
        filter_program("riscv64")


def test_the_filter_fits_into_the_kernel() -> None:
    assert len(filter_program("x86_64", uncounted=True)) // 8 <= 4096


def test_the_container_profile_denies_the_same_calls() -> None:
    rules = container_profile()["syscalls"]
    assert isinstance(rules, list)
    assert {*DENIED, "clone3", "fcntl", "mmap"} <= {name for rule in rules for name in rule["names"]}
