"""What the pictures of data sets and entries show."""

from __future__ import annotations

from games.shop.pictures import (
    Bars,
    Counts,
    Cubes,
    DayLines,
    Picture,
    dataset_pictures,
    entry_pictures,
)

__all__ = ["Bars", "Counts", "Cubes", "DayLines", "Picture", "dataset_pictures", "entry_pictures"]
