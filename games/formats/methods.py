"""The house methods of all formats."""

from __future__ import annotations

from games.shop.methods.anonymizer import Anonymizer
from games.shop.methods.registry import (
    ANONYMIZERS,
    EVERY_ANONYMIZER,
    anonymizer,
    methods_of,
    run_anonymizer,
)
from games.shop.methods.samples import SAMPLE_SEED, samples_of

__all__ = [
    "ANONYMIZERS",
    "EVERY_ANONYMIZER",
    "SAMPLE_SEED",
    "Anonymizer",
    "anonymizer",
    "methods_of",
    "run_anonymizer",
    "samples_of",
]
