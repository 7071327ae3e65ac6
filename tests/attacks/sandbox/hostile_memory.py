"""Hostile programs that take memory, files and kernel objects for which no single process is charged."""

from __future__ import annotations

from tests.attacks.sandbox.hostile import Hostile

SMALL_MEMORY: dict[str, float] = {"memory_bytes": 160 << 20, "cpu_seconds": 10, "wall_seconds": 240}
FEW_FILES: dict[str, float] = {"files": 2000, "cpu_seconds": 10, "wall_seconds": 240}
HELD = """
LIMIT = 160 << 20
held = 0
def hold(function, size, times):
    # Each child keeps what it took; together they must not get twice the limit.
    global held
    for _ in range(times):
        reading, writing = os.pipe()
        if os.fork() == 0:
            try:
                function(size)
                os.write(writing, b"y")
            except (OSError, MemoryError, ValueError) as error:
                print("denied:", error)
                os.write(writing, b"n")
            time.sleep(300)
            os._exit(0)
        if os.read(reading, 1) == b"y":
            held += size
        os.close(reading), os.close(writing)
        if held > 2 * LIMIT:
            print("ESCAPED with", held >> 20, "MB")
            break
    finish()
def touch(pages):
    for place in range(0, len(pages), 4096):
        pages[place] = 1
"""
CONTAINED = ("memory-exceeded", "done")

MEMORY = {
    "shared pages that no process maps any more": Hostile(
        HELD
        + """
kept = []
def share(size):
    # The child's own table of pages stays empty: only the kernel knows that they are held.
    pages = mmap.mmap(-1, size)
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, b"x")
        time.sleep(30)
        os._exit(0)
    os.read(reading, 1)
    touch(pages)
    pages.close()
hold(share, 50 << 20, 10)
""",
        CONTAINED,
        "",
        limits=SMALL_MEMORY,
        if_done="not permitted",
    ),
    "shared pages of the device zero": Hostile(
        HELD
        + """
def share(size):
    with open("/dev/zero", "r+b") as zero:
        pages = mmap.mmap(zero.fileno(), size)
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
    touch(pages)
    pages.close()
hold(share, 50 << 20, 10)
""",
        CONTAINED,
        "",
        limits=SMALL_MEMORY,
        if_done="denied:",
    ),
    "buffers of sockets": Hostile(
        HELD
        + """
kept = []
def fill(size):
    taken = 0
    while taken < size and len(kept) < 28:
        pair = socket.socketpair()
        kept.append(pair)
        for one in pair:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
            one.setblocking(False)
            try:
                while True:
                    taken += one.send(bytes(32768))
            except BlockingIOError:
                pass
    os.write(2, f"taken {taken >> 10} kB\\n".encode())
hold(fill, 11 << 20, 31)
""",
        CONTAINED,
        "",
        limits=SMALL_MEMORY,
        if_done="not permitted",
    ),
    "descriptors that travel in sockets": Hostile(
        """
import array
held = 0
try:
    for _ in range(3000):
        one, other = socket.socketpair()
        for each in (one, other):
            each.setblocking(False)
            try:
                while True:
                    each.send(bytes(32768))
            except BlockingIOError:
                pass
        carrier = carrier_next if held else socket.socketpair()
        carrier[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [one.fileno()]))])
        carrier_next = (other, one)
        held += 1
    print("ESCAPED", held)
except OSError as error:
    print("denied:", error)
finish()
""",
        CONTAINED,
        "",
        limits=SMALL_MEMORY,
        if_done="denied:",
    ),
    "buffers of pipes": Hostile(
        """
import fcntl
kept, taken = [], 0
try:
    while True:
        reading, writing = os.pipe()
        kept.append(reading)
        fcntl.fcntl(writing, 1031, 1 << 20)
        os.set_blocking(writing, False)
        try:
            while True:
                taken += os.write(writing, bytes(65536))
        except BlockingIOError:
            pass
except OSError as error:
    print("denied:", error)
if taken > 160 << 20:
    print("ESCAPED", taken)
finish()
""",
        limits=SMALL_MEMORY,
        logged="denied:",
    ),
    "pages of a file that pipes keep after its end": Hostile(
        """
taken = 0
try:
    for _ in range(1000):
        with open("/tmp/pages", "wb") as file:
            file.write(bytes(65536))
        reading, writing = os.pipe()
        with open("/tmp/pages", "rb") as file:
            taken += os.splice(file.fileno(), writing, 65536)
        os.unlink("/tmp/pages")
except OSError as error:
    print("denied:", error)
if taken > 160 << 20:
    print("ESCAPED", taken)
finish()
""",
        limits=SMALL_MEMORY,
        logged="Too many open files",
    ),
    "pages given to a pipe": Hostile(
        """
reading, writing = os.pipe()
page = ctypes.create_string_buffer(4096)
attempt(call, 278, writing, ctypes.byref((ctypes.c_size_t * 2)(ctypes.addressof(page), 4096)), 1, 8)
finish()
""",
        logged="not permitted",
    ),
    "memory files and secret memory": Hostile(
        """
for number in (319, 447):
    attempt(call, number, b"hog", 0)
for number in (29, 30, 68, 64, 240):
    attempt(call, number, 0, 1 << 20, 0o1600, 0)
finish()
""",
        logged="not permitted",
    ),
    "huge pages": Hostile(
        """
for size in (21 << 26, 30 << 26):
    attempt(mmap.mmap, -1, 1 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000 | size)
attempt(mmap.mmap, -1, 2 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
finish()
""",
        logged="denied:",
    ),
    "locks its memory": Hostile(
        """
pages = mmap.mmap(-1, 20 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
attempt(call, 149, ctypes.c_void_p(address), 20 << 20)
attempt(call, 325, ctypes.c_void_p(address), 20 << 20, 1)
attempt(call, 151, 3)
finish()
""",
        logged="Cannot allocate memory",
    ),
    "threads with large stacks": Hostile(
        """
threading.stack_size(64 << 20)
started = 0
try:
    for _ in range(30):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        started += 1
except RuntimeError as error:
    print("denied:", error)
if started > 5:
    print("ESCAPED", started)
finish()
os._exit(0)
""",
        logged="can't start new thread",
    ),
    "tables of many mappings": Hostile(
        HELD
        + """
def split(size):
    # The kernel keeps a record of 200 bytes for each piece of memory with rights of its own.
    for number in range(60_000):
        libc.mmap(None, ctypes.c_size_t(4096), 1 + 2 * (number % 2), 0x22, -1, 0)
libc.mmap.restype = ctypes.c_void_p
hold(split, 1 << 20, 31)
""",
        ("memory-exceeded",),
        limits={**SMALL_MEMORY, "memory_bytes": 72 << 20},
        modes=("groups",),
    ),
    "a file that is mapped beyond its disk": Hostile(
        """
with open("/tmp/sparse", "w+b") as file:
    file.truncate(8 << 20)
    second = open("/tmp/second", "w+b")
    second.truncate(8 << 20)
    for each in (file, second):
        pages = mmap.mmap(each.fileno(), 8 << 20)
        for place in range(0, len(pages), 4096):
            pages[place] = 1
print("ESCAPED")
""",
        ("killed",),
        "ended by signal 7",
    ),
    "reserves disk that it does not have": Hostile(
        """
for folder in ("/tmp", "/out", "/dev/shm"):
    with open(folder + "/reserved", "wb") as file:
        attempt(os.posix_fallocate, file.fileno(), 0, 1 << 30)
        attempt(os.posix_fallocate, file.fileno(), 1 << 40, 100 << 20)
finish()
""",
        logged="File too large",
    ),
    "files without a name": Hostile(
        """
kept, written = [], 0
try:
    for _ in range(40):
        file = open("/tmp/nameless", "wb", buffering=0)
        os.unlink("/tmp/nameless")
        kept.append(file)
        written += file.write(bytes(1 << 20))
    print("ESCAPED", written)
except OSError as error:
    print("denied:", error)
finish()
""",
        logged="No space left",
    ),
}

MAKE_MANY = """
def many(make):
    made = 0
    try:
        while made < 30_000:
            make(made)
            made += 1
        print("ESCAPED", made)
    except OSError as error:
        print("denied:", error)
    finally:
        print("made", made)
"""
FILES_END = ("done", "killed", "crashed")
"""Where the kernel refuses one more file the program goes on; where it cannot, the watcher ends the run."""

FILES = {
    "inodes of empty files": Hostile(
        MAKE_MANY + 'many(lambda n: os.close(os.open(f"/tmp/{n}", os.O_CREAT)))\nfinish()',
        FILES_END,
        "",
        limits=FEW_FILES,
        if_done="No space left",
    ),
    "inodes where results go and where memory is shared": Hostile(
        MAKE_MANY
        + """
for folder in ("/dev/shm", "/out"):
    many(lambda n: os.close(os.open(f"{folder}/{n}", os.O_CREAT)))
print("written", os.path.exists(OUT))
""",
        (*FILES_END, "no-output"),
        "",
        limits=FEW_FILES,
        if_done="No space left",
    ),
    "inodes of folders, links and pipes": Hostile(
        MAKE_MANY
        + """
makers = (os.mkdir, os.mkfifo, lambda name: os.symlink("x" * 4000, name))
many(lambda n: makers[n % 3](f"/tmp/{n}"))
finish()
""",
        FILES_END,
        "",
        limits=FEW_FILES,
        if_done="No space left",
    ),
    "many names of one file": Hostile(
        MAKE_MANY
        + """
finish()
many(lambda n: os.link(OUT, f"/out/{n}"))
""",
        FILES_END,
        "",
        limits=FEW_FILES,
        if_done="No space left",
    ),
    "names of 255 letters": Hostile(
        MAKE_MANY
        + """
attempt(os.mkdir, "/tmp/" + "x" * 256)
many(lambda n: os.close(os.open(f"/tmp/{n:0255}", os.O_CREAT)))
finish()
""",
        FILES_END,
        "",
        limits=FEW_FILES,
        if_done="File name too long",
    ),
    "folders below folders": Hostile(
        MAKE_MANY
        + """
def deeper(number):
    os.mkdir("d")
    os.chdir("d")
os.chdir("/tmp")
many(deeper)
finish()
""",
        FILES_END,
        "",
        limits=FEW_FILES,
        if_done="No space left",
    ),
    "attributes of a file": Hostile(
        """
written = 0
try:
    for number in range(8000):
        os.setxattr("/tmp", f"user.{number}", bytes(60_000))
        written += 60_000
    print("ESCAPED", written)
except OSError as error:
    print("denied:", error)
for path in ("/entry/M.csv", "/program/reidentify.py"):
    attempt(os.setxattr, path, "user.mark", b"x")
finish()
""",
        FILES_END,
        "",
        limits=FEW_FILES,
        if_done="denied:",
    ),
    "locks on single bytes of a file": Hostile(
        """
import fcntl, struct
locked = 0
try:
    with open("/tmp/locked", "wb") as file:
        for number in range(4000):
            fcntl.fcntl(file, fcntl.F_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 2 * number, 1, 0))
            locked += 1
    print("ESCAPED", locked)
except OSError as error:
    print("denied:", error)
with open("/tmp/locked", "wb") as file:
    attempt(fcntl.fcntl, file, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0))
finish()
""",
        logged="No locks available",
    ),
    "hoards descriptors of every kind": Hostile(
        """
import select
kinds = {
    "epoll": lambda: select.epoll(),
    "eventfd": lambda: os.eventfd(0),
    "timer": lambda: call(283, 1, 0),
    "inotify": lambda: call(294, 0),
    "null": lambda: os.open("/dev/null", os.O_RDONLY),
}
for name, make in kinds.items():
    if os.fork() == 0:
        kept = []
        try:
            while len(kept) < 200:
                kept.append(make())
            print("ESCAPED", name)
        except OSError as error:
            os.write(2, f"denied {name}: {error}\\n".encode())
        os._exit(0)
    os.wait()
finish()
""",
        logged="Too many open files",
    ),
    "watches every file again and again": Hostile(
        MAKE_MANY
        + """
watched = 0
libc.inotify_init1.restype = ctypes.c_int
watchers = [libc.inotify_init1(0) for _ in range(50)]
for number in range(500):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT))
for watcher in watchers:
    for number in range(500):
        watched += libc.inotify_add_watch(watcher, f"/tmp/{number}".encode(), 0xFFF) >= 0
print("watched", watched)
finish()
""",
        limits=FEW_FILES,
        logged="watched",
    ),
    "timers of the kernel": Hostile(
        """
made = 0
try:
    while made < 5000:
        call(222, 1, 0, ctypes.byref(ctypes.c_int()))
        made += 1
    print("ESCAPED", made)
except OSError as error:
    print("denied:", error, made)
finish()
""",
        logged="temporarily unavailable",
    ),
    "signals that wait": Hostile(
        """
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 1])
made = 0
try:
    while made < 5000:
        if libc.sigqueue(os.getpid(), signal.SIGRTMIN + 1, None) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        made += 1
    print("ESCAPED", made)
except OSError as error:
    print("denied:", error, made)
finish()
""",
        logged="temporarily unavailable",
    ),
    "arguments and variables without end": Hostile(
        """
for size in (200_000, 3 << 20):
    attempt(subprocess.run, ["/bin/true", "x" * size])
    attempt(lambda: subprocess.run(["/bin/true"], env={"X": "x" * size}))
attempt(lambda: subprocess.run(["/bin/true", *["x" * 1000] * 3000]))
finish()
""",
        logged="Argument list too long",
    ),
    "keys in the kernel's ring": Hostile(
        """
for number in range(3):
    attempt(call, 248, b"user", f"k{number}".encode(), bytes(32000), 32000, -3)
attempt(call, 249, b"user", b"k", None, -3)
attempt(call, 250, 1, None)
finish()
""",
        logged="not permitted",
    ),
}
