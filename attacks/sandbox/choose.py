"""Which sandbox to use: the one named, or what works here, and never one that failed its self-test."""

from __future__ import annotations

from attacks.sandbox import bubblewrap, containers, unsafe
from attacks.sandbox.execute import Backend
from attacks.sandbox.selftest import SelfTest, proven

NAMES = ("auto", "bwrap", *containers.ENGINES, "none")


class NoSandbox(Exception):
    """Programs cannot be isolated here; the text says why and how to mend it.

    ``test`` is the self-test that failed, where there was something to test.
    """

    def __init__(self, reason: str, test: SelfTest | None = None) -> None:
        super().__init__(reason)
        self.test = test


def choose_backend(name: str = "auto") -> Backend:
    """The backend of that name after its self-test, or `NoSandbox`.

    ``auto`` and ``bwrap`` take the system's bubblewrap, else the one of the wheel; a container engine is
    used only where it is named. Nothing ever falls back to ``none``.
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
        test = proven(backend)
        if test.ok:
            return backend
        failed.append(test)
    broken = next(check for check in failed[0].checks if not check.contained)
    raise NoSandbox(
        f"The sandbox {name} failed its self-test, so programs are refused."
        f" {broken.name}: {broken.sentence} {failed[0].how_to_mend}",
        failed[0],
    )


def examine(name: str = "auto") -> SelfTest:
    """The self-test of what `choose_backend` would take, for pages and start-up checks; never raises."""
    try:
        backend = choose_backend(name)
    except NoSandbox as error:
        return error.test or SelfTest(name, False, (), str(error))
    if isinstance(backend, unsafe.Unsafe):
        return SelfTest(name, False, (), backend.mend)
    return proven(backend)


def _candidates(name: str) -> list[Backend]:
    """What could serve under that name; never empty."""
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
