"""Running code that others submit, isolated: no network, no secrets, no way to harm the platform."""

from attacks.sandbox.choose import NoSandbox, choose_backend, counted_by, examine
from attacks.sandbox.limits import Limits
from attacks.sandbox.program import Program, ProgramError, read_program
from attacks.sandbox.result import STATUSES, SandboxFault, SandboxResult
from attacks.sandbox.run import run_files, run_program
from attacks.sandbox.selftest import Check, SelfTest, self_test

__all__ = [
    "STATUSES",
    "Check",
    "Limits",
    "NoSandbox",
    "Program",
    "ProgramError",
    "SandboxFault",
    "SandboxResult",
    "SelfTest",
    "choose_backend",
    "counted_by",
    "examine",
    "read_program",
    "run_files",
    "run_program",
    "self_test",
]
