"""Hostile programs that take processor time nobody waits for, or that keep the watcher from its work."""

from __future__ import annotations

import os

from tests.attacks.sandbox.hostile import Hostile

SECOND = "1 s of CPU time"
STOPPED = ("cpu-exceeded",)
PATIENT: dict[str, float] = {"wall_seconds": 240}
"""On a machine with much other work a second of CPU time takes long."""
SHORT_CHILDREN = """
for _ in range(400):
    child = os.fork()
    if child == 0:
        while time.process_time() < 0.02: pass
        os._exit(0)
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass
print("ESCAPED")
time.sleep(300)
"""

TIME = {
    "children that burn while their end is ignored": Hostile(
        """
try:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
except OSError as error:
    print("denied:", error)
for _ in range(16):
    if os.fork() == 0:
        # Each stays below the limit of a single process.
        while time.process_time() < 0.5: pass
        os._exit(0)
time.sleep(300)
print("ESCAPED")
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "short children whose end is ignored": Hostile(
        """
try:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
except OSError as error:
    print("denied:", error)
"""
        + SHORT_CHILDREN,
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "children that leave no corpse by a flag": Hostile(
        """
class Action(ctypes.Structure):
    _fields_ = [("handler", ctypes.c_void_p), ("mask", ctypes.c_ulong * 16), ("flags", ctypes.c_int),
                ("restorer", ctypes.c_void_p)]
action = Action(flags=2)  # SA_NOCLDWAIT
print("flag:", libc.sigaction(17, ctypes.byref(action), None))
"""
        + SHORT_CHILDREN,
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "children that end with another signal": Hostile(
        """
for _ in range(16):
    # clone with exit signal 0: a plain wait does not see such a child.
    if libc.syscall(56, 0, 0, 0, 0, 0) == 0:
        while time.process_time() < 0.5: pass
        libc._exit(0)
time.sleep(300)
print("ESCAPED")
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "daemons of daemons": Hostile(
        """
for _ in range(8):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while time.process_time() < 0.8: pass
        os._exit(0)
    os.wait()
time.sleep(300)
print("ESCAPED")
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "a chain of processes that hand on the work": Hostile(
        """
if os.fork() == 0:
    for _ in range(200):
        while time.process_time() < 0.1: pass
        if os.fork():
            os._exit(0)
    print("ESCAPED")
time.sleep(300)
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "threads that burn side by side": Hostile(
        """
import hashlib
def burn():
    while True:
        hashlib.sha256(bytes(1 << 20))
for _ in range(8):
    threading.Thread(target=burn).start()
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "lets the kernel burn": Hostile(
        """
for _ in range(8):
    if os.fork() == 0:
        with open("/dev/urandom", "rb", buffering=0) as noise:
            while True:
                noise.read(1 << 20)
time.sleep(300)
print("ESCAPED")
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "starts programs without end": Hostile(
        """
while True:
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "starts programs without end and forgets them": Hostile(
        """
try:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
except OSError as error:
    print("denied:", error)
while True:
    try:
        os.posix_spawn("/bin/true", ["true"], {})
    except OSError:
        try:
            os.waitpid(-1, 0)
        except OSError:
            pass
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "becomes another program again and again": Hostile(
        """
finish()
if len(sys.argv) < 5:
    os.environ["ROUND"] = "0"
round_ = int(os.environ["ROUND"])
os.environ["ROUND"] = str(round_ + 1)
if round_ > 400:
    print("ESCAPED")
else:
    os.execv(sys.executable, [sys.executable, *sys.argv[:4], "again"])
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "alarms itself without a pause": Hostile(
        """
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.00001, 0.00001)
while True:
    pass
""",
        STOPPED,
        SECOND,
        limits=PATIENT,
    ),
    "raises its own limits": Hostile(
        """
import resource
for name in ("CPU", "AS", "NOFILE", "NPROC", "FSIZE", "MEMLOCK", "SIGPENDING", "RTPRIO", "NICE", "MSGQUEUE"):
    number = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(number)[1]
    if hard == resource.RLIM_INFINITY:
        print("ESCAPED", name)
    try:
        resource.setrlimit(number, (hard, hard + 1))
        print("ESCAPED", name)
    except (OSError, ValueError) as error:
        print("denied:", name, error)
attempt(resource.prlimit, 1, resource.RLIMIT_CPU, (1, 1))
finish()
""",
        logged="denied: CPU",
    ),
    "takes the first place in the queue for the processor": Hostile(
        """
attempt(os.nice, -5)
for policy in (os.SCHED_FIFO, os.SCHED_RR):
    attempt(os.sched_setscheduler, 0, policy, os.sched_param(1))
attempt(os.setpriority, os.PRIO_PROCESS, 0, -10)
attempt(call, 251, 1, 0, 1 << 13)
attempt(call, 314, 0, ctypes.byref((ctypes.c_uint64 * 6)(48 | 6 << 32, 0, 0, 10**6, 10**7, 10**7)), 0)
finish()
""",
        logged="ermi",
    ),
    "corpses that nobody buries": Hostile(
        """
made = 0
try:
    while made < 200:
        if os.fork() == 0:
            os._exit(0)
        made += 1
    print("ESCAPED", made)
except OSError as error:
    print("denied:", error, made)
finish()
""",
        logged="temporarily unavailable",
    ),
    "stops the shell that reports": Hostile(
        """
finish()
os.kill(os.getppid(), signal.SIGSTOP)
try:
    os.kill(1, signal.SIGSTOP)
except OSError as error:
    print("denied:", error)
""",
        ("timed-out",),
        "limit of wall time",
        limits={"wall_seconds": 1.5},
    ),
    "stops everything at once": Hostile(
        "finish()\nos.kill(-1, signal.SIGSTOP)",
        ("timed-out", "done"),
        "",
        limits={"wall_seconds": 1.5},
    ),
    "kills its group and its first process": Hostile(
        """
try:
    os.kill(1, signal.SIGKILL)  # The first process of a space ignores what comes from inside.
except OSError as error:
    print("denied:", error)
os.killpg(os.getpgid(0), signal.SIGKILL)
""",
        ("killed",),
        "ended by signal 9",
    ),
    "falls silent and kills the shell that reports": Hostile(
        """
os.kill(os.getppid(), signal.SIGKILL)
os.closerange(0, 64)
while True:
    time.sleep(1)
""",
        ("killed", "timed-out"),
        "",
        limits={"wall_seconds": 3},
    ),
    "a flood from many mouths": Hostile(
        """
for _ in range(10):
    if os.fork() == 0:
        while True:
            os.write(1, b"\\xe3\\x81" * 30_000)
while True:
    os.write(2, b"\\n" * 60_000)
""",
        ("killed", "cpu-exceeded"),
        "The program was stopped",
    ),
    "a daemon that holds the log open": Hostile(
        """
finish()
if os.fork() == 0:
    os.setsid()
    for number in range(1, 64):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        print("still here")
        time.sleep(0.2)
""",
    ),
    "takes the filter of calls off": Hostile(
        """
attempt(call, 157, 22, 1, 0)  # The strict mode, and filter 0 in place of ours.
attempt(call, 157, 22, 2, 0)
attempt(call, 317, 0, 0, 0)
attempt(call, 157, 38, 0, 0, 0, 0)  # Give up "no new privileges".
finish()
""",
        logged="Invalid argument",
    ),
}

KERNEL = {
    "leaves its control group": Hostile(
        """
for path in ("cgroup.procs", "memory/cgroup.procs", "unified/cgroup.procs"):
    path = "/sys/fs/cgroup/" + path
    attempt(lambda: open(path, "w").write(str(os.getpid())))
for kind in (b"cgroup2", b"cgroup", b"tmpfs", b"proc", b"sysfs"):
    attempt(call, 165, b"none", b"/tmp", kind, 0, b"memory")
    attempt(call, 430, kind, 0)
print(open("/proc/self/cgroup").read())
finish()
""",
        logged="not permitted",
    ),
    "traces its own child to change its calls": Hostile(
        """
attempt(call, 101, 0, 0, 0, 0)
child = os.fork()
if child == 0:
    time.sleep(5)
    os._exit(0)
for request in (16, 0x4206):
    attempt(call, 101, request, child, 0, 0)
os.kill(child, signal.SIGKILL)
finish()
""",
        logged="not permitted",
    ),
    "takes descriptors of other processes": Hostile(
        """
for pid in (1, os.getppid()):
    attempt(call, 434, pid, 0)
    attempt(call, 438, 3, 0, 0)
    attempt(call, 312, pid, os.getpid(), 0, 0, 0)
attempt(lambda: open("/proc/1/mem", "r+b"))
attempt(lambda: os.listdir("/proc/1/fd"))
attempt(lambda: os.listdir("/proc/1/cwd/root"))
finish()
""",
        logged="not permitted",
    ),
    "turns the kernel's knobs": Hostile(
        """
for path in ("sys/kernel/ns_last_pid", "sys/vm/overcommit_memory", "sys/vm/drop_caches",
             "sys/fs/pipe-max-size", "sys/user/max_user_namespaces", "self/uid_map", "self/setgroups",
             "sys/kernel/pid_max", "self/timens_offsets", "1/oom_score_adj",
             "sys/kernel/unprivileged_bpf_disabled"):
    attempt(lambda: os.write(os.open("/proc/" + path, os.O_WRONLY), b"1"))
finish()
""",
        logged="denied:",
    ),
    "mounts by the new calls": Hostile(
        """
for number in (428, 429, 430, 431, 432, 433, 442):
    attempt(call, number, -100, b"/tmp", 1, 0, 0)
for number in (457, 458, 467, 470):
    attempt(call, number, 0, 0, 0, 0)
finish()
""",
        logged="not permitted",
    ),
    "asks for faults, rings and programs in the kernel": Hostile(
        """
for number in (323, 425, 426, 427, 298, 321, 300, 206, 216, 256, 279, 237, 135, 154, 173, 172):
    attempt(call, number, 1, 0, 0, 0, 0)
finish()
""",
        logged="not permitted",
    ),
    "a result that cannot be read": Hostile(
        "finish()\nos.chmod(OUT, 0)", ("no-output",), "The program finished without a result"
    ),
    "a result behind a closed door": Hostile(
        """
finish()
attempt(os.rename, "/out", "/tmp/out")
attempt(os.rmdir, "/out")
try:
    os.chmod("/out", 0)
except OSError as error:
    print("denied:", error)
""",
        # Without root /out is the program's own: it may close the door, to its own loss.
        ("done",) if os.geteuid() == 0 else ("done", "no-output"),
    ),
    "a result that is a link to itself": Hostile("os.symlink(OUT, OUT)", ("no-output",), "found a link"),
    "a result of holes": Hostile(
        "open(OUT, 'wb').truncate(7 << 20)", ("output-too-large",), "larger than 64 kB"
    ),
    "breaks down and leaves its memory behind": Hostile(
        "import resource\nprint(resource.getrlimit(resource.RLIMIT_CORE))\nos.abort()",
        ("killed",),
        "ended by signal 6",
        "(0, 0)",
    ),
    "reads where nothing is": Hostile("ctypes.string_at(0)", ("killed",), "ended by signal 11"),
}
