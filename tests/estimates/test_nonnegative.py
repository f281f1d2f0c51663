"""Test intervals that use that counts are not negative. All noise is seeded, so no run fails by chance."""

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.interactions import centred
from synth.estimates.facts import Fact
from synth.estimates.least_squares import System
from synth.estimates.nonnegative import Classes, Profile, classes_of, table_in
from synth.estimates.ratios import mean_of

DOMAIN = Domain(("value", "group"), (8, 3))
FULL = {"value": np.arange(8), "group": np.arange(3)}
VALUES = np.arange(8.0)
EVERY = np.ones(8)
FIRST = np.array([True, False, False])
MARKS = {"group": (FIRST, FIRST)}


def fact(counts: np.ndarray, sigma: float, rng: np.random.Generator, **groups: np.ndarray) -> Fact:
    noisy = np.rint(counts + rng.normal(0, sigma, counts.shape))
    return Fact(clique=tuple(groups), groups=groups, counts=noisy, variance=sigma**2 + 1 / 12)


def asked(system: System, marks=MARKS) -> tuple[Profile, dict[str, Classes], np.ndarray, np.ndarray]:
    classes = classes_of(system, marks, "value")
    assert classes is not None
    low, high = classes["value"].ends(VALUES, VALUES, EVERY)
    cells = [len(classes[n].inside) for n in system.columns]
    low, high = (np.repeat(ends, cells[1]) for ends in (low, high))
    return Profile.of(system, classes), classes, low, high


def test_intervals_of_a_group_of_mostly_empty_cells_hold() -> None:
    """200 releases: 0.95 is expected at least, 0.905 is three deviations below. The plain cut gives 0.87."""
    shares = np.zeros((8, 3))
    shares[0] = (30, 400, 300)
    shares[1, 1:] = 100
    held, plain = [], []
    for seed in range(200):
        rng = np.random.default_rng([5, seed])
        profile, classes, low, high = asked(System(DOMAIN, [fact(shares, 12.0, rng, **FULL)], DOMAIN.names))
        factor = profile.factor(table_in(classes, DOMAIN.names, shares).ravel(), low)
        for found, cut in ((held, profile.cut(0.95, factor)), (plain, profile.cut(0.95, 1.0))):
            ends = profile.mean(low, high, cut)
            assert 0 <= ends[0] <= ends[1] <= 7
            found.append(ends[0] <= 0.0 <= ends[1])
    assert np.mean(held) > 0.905 and np.mean(plain) < np.mean(held)


def test_with_many_records_in_each_cell_it_is_the_interval_of_fieller() -> None:
    rng = np.random.default_rng(1)
    counts = np.full((8, 3), 4_000.0)
    system = System(DOMAIN, [fact(counts, 5.0, rng, **FULL)], DOMAIN.names)
    profile, _, low, high = asked(system)
    found = profile.mean(low, high, profile.cut(0.95, 1.0))
    expected = mean_of(
        system, "value", (VALUES, VALUES, EVERY), {"group": FIRST * 1.0}, level=0.95, sampling=1.0
    )
    assert expected is not None
    assert found == pytest.approx(expected.interval, abs=0.05 * (found[1] - found[0]))


def test_columns_that_were_not_measured_together_have_an_interval() -> None:
    rng = np.random.default_rng(2)
    counts = rng.multinomial(900, np.full(24, 1 / 24)).reshape(8, 3).astype(float)
    facts = [
        fact(counts.sum(axis=1), 3.0, rng, value=np.arange(8)),
        fact(counts.sum(axis=0), 3.0, rng, group=np.arange(3)),
    ]
    profile, _, low, high = asked(System(DOMAIN, facts, DOMAIN.names))
    ends = profile.mean(low, high, profile.cut(0.95, 1.0))
    truth = float(counts[:, 0] @ VALUES / counts[:, 0].sum())
    assert 0 <= ends[0] < truth < ends[1] <= 7
    assert ends[1] - ends[0] < 7, "both columns limit the mean of a third of the records"


def test_a_condition_that_divides_a_measured_group_widens_the_interval() -> None:
    rng = np.random.default_rng(3)
    counts = np.outer(np.arange(1, 9), (5.0, 5.0, 10.0))
    merged = counts @ np.array([[1.0, 0], [1, 0], [0, 1]])
    groups = {"value": np.arange(8), "group": np.array([0, 0, 1])}
    system = System(DOMAIN, [fact(merged, 2.0, rng, **groups)], DOMAIN.names)
    first = asked(system)
    pair = np.array([True, True, False])
    both = asked(system, {"group": (pair, pair)})
    spans = [one.mean(low, high, one.cut(0.95, 1.0)) for one, _, low, high in (first, both)]
    truth = float(counts[:, 0] @ VALUES / counts[:, 0].sum())
    assert spans[0][0] < spans[1][0] < truth < spans[1][1] < spans[0][1]
    partly = asked(system, {"group": (np.zeros(3, dtype=bool), pair)})
    span = partly[0].mean(*partly[2:], partly[0].cut(0.95, 1.0))
    assert span[0] < spans[1][0] and spans[1][1] < span[1], "possible records count too"


def test_an_interaction_and_its_margins_say_as_much_as_the_table() -> None:
    rng = np.random.default_rng(4)
    counts = np.outer(np.arange(4, 12), (60.0, 40.0, 50.0))
    noise = rng.normal(0, 4.0, counts.shape)
    table = Fact(clique=DOMAIN.names, groups=FULL, counts=counts + noise, variance=16.0)
    parts = [
        Fact(
            clique=DOMAIN.names, groups=FULL, counts=centred(table.counts), variance=16.0, is_interaction=True
        ),
        Fact(clique=("value",), groups={"value": np.arange(8)}, counts=table.counts.sum(1), variance=48.0),
        Fact(clique=("group",), groups={"group": np.arange(3)}, counts=table.counts.sum(0), variance=128.0),
    ]
    spans = []
    for facts in ([table], parts):
        profile, _, low, high = asked(System(DOMAIN, facts, DOMAIN.names))
        spans.append(profile.mean(low, high, profile.cut(0.95, 1.0)))
    assert spans[1] == pytest.approx(spans[0], rel=0.02)


def test_totals_and_quantiles_contain_the_truth_and_end_in_the_range() -> None:
    rng = np.random.default_rng(6)
    counts = np.outer(np.arange(1, 9), (10.0, 5.0, 8.0))
    profile, classes, low, high = asked(System(DOMAIN, [fact(counts, 4.0, rng, **FULL)], DOMAIN.names))
    cut = profile.cut(0.95, 1.0)
    few, many = (profile.total(v, cut, sign=s, most=1e4) for v, s in ((low, -1.0), (high, 1.0)))
    assert 0 < few < float(counts[:, 0] @ VALUES) < many
    order = np.repeat(classes["value"].expand.argmax(axis=0).astype(float), len(classes["group"].inside))
    first, last = profile.quantile(order, (0.5, 0.5), cut)
    assert first <= int(np.argmax(np.cumsum(counts[:, 0]) >= counts[:, 0].sum() / 2)) <= last < 8
