"""The sandbox and the platform that hostile programs attack, for hostile games too."""

from __future__ import annotations

from tests.attacks.sandbox.conftest import platform, sandbox

__all__ = ["platform", "sandbox"]
