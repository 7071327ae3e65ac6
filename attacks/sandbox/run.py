"""The calls that the platform makes: run code of strangers, isolated or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from attacks.sandbox.choose import NoSandbox, choose_backend
from attacks.sandbox.execute import execute
from attacks.sandbox.limits import Limits, limits_of
from attacks.sandbox.program import Program, ProgramError, read_program
from attacks.sandbox.result import SandboxResult
from attacks.sandbox.stage import EVERYTHING, PUBLIC_FILES, PublicFiles

DEFAULT_LIMITS = Limits()


def run_program(
    program: Path | bytes | Program,
    inputs: Mapping[str, Path],
    limits: Limits = DEFAULT_LIMITS,
    backend: str = "auto",
    on_log: Callable[[str], None] | None = None,
    public: PublicFiles = PUBLIC_FILES,
    *,
    accept_uncounted: bool = False,
) -> SandboxResult:
    """Run ``reidentify.py ORIGINAL_DIR ENTRY_DIR OUT_FILE`` and return the outcome.

    Parameters
    ----------
    program : the upload, as a file or as bytes, or what `read_program` made of it.
    inputs : the folders ``original`` and ``entry``. Of each only its public files are shown to the program,
        so a P.csv beside them stays secret.
    limits : what the run may use.
    backend : a name of `attacks.sandbox.choose.NAMES`.
    on_log : called with every new piece of the log while the program runs, for a live view.
    public : the names of the public files by input; M.csv and T.csv by default.
    accept_uncounted : run also where no control group counts what the program uses, as with your own
        programs.

    Returns
    -------
    A `SandboxResult`, whatever the program does. Its ``output`` is as untrusted as an upload: give it to the
    checker of guess files. Errors are raised only for faults of the platform: `SandboxFault` where the
    sandbox broke before the program began, `ValueError` for a missing input.
    """
    try:
        ready = program if isinstance(program, Program) else read_program(program)
    except ProgramError as error:
        return SandboxResult("invalid-program", error.message)
    try:
        chosen = choose_backend(backend, accept_uncounted=accept_uncounted)
    except NoSandbox as error:
        return SandboxResult("refused", str(error))
    return execute(chosen, ready, inputs, limits, on_log, public)


def run_files(
    files: Mapping[str, bytes],
    entry: str,
    inputs: Mapping[str, Path],
    limits: Mapping[str, float],
    backend: str = "auto",
    *,
    accept_uncounted: bool = False,
) -> SandboxResult:
    """Run ``ENTRY INPUT… OUT_FILE`` with the whole of every input folder, each at ``/NAME``.

    ``files`` are what is run and what it imports, all read-only; ``limits`` are those fields of `Limits` that
    differ from the usual. The result is as untrusted as the code.
    """
    try:
        chosen = choose_backend(backend, accept_uncounted=accept_uncounted)
    except NoSandbox as error:
        return SandboxResult("refused", str(error))
    public: PublicFiles = dict.fromkeys(inputs, EVERYTHING)
    return execute(
        chosen, Program(dict(files), entry), inputs, limits_of(limits), public=public, output="answer"
    )
