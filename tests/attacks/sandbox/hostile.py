"""Hostile programs. Each tries one thing and prints ESCAPED where it gets what it must not get.

`FACTS` (addresses of everything worth attacking) and `OUT` (the place of the result) stand before each text,
with `attempt(function, ...)`, which prints the error that a denied attempt gives.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

PRELUDE = """
import ctypes, mmap, os, signal, socket, subprocess, sys, threading, time
FACTS = {facts}
OUT = sys.argv[3]
libc = ctypes.CDLL(None, use_errno=True)
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
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def finish(text="1\\n2\\n"):
    with open(OUT, "w") as file:
        file.write(text)
"""


@dataclass(frozen=True)
class Hostile:
    """One program; ``statuses`` are the ends that are right, ``words`` must stand in the team's sentence.

    ``logged`` must stand in its log, ``if_done`` where it was not ended but came to its own end. ``modes``
    says where it is contained: with control groups, and without.
    """

    source: str
    statuses: tuple[str, ...] = ("done",)
    words: str = "The program"
    logged: str = ""
    limits: dict[str, float] = field(default_factory=dict)
    if_done: str = ""
    modes: tuple[str, ...] = ("groups", "none")

    def program(self, facts: dict[str, object]) -> bytes:
        return (PRELUDE.replace("{facts}", json.dumps(facts)) + self.source).encode()


HOSTILE = {
    "reads the truth": Hostile(
        """
for path in (FACTS["truth"], "/entry/P.csv", "/entry/../entry/P.csv", "/proc/1/root" + FACTS["truth"],
             "/proc/self/cwd/.." + FACTS["truth"]):
    attempt(read, path)
finish()
""",
        logged="No such file",
    ),
    "searches the whole tree for files of other teams": Hostile("""
attempt(read, FACTS["other"])
for folder, below, names in os.walk("/"):
    below[:] = [name for name in below if name not in ("proc", "usr", "opt", "dev")]
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            if FACTS["secret"].encode() in file.read() and folder != "/program":
                print("ESCAPED", folder, name)
finish()
"""),
    "reads the passwords": Hostile(
        """
for path in ("/etc/passwd", "/etc/shadow", "/root/.ssh/id_rsa", "/etc/hostname", "/var/log/syslog"):
    attempt(read, path)
finish()
""",
        logged="No such file",
    ),
    "reads the environment of everybody": Hostile("""
found = [os.environ.get("KAKURENBO_SECRET"), os.environ.get("DJANGO_SETTINGS_MODULE")]
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    try:
        found.append(open(f"/proc/{pid}/environ").read())
    except OSError:
        pass
if FACTS["secret"] in str(found) or "DJANGO" in str(found):
    print("ESCAPED")
attempt(read, f"/proc/{FACTS['bystander']}/environ")
finish()
"""),
    "opens the database": Hostile(
        """
import sqlite3
try:
    sqlite3.connect(FACTS["database"]).execute("create table owned (x)")
    print("ESCAPED")
except sqlite3.Error as error:
    print("denied:", error)
finish()
""",
        logged="unable to open",
    ),
    "connects to a service on this machine": Hostile(
        """
attempt(socket.create_connection, ("127.0.0.1", FACTS["port"]), 1)
attempt(socket.create_connection, ("::1", FACTS["port"]), 1)
finish()
""",
        logged="not permitted",
    ),
    "connects to the outside and asks for names": Hostile("""
attempt(socket.create_connection, ("192.0.2.1", 80), 1)
attempt(socket.getaddrinfo, "example.org", 80)
finish()
"""),
    "connects to a UNIX socket": Hostile("""
def connect(address):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(address)
attempt(connect, FACTS["unix_socket"])
attempt(connect, "\\0abstract")
def send(address):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"x", address)
attempt(send, FACTS["unix_socket"])
finish()
"""),
    "makes sockets that no network space covers": Hostile(
        """
for family in (socket.AF_INET, socket.AF_NETLINK, socket.AF_PACKET, 40, 38, 16):
    attempt(lambda: socket.socket(family, socket.SOCK_RAW))
finish()
""",
        logged="not permitted",
    ),
    "fork bomb": Hostile(
        """
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
        ("cpu-exceeded",),
        "1 s of CPU time",
    ),
    "fork bomb that gives up": Hostile(
        """
for _ in range(1000):
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
""",
        ("too-many-processes",),
        "32 processes",
        "temporarily unavailable",
    ),
    "thread bomb": Hostile(
        """
for _ in range(1000):
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
""",
        ("too-many-processes",),
        "32 processes",
        "can't start new thread",
    ),
    "memory hog": Hostile(
        """
held = []
while True:
    held.append(bytearray(50 << 20))
""",
        ("memory-exceeded",),
        "300 MB of memory",
        "MemoryError",
    ),
    "memory hog in many processes": Hostile(
        """
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(b"x") * (100 << 20)
        time.sleep(20)
        os._exit(0)
time.sleep(20)
""",
        ("memory-exceeded",),
        "counted over all its processes",
    ),
    "memory behind files": Hostile(
        """
attempt(os.memfd_create, "hog")
attempt(call, 29, 0, 1 << 30, 0o1600)
def fill(path):
    with open(path, "wb") as file:
        for _ in range(7):
            file.write(bytes(1 << 20))
attempt(lambda: [fill(f"/dev/shm/hog{n}") for n in range(3)])
attempt(fill, "/dev/hog")
attempt(fill, "/hog")
finish()
""",
        logged="No space left",
    ),
    "endless loop": Hostile("while True: pass", ("cpu-exceeded",), "1 s of CPU time"),
    "endless loop that ignores the signal": Hostile(
        """
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True: pass
""",
        ("cpu-exceeded",),
        "1 s of CPU time",
    ),
    "sleeps for ever": Hostile(
        "time.sleep(1000)", ("timed-out",), "0.5 s, the limit of wall time", limits={"wall_seconds": 0.5}
    ),
    "endless output": Hostile(
        """
while True:
    os.write(1, b"x" * 65536)
""",
        ("killed", "cpu-exceeded"),
        "The program was stopped",
    ),
    "a file of 10 GB": Hostile(
        """
def fill(path):
    with open(path, "wb") as file:
        for _ in range(10_000):
            file.write(bytes(1 << 20))
attempt(fill, "/tmp/big")
attempt(lambda: os.truncate("/tmp/big", 10 << 30))
fill(OUT)
""",
        ("output-too-large",),
        "larger than 64 kB",
        "File too large",
    ),
    "many files fill the disk": Hostile(
        """
for number in range(1000):
    with open(f"/tmp/{number}", "wb") as file:
        file.write(bytes(1 << 20))
""",
        ("crashed",),
        "private disk space is 8 MB",
        "No space left",
    ),
    "a Q of 1e9 lines": Hostile(
        """
with open(OUT, "w") as file:
    for _ in range(1_000_000_000 // 10_000):
        file.write("1\\n" * 10_000)
""",
        ("output-too-large",),
        "larger than 64 kB",
    ),
    "a symbolic link as the result": Hostile(
        """
os.symlink(FACTS["truth"], OUT)
""",
        ("no-output",),
        "found a link",
    ),
    "a link to endless zeros as the result": Hostile(
        'os.symlink("/dev/zero", OUT)', ("no-output",), "found a link"
    ),
    "a hard link as the result": Hostile(
        """
attempt(os.link, FACTS["truth"], OUT)
attempt(os.link, "/entry/M.csv", OUT)
""",
        ("no-output",),
        "found nothing",
    ),
    "a named pipe as the result": Hostile("os.mkfifo(OUT)", ("no-output",), "a pipe or a device"),
    "a folder as the result": Hostile("os.mkdir(OUT)", ("no-output",), "a folder"),
    "swaps the result while it is read": Hostile(
        """
finish()
if os.fork() == 0:
    os.setsid()
    while True:
        os.symlink("/dev/zero", "/out/other")
        os.replace("/out/other", OUT)
        os.mkfifo("/out/other")
        os.replace("/out/other", OUT)
        with open("/out/other", "w") as file: file.write("1\\n")
        os.replace("/out/other", OUT)
time.sleep(0.1)
""",
        ("done", "no-output", "timed-out", "cpu-exceeded", "output-too-large"),
        "The ",
        limits={"wall_seconds": 3},
    ),
    "traces its parents": Hostile(
        """
for pid in (1, os.getppid(), FACTS["platform"], FACTS["bystander"]):
    attempt(call, 101, 16, pid, 0, 0)
finish()
""",
        logged="not permitted",
    ),
    "kills the platform": Hostile(
        """
for pid in (FACTS["platform"], FACTS["parent"], FACTS["bystander"]):
    if not os.path.exists(f"/proc/{pid}"):
        attempt(os.kill, pid, signal.SIGKILL)
finish()
""",
        logged="No such process",
    ),
    "kills everything it can": Hostile("os.kill(-1, signal.SIGKILL)", ("killed",), "ended by signal 9"),
    "reads the memory of others": Hostile("""
attempt(read, "/proc/1/mem")
for path in ("/dev/mem", "/dev/kmem", "/proc/kcore", f"/proc/{FACTS['platform']}/mem"):
    attempt(read, path)
attempt(call, 310, FACTS["platform"], 0, 0, 0, 0, 0)
finish()
"""),
    "makes and opens devices": Hostile(
        """
import stat
for number in ((1, 1), (8, 0), (254, 0), (10, 232)):
    attempt(os.mknod, f"/tmp/device{number[0]}", stat.S_IFBLK | 0o666, os.makedev(*number))
    attempt(os.mknod, f"/tmp/device{number[0]}", stat.S_IFCHR | 0o666, os.makedev(*number))
for path in ("/dev/sda", "/dev/vda", "/dev/kvm", "/dev/fuse", "/dev/loop-control", "/dev/kmsg"):
    attempt(read, path)
finish()
""",
        logged="not permitted",
    ),
    "becomes root": Hostile(
        """
attempt(os.setuid, 0)
attempt(os.setresuid, 0, 0, 0)
attempt(os.setgroups, [0])
for tool in ("su", "mount", "passwd", "newgrp"):
    subprocess.run(["/usr/bin/" + tool, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
with open("/tmp/shell", "wb") as file: file.write(open("/bin/sh", "rb").read())
os.chmod("/tmp/shell", 0o6755)
user = subprocess.run(["/tmp/shell", "-c", "id -u"], capture_output=True, text=True).stdout
if user.strip() == "0" or os.getuid() == 0:
    print("ESCAPED", user)
finish()
""",
        logged="not permitted",
    ),
    "makes namespaces and mounts": Hostile(
        """
for flags in (0x10000000, 0x00020000, 0x40000000, 0x20000000):
    attempt(call, 272, flags)
    attempt(call, 56, flags | 17, 0, 0, 0, 0)
attempt(call, 435, 0, 0)
attempt(call, 165, b"/tmp", b"/entry", b"none", 4096, 0)
attempt(call, 166, b"/entry", 2)
attempt(call, 161, b"/tmp")
finish()
""",
        logged="not permitted",
    ),
    "knocks on the kernel": Hostile(
        """
for number in (321, 425, 250, 298, 323, 175, 169, 304, 155, 428, 442, 246, 170, 227, 438, 462, 0x40000027):
    attempt(call, number, 0, 0, 0, 0, 0)
for path in ("sys/kernel/core_pattern", "sysrq-trigger", "sys/kernel/hostname", "self/oom_score_adj"):
    attempt(lambda: open("/proc/" + path, "wb", buffering=0).write(b"-1000"))
finish()
""",
        logged="not permitted",
    ),
    "calls the kernel in 32 bits": Hostile(
        """
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # mov eax, 20 (getpid); int 0x80; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("ESCAPED", ctypes.CFUNCTYPE(ctypes.c_int)(address)())
""",
        ("killed",),
        "ended by signal 31",
    ),
    "changes its inputs, its program and the system": Hostile(
        """
for path in ("/entry/M.csv", "/original/T.csv", "/program/reidentify.py", "/usr/bin/env", "/opt/site/six.py"):
    attempt(lambda: open(path, "r+b").write(b"x"))
    attempt(os.chmod, path, 0o777)
for folder in ("/", "/usr/bin", "/opt/site", "/dev", "/etc", "/proc", FACTS["folder"]):
    attempt(lambda: open(os.path.join(folder, "new"), "wb"))
finish()
""",
        logged="Read-only file system",
    ),
    "looks for open descriptors": Hostile(
        """
open_ones = sorted(int(name) for name in os.listdir("/proc/self/fd"))
print("open:", open_ones)
if [number for number in open_ones if number > 2][1:]:
    print("ESCAPED")
import resource
if resource.getrlimit(resource.RLIMIT_NOFILE)[1] > 64:
    print("ESCAPED")
attempt(lambda: [open("/dev/null") for _ in range(100)])
finish()
""",
        logged="Too many open files",
    ),
    "leaves a daemon behind": Hostile("""
finish()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    os._exit(0)
"""),
    "forges the report of the run": Hostile(
        """
try:
    with open(f"/proc/{os.getppid()}/fd/1", "wb") as report:
        report.write(b"0 file 99999999999\\n0m0s 0m0s\\n0m0.0s 0m0.0s\\n" + b"9\\n" * 200_000)
except OSError as error:
    print("denied:", error)
finish()
""",
        ("done", "output-too-large"),
        "",
    ),
    "kills the shell that reports": Hostile(
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(5)", ("killed",), "ended by signal 9"
    ),
    "imports the platform": Hostile(
        """
import importlib
for name in ("django", "config.settings", "attacks", "datasets", "celery", "psycopg", "pytest"):
    attempt(importlib.import_module, name)
finish()
""",
        logged="No module named 'django'",
    ),
    "writes escape sequences to the log": Hostile(
        """
os.write(1, b"\\x1b]0;owned\\x07\\x1b[2J\\r\\n\\x80\\xff \\xe2\\x80\\xae<script>alert(1)</script>\\0")
finish()
""",
        logged="\\x1b]0;owned\\x07",
    ),
    "a Q of the wrong length": Hostile('finish("1\\n" * 7)'),
    "a Q that is no UTF-8": Hostile('open(OUT, "wb").write(b"\\xff\\xfe\\x00\\n\\x80\\n")'),
    "an error of its own": Hostile('raise SystemExit("no idea")', ("crashed",), "exit code 1", "no idea"),
}
