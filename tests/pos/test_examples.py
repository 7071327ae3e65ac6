"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    "anonymizers.bayes_synthetic.bayes_synthetic",
    "anonymizers.bayes_synthetic.convergence",
    "anonymizers.bayes_synthetic.gibbs",
    "anonymizers.bayes_synthetic.model",
    "anonymizers.noise",
    "anonymizers.swap",
    "scoring.pos.identification",
    "scoring.pos.information_loss",
    "scoring.pos.logit",
    "scoring.pos.loss_of_protection",
    "scoring.pos.pricing",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0 and result.attempted > 0
