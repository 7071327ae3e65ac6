"""The command line of Kakurenbo, and the way to its packages from Python."""

from kakurenbo.packages import activate, activated

__all__ = ["activate", "activated"]
