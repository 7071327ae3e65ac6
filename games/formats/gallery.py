"""Worked examples of the house methods, and how they are computed again."""

from __future__ import annotations

from games.shop.gallery.examples import KEPT, METHODS, complete, compute
from games.shop.gallery.worked import SmallExample, WorkedExample, worked_example

__all__ = ["KEPT", "METHODS", "SmallExample", "WorkedExample", "complete", "compute", "worked_example"]
