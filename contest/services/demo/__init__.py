"""The demo contest: a practice round that is ready at once, and teams that play in it."""

from contest.services.demo.play import play_move, play_on
from contest.services.demo.seed import ORGANISER, TEAMS, log_ins, person, seed_demo

__all__ = ["ORGANISER", "TEAMS", "log_ins", "person", "play_move", "play_on", "seed_demo"]
