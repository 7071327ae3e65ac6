"""Learned identification of customer-weeks."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.assignment import match_listed
from games.shop.data.tables import PurchaseData
from games.shop.linkage.customer_weeks import customer_weeks, first_day
from games.shop.linkage.discriminant import learn, likeliest


def re_logit(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Learn from T how a week of each customer looks, then say whose the weeks of each pseudonym are.

    A multinomial logit ln P(j)/P(1) = a_j + w_j · x of the customer on what is bought in a week: ln(1+spend)
    in each of 16 groups of items ("brands"), ln spend, ln mean price, ln units, numbers of items and of
    receipts, time of day, and the week itself. Its weights are those of Gaussian classes with a common
    covariance, w_j = Σ⁻¹m_j, a_j = −½ m_jᵀΣ⁻¹m_j, which need one pass over T instead of a
    fit with one class per customer (Efron 1975). The weeks of one pseudonym belong to one customer, so their
    log probabilities add up. The guess is the one-to-one Q of greatest total probability among the 24
    likeliest customers each.

    Exploits: habits, how much, how expensive, how often and when, that survive rounding, noise and synthetic
    amounts. Cost: linear in T, a k-d tree, a sparse matching.

    Reference: M. J. Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, equation 2;
    B. Efron, "The efficiency of logistic regression compared to normal discriminant analysis", 1975.
    """
    begin = first_day(original)
    known, asked = customer_weeks(original, begin), customer_weeks(released, begin)
    return Guess(match_listed(likeliest(learn(known), asked), original.n_customers))


RE_LOGIT = HouseAttack(
    name="re-logit",
    title="Learned identification",
    meaning="A logit learned from the weeks of the known customers says whose the released weeks are.",
    exploits="Habits that survive rounding, noise and synthetic amounts: how much, how expensive, how often.",
    cost="A pass over T, a k-d tree and a sparse matching.",
    function=re_logit,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', 2017, equation 2",
    version=2,
)
