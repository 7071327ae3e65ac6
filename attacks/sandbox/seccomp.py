"""The system calls that a program is denied, as a filter program for the kernel, built without a library.

Namespaces do not cover everything: AF_VSOCK sockets leave a network namespace, and memory behind memfd or
System V shared memory escapes the limits of a process. So those calls, and the doors to the kernel that a
re-identifier never needs, answer "not permitted". ``clone3`` answers "not implemented", because its flags
lie in memory where a filter cannot look: the C library then falls back to ``clone``, whose flags are checked.
Locks on parts of a file are denied because no kernel counts their memory.

Where no control group counts what a run uses, three more things are denied, which nobody else could count:
pairs of sockets (their buffers), shared memory without a file (pages that no process maps), and a handler for
the end of children (who ignores that end has children whose time is lost).
"""

from __future__ import annotations

import errno
import functools
import platform
import struct
from collections.abc import Sequence
from dataclasses import dataclass

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machine → its column in `DENIED` and the kernel's audit number for it."""

DENIED: dict[str, tuple[int | None, int | None]] = {
    "_sysctl": (156, None),
    "accept": (43, 202),
    "accept4": (288, 242),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bind": (49, 200),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "connect": (42, 203),
    "create_module": (174, None),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "get_kernel_syms": (177, None),
    "get_mempolicy": (239, 236),
    "init_module": (175, 105),
    "io_cancel": (210, 3),
    "io_destroy": (207, 1),
    "io_getevents": (208, 4),
    "io_pgetevents": (333, 292),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "listen": (50, 201),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_getsetattr": (245, 185),
    "mq_notify": (244, 184),
    "mq_open": (240, 180),
    "mq_timedreceive": (243, 183),
    "mq_timedsend": (242, 182),
    "mq_unlink": (241, 181),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "query_module": (178, None),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "remap_file_pages": (216, 234),
    "request_key": (249, 218),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "shmget": (29, 194),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}
"""Name → number on x86_64, number on aarch64; None where that machine never had the call."""

CLONE = (56, 220)
CLONE3 = (435, 435)
IOCTL = (16, 29)
FCNTL = (72, 25)
MMAP = (9, 222)
SIGACTION = (13, 134)
SOCKETPAIR = (53, 199)
PRLIMIT = (302, 261)

FIRST_UNKNOWN = 457
"""Calls from this number on are newer than this list and answer "not implemented". On x86_64 this covers
the x32 numbers too, which start at 0x40000000."""

NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""

TERMINAL_INJECTIONS = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: typing into the terminal from which the platform was started."""

RANGE_LOCKS = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, F_OFD_SETLK and F_OFD_SETLKW. Whole-file locks (``flock``) are one per descriptor."""

HUGE_PAGES = 0x40000
SHARED_WITHOUT_FILE = 0x21
"""MAP_HUGETLB, which no limit of memory counts; MAP_SHARED (or MAP_SHARED_VALIDATE) with MAP_ANONYMOUS."""

CHILD_SIGNAL = 17

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT, SECOND_ARGUMENT_AT, FOURTH_ARGUMENT_AT = 0, 4, 16, 24, 40
KILL, ALLOW = 0x80000000, 0x7FFF0000
NOT_PERMITTED = 0x00050000 | errno.EPERM
NOT_IMPLEMENTED = 0x00050000 | errno.ENOSYS
NO_LOCKS = 0x00050000 | errno.ENOLCK


@dataclass(frozen=True)
class FilterInstruction:
    """One instruction; ``hit`` and ``miss`` say how many instructions a jump skips."""

    code: int
    value: int
    hit: int = 0
    miss: int = 0

    def packed(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.hit, self.miss, self.value)


class UnknownArchitecture(Exception):
    """This machine's system call numbers are not in the list, so no filter can be built."""


@functools.cache
def filter_program(machine: str | None = None, *, uncounted: bool = False) -> bytes:
    """The filter in the kernel's format (an array of ``struct sock_filter``).

    ``uncounted`` is for runs that no control group counts.

    >>> len(filter_program("x86_64")) % 8
    0
    """
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise UnknownArchitecture(f"The system call filter knows {known}. Got {machine!r} instead.")
    column, audit_number = ARCHITECTURES[machine]
    steps = [
        FilterInstruction(LOAD, ARCHITECTURE_AT),
        FilterInstruction(JUMP_EQUAL, audit_number, hit=1),
        FilterInstruction(RETURN, KILL),
        FilterInstruction(LOAD, NUMBER_AT),
        *_answer(JUMP_AT_LEAST, FIRST_UNKNOWN, NOT_IMPLEMENTED),
        *_answer(JUMP_EQUAL, CLONE3[column], NOT_IMPLEMENTED),
    ]
    for numbers in DENIED.values():
        number = numbers[column]
        if number is not None:
            steps += _answer(JUMP_EQUAL, number, NOT_PERMITTED)
    if uncounted:
        steps += _answer(JUMP_EQUAL, SOCKETPAIR[column], NOT_PERMITTED)
        child = _answer(JUMP_EQUAL, CHILD_SIGNAL, NOT_PERMITTED)
        steps += _look_into(SIGACTION[column], FIRST_ARGUMENT_AT, child)
    steps += _arguments(column, uncounted)
    steps.append(FilterInstruction(RETURN, ALLOW))
    return b"".join(step.packed() for step in steps)


def _arguments(column: int, uncounted: bool) -> list[FilterInstruction]:
    """The calls that are denied for some of their arguments."""
    new_namespace = _answer(JUMP_ANY_BIT, NEW_NAMESPACES, NOT_PERMITTED)
    injections = [step for value in TERMINAL_INJECTIONS for step in _answer(JUMP_EQUAL, value, NOT_PERMITTED)]
    locks = [step for value in RANGE_LOCKS for step in _answer(JUMP_EQUAL, value, NO_LOCKS)]
    memory = _answer(JUMP_ANY_BIT, HUGE_PAGES, NOT_PERMITTED)
    others = _answer(JUMP_AT_LEAST, 1, NOT_PERMITTED)
    if uncounted:
        both = _answer(JUMP_EQUAL, SHARED_WITHOUT_FILE, NOT_PERMITTED)
        memory += [FilterInstruction(AND, SHARED_WITHOUT_FILE), *both]
    return [
        *_look_into(CLONE[column], FIRST_ARGUMENT_AT, new_namespace),
        *_look_into(IOCTL[column], SECOND_ARGUMENT_AT, injections),
        *_look_into(FCNTL[column], SECOND_ARGUMENT_AT, locks),
        *_look_into(MMAP[column], FOURTH_ARGUMENT_AT, memory),
        *_look_into(PRLIMIT[column], FIRST_ARGUMENT_AT, others),
    ]


def _answer(test: int, value: int, answer: int) -> list[FilterInstruction]:
    return [FilterInstruction(test, value, miss=1), FilterInstruction(RETURN, answer)]


def _look_into(number: int, argument_at: int, tests: Sequence[FilterInstruction]) -> list[FilterInstruction]:
    """Run tests on the low half of an argument if the call is ``number``; else go on behind them."""
    return [
        FilterInstruction(JUMP_EQUAL, number, miss=len(tests) + 2),
        FilterInstruction(LOAD, argument_at),
        *tests,
        FilterInstruction(RETURN, ALLOW),
    ]


def container_profile() -> dict[str, object]:
    """The same denials in the JSON format that container engines read."""
    refuse = {"action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM}
    bits = [1 << place for place in range(32) if NEW_NAMESPACES >> place & 1]
    new_namespaces = [
        {"names": ["clone"], **refuse, "args": [_where(0, "SCMP_CMP_MASKED_EQ", bit, bit)]} for bit in bits
    ]
    injections = [
        {"names": ["ioctl"], **refuse, "args": [_where(1, "SCMP_CMP_EQ", value)]}
        for value in TERMINAL_INJECTIONS
    ]
    no_locks = {"action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOLCK}
    locks = [
        {"names": ["fcntl"], **no_locks, "args": [_where(1, "SCMP_CMP_EQ", value)]} for value in RANGE_LOCKS
    ]
    huge = {
        "names": ["mmap"],
        **refuse,
        "args": [_where(3, "SCMP_CMP_MASKED_EQ", HUGE_PAGES, HUGE_PAGES)],
    }
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [
            {"names": sorted(DENIED), **refuse},
            {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
            *new_namespaces,
            *injections,
            *locks,
            huge,
            {"names": ["prlimit64"], **refuse, "args": [_where(0, "SCMP_CMP_NE", 0)]},
        ],
    }


def _where(index: int, comparison: str, value: int, value_two: int = 0) -> dict[str, int | str]:
    return {"index": index, "value": value, "valueTwo": value_two, "op": comparison}
