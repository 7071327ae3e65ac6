"""Learned identification of customer-weeks."""

from __future__ import annotations

import numpy as np

from attacks.customer_weeks import CustomerWeeks, customer_weeks, first_day
from attacks.discriminant import learn, likeliest
from attacks.registry import run_attack
from tests.attacks.tables import dataset, random_customers


def test_the_nearest_mean_is_the_class_of_linear_discriminant_analysis() -> None:
    """Against scikit-learn's classifier of the same model, with even priors."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(1)
    customer = np.repeat(np.arange(8), 12)
    x = rng.normal(size=(8, 3))[customer] * [2.0, 1.0, 0.5] + rng.normal(size=(96, 3)) @ rng.normal(
        size=(3, 3)
    )

    model = learn(CustomerWeeks(x, customer, 8))
    peer = LinearDiscriminantAnalysis(solver="lsqr", priors=np.full(8, 1 / 8)).fit(x, customer)
    asked = rng.normal(size=(200, 3)) * 2
    found = likeliest(model, CustomerWeeks(asked, np.arange(200), 200))
    ours = [
        found.rows[a:b][np.argmax(found.similarity[a:b])]
        for a, b in zip(found.start[:-1], found.start[1:], strict=True)
    ]
    # A tenth of the overall covariance is mixed in, which moves few borders.
    assert np.mean(np.array(ours) == peer.predict(asked)) > 0.8


def test_weeks_are_added_up_by_customer() -> None:
    people = [("c0", "f", "1970/1/1", "UK"), ("c1", "f", "1970/1/1", "UK")]
    lines = [
        ("c0", "r0", "2011/1/1", "9:00", "a", "2", 3),
        ("c0", "r1", "2011/1/3", "9:00", "b", "1", 1),
        ("c0", "r2", "2011/1/9", "10:00", "a", "2", 1),
        ("c1", "r3", "2011/1/2", "11:00", "a", "5", 1),
    ]
    data = dataset(people, lines)
    weeks = customer_weeks(data, first_day(data))
    assert weeks.customer.tolist() == [0, 0, 1]
    np.testing.assert_allclose(np.expm1(weeks.x[:, 16]), [700, 200, 500])
    np.testing.assert_allclose(np.expm1(weeks.x[:, 18]), [4, 1, 1])
    assert weeks.x[:, -1].tolist() == [0, 1, 0]


def test_habits_survive_noisy_amounts() -> None:
    original = random_customers(np.random.default_rng(9), 60)
    master, rows = original.to_frames()
    factor = np.random.default_rng(2).integers(1, 4, len(rows))
    noisy = rows.assign(quantity=[str(int(q) * f) for q, f in zip(rows["quantity"], factor, strict=True)])
    released = dataset(list(master.itertuples(index=False)), list(noisy.itertuples(index=False)))
    guess = run_attack("re-logit", original, released, 0).rows
    bought = np.unique(original.transactions.customer)
    assert (guess[bought] == bought).mean() > 0.7
