"""The demo contest: a practice round that is ready at once, and three teams that play in it."""

from contest.services.demo.play import play_on
from contest.services.demo.seed import log_ins, seed_demo

__all__ = ["log_ins", "play_on", "seed_demo"]
