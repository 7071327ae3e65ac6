"""Which sandbox to use: the one named, or what works here, and never one that failed its self-test."""

from __future__ import annotations

from attacks.sandbox import bubblewrap, cgroup, containers, unsafe
from attacks.sandbox.execute import Backend
from attacks.sandbox.selftest import SelfTest, proven

ACCEPTANCE = "KAKURENBO_ACCEPT_UNCOUNTED_PROGRAMS"
NAMES = ("auto", "bwrap", *containers.ENGINES, "none")


class NoSandbox(Exception):
    """Programs cannot be isolated here; the text says why and how to fix it.

    ``test`` is the self-test that failed, where there was something to test.
    """

    def __init__(self, reason: str, test: SelfTest | None = None) -> None:
        super().__init__(reason)
        self.test = test


def choose_backend(name: str = "auto", *, accept_uncounted: bool = False) -> Backend:
    """The backend of that name after its self-test, or `NoSandbox`.

    ``auto`` and ``bwrap`` take the system's bubblewrap, else the one of the wheel; a container engine is
    used only where it is named. Nothing ever falls back to ``none``. Where no control group counts what runs
    use, they are refused unless ``accept_uncounted`` says otherwise.
    """
    if name == "none":
        if unsafe.accepted():
            return unsafe.Unsafe()
        raise NoSandbox(
            "The sandbox is set to none, so programs of teams would run with all the platform's rights."
            f" They are refused unless the environment variable {unsafe.ACCEPTANCE} is 1."
        )
    failed = []
    for backend in _candidates(name):
        counted = backend.counted_by
        if counted == "none" and not accept_uncounted:
            raise NoSandbox(uncounted())
        test = proven(backend, counted)
        if test.ok:
            return backend
        failed.append(test)
    broken = next(check for check in failed[0].checks if not check.contained)
    raise NoSandbox(
        f"The sandbox {name} failed its self-test, so programs are refused."
        f" {broken.name}: {broken.sentence} {failed[0].how_to_mend}",
        failed[0],
    )


def counted_by(name: str = "auto") -> str:
    """Which control groups would count a run; empty where nothing could run at all."""
    if name == "none":
        return "none"
    try:
        return _candidates(name)[0].counted_by
    except NoSandbox:
        return ""


def uncounted() -> str:
    """Why programs are not run where nothing counts them, and what to do."""
    return (
        "No control group counts what programs use here, so a hostile one could take the machine's memory:"
        f" programs of others are refused. {cgroup.find().lack} {cgroup.MEND}"
        f" To accept the risk, set {ACCEPTANCE} to 1."
    )


def examine(name: str = "auto", *, accept_uncounted: bool = False) -> SelfTest:
    """The self-test of what `choose_backend` would take, for pages and start-up checks; never raises."""
    try:
        backend = choose_backend(name, accept_uncounted=accept_uncounted)
    except NoSandbox as error:
        return error.test or SelfTest(name, False, (), str(error))
    if isinstance(backend, unsafe.Unsafe):
        return SelfTest(name, False, (), backend.mend)
    return proven(backend, backend.counted_by)


def _candidates(name: str) -> list[Backend]:
    """The backends that could be used under that name; never empty."""
    if name in containers.ENGINES:
        container = containers.find_container(name)
        if container is None:
            raise NoSandbox(
                f"The sandbox is set to {name}, but the program {containers.ENGINES[name]} is not installed."
                " Install it, or set the sandbox to auto."
            )
        return [container]
    if name not in ("auto", "bwrap"):
        raise NoSandbox(f"The sandbox must be one of {', '.join(NAMES)}. Got {name!r} instead.")
    lack = bubblewrap.lacking()
    if lack:
        raise NoSandbox(f"There is no sandbox, so programs are refused. {lack}")
    return list(bubblewrap.found())
