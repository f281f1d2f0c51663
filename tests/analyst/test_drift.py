"""Test the changes between two releases against exact tables of invented people."""

from __future__ import annotations

import json

import numpy as np
import pytest

from synth.analyst.drift import drift
from synth.analyst.kit import Kit
from synth.core.axis import Axis
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.measurements.interactions import centred
from synth.core.schema import Column, Kind
from synth.estimates.facts import Fact, along
from synth.estimates.shared import shared_bins, shares_of
from tests.analyst.simulated import DOMAIN, Rows, people, released

TABLES = {("a",): 6.0, ("b",): 8.0, ("c",): 6.0, ("a", "b"): 7.0, ("b", "c"): 9.0}
BEFORE, AFTER = {"a": (0, 0, 1, 1, 2, 2)}, {"a": (0, 1, 1, 1, 2, 3)}


def shares(rows: Rows, columns: tuple[str, ...]) -> np.ndarray:
    at = [DOMAIN.axis(name) for name in columns]
    return np.histogramdd(rows[:, at], [np.arange(DOMAIN.sizes[k] + 1) for k in at])[0] / len(rows)


def test_shares_are_those_of_a_dense_solve() -> None:
    """Groups of different sizes, impossible cells, and a public number of records."""
    refused = 0
    for seed in range(150):
        rng = np.random.default_rng([87, seed])
        groups = {"a": np.array([0, 0, 1, 2, 2, 2]), "b": np.array(rng.choice([[0, 1, 2, 3], [0, 1, 1, 0]]))}
        marks = {name: np.eye(int(of.max()) + 1)[:, of] for name, of in groups.items()}
        shape = [len(mark) for mark in marks.values()]
        facts, design, counts, roots = [], [], [], []
        for _ in range(rng.integers(1, 5)):
            clique = DOMAIN.clique(rng.choice(DOMAIN.names, rng.integers(1, 4), replace=False))
            fine = {name: np.arange(DOMAIN.size([name])) for name in clique}
            y, v = rng.normal(100, 9, DOMAIN.shape(clique)), float(rng.choice([1.0, 9.0, 400.0]))
            facts.append(Fact(clique=clique, groups=fine, counts=y, variance=v))
            sums = [marks.get(name, np.ones((1, len(fine[name])))) for name in clique]
            a, b = (np.eye(n) if m in clique else np.ones((1, n)) for m, n in zip("ab", shape, strict=True))
            design.append(np.kron(a, b))
            counts += along(sums, y).ravel().tolist()
            roots += ((v * along(sums, np.ones(y.shape)).ravel()) ** -0.5).tolist()
        possible = rng.random(shape) < rng.choice([0.8, 1.1])
        possible[0, 0] = True
        total = 900.0 if rng.random() < 0.3 else None
        if total is not None:
            design.append(np.ones((1, possible.size)))
            counts.append(total)
            roots.append(1e4)
        matrix, root = np.vstack(design)[:, possible.ravel()], np.array(roots)
        found = shares_of(facts, groups, possible, total=total, rows=1)
        if np.linalg.matrix_rank(matrix) < possible.sum():
            refused += 1
            assert found is None
            continue
        inverse = np.linalg.pinv(root[:, None] * matrix)
        x = inverse @ (root * counts)
        if found is None:  # shares of a number of records that may be zero
            assert x.sum() < 6 * np.sqrt(np.square(inverse.sum(axis=0)).sum())
            continue
        move = (np.eye(len(x)) - (x / x.sum())[:, None]) / x.sum() @ inverse
        inside = possible.ravel()
        assert (
            found.shares[inside] == pytest.approx(x / x.sum(), abs=1e-5) and not found.shares[~inside].any()
        )
        assert found.noise[np.ix_(inside, inside)] == pytest.approx(move @ move.T, rel=1e-3, abs=1e-9)
    assert 10 < refused < 140


def test_an_interaction_completes_a_pair() -> None:
    rng = np.random.default_rng(88)
    truth = rng.uniform(50, 90, (4, 3))
    groups = {"b": np.arange(4), "c": np.arange(3)}
    ones = [
        Fact(clique=(n,), groups={n: groups[n]}, counts=truth.sum(axis=1 - k), variance=2.0)
        for k, n in enumerate("bc")
    ]
    whole = Fact(clique=("b", "c"), groups=groups, counts=centred(truth), variance=2.0, is_interaction=True)
    half = {"b": np.array([0, 0, 1, 1])}  # says nothing about the values of b except their sum
    ones.append(Fact(clique=("b",), groups=half, counts=np.full(2, truth.sum() / 2), variance=2.0))
    found = shares_of([*ones, whole], groups, np.ones((4, 3), dtype=bool), total=None, rows=1)
    assert found is not None and found.shares == pytest.approx(truth.ravel() / truth.sum())
    assert shares_of(ones, groups, np.ones((4, 3), dtype=bool), total=None, rows=1) is None


def changes(rows: tuple[Rows, Rows], columns: tuple[str, ...]) -> np.ndarray:
    """Return the true change of each cell. The pair of a and b is compared on their common groups."""
    found = shares(rows[1], columns) - shares(rows[0], columns)
    if columns == ("a", "b"):
        found = np.stack([found[:4].sum(axis=0), found[4:].sum(axis=0)])
    return found


@pytest.mark.parametrize("moved", [0.0, 0.3])
def test_all_intervals_hold_together(moved: float) -> None:
    """300 draws in different groups, all figures at once: 0.95 less four standard deviations."""
    rng = np.random.default_rng(89)
    first = people(rng, 2500)
    rows, held, right = (first, people(rng, 2500, moved=moved) if moved else first), 0, 0
    for _ in range(300):
        parts = [released(r, TABLES, rng, groups=g) for r, g in zip(rows, (BEFORE, AFTER), strict=True)]
        found, holds = drift(*parts), True
        for table in found.tables:
            change = changes(rows, table.columns)
            low, high = table.interval
            holds &= low <= np.abs(change).sum() / 2 <= high
            spans = dict(sorted((cell.labels, cell.interval) for cell in table.cells)).values()
            assert len(spans) == change.size
            ends = zip(change.ravel(), spans, strict=True)  # labels are in the order of the codes
            holds &= all(low <= d <= high for d, (low, high) in ends)
        held += holds
        right += ("b",) in {t.columns for t in found.found} if moved else not found.found
    assert held >= 0.9 * 300 and right >= 0.9 * 300


def test_the_sentence_states_what_changed() -> None:
    rng = np.random.default_rng(90)
    one, other = (Kit(released(people(rng, 4000, moved=m), TABLES, rng)) for m in (0.0, 0.4))
    found = one.drift(other)
    assert found.found[0].columns == ("b",) and "b: " in found.sentence and "most of all 3" in found.sentence
    assert "hold together at 95%" in found.sentence and json.dumps(found.facts())
    assert len(found.frame()) == 5 and not found.left_out
    calm = one.drift(Kit(released(people(rng, 4000), TABLES, rng)), population=True)
    assert "No change was found in the populations: 3 columns and 2 pairs" in calm.sentence
    wide, narrow = (one.drift(other, population=p).tables for p in (True, False))
    by = {t.columns: t.interval for t in narrow}
    assert all(t.interval[0] <= by[t.columns][0] and by[t.columns][1] <= t.interval[1] for t in wide)


def test_releases_without_a_common_column_are_refused() -> None:
    rng = np.random.default_rng(91)
    one = released(people(rng, 500), {("a",): 3.0}, rng)
    other = released(np.zeros((500, 1), dtype=np.int64), {("z",): 3.0}, rng, domain=Domain(("z",), (2,)))
    with pytest.raises(Mistake, match="have no column"):
        drift(one, other)
    loud = released(people(rng, 500), {("a",): 900.0}, rng)
    with pytest.raises(Mistake, match="have no column"):
        drift(one, loud)


def axis(**facts: object) -> Axis:
    labels = facts.pop("labels", ())
    edges = facts.pop("edges", ())
    kind = Kind.INTEGER if edges else Kind.CATEGORY
    other = facts.pop("other", None)
    column = Column(name="x", kind=kind, values=labels, blank=False, **facts)  # type: ignore[arg-type]
    return Axis(column=column, labels=labels, edges=edges, other=other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "want"),
    [
        (axis(edges=(0.0, 5.0, 10.0, 20.0)), axis(edges=(0.0, 10.0, 15.0, 20.0)), ([0, 0, 1], [0, 1, 1])),
        (axis(edges=(0.0, 5.0, 10.0)), axis(edges=(0.0, 7.0, 10.0)), ([0, 0], [0, 0])),
        (axis(edges=(0.0, 5.0, 10.0)), axis(edges=(0.0, 5.0, 12.0)), ([0, 1], [0, 1])),
        (axis(edges=(0.0, 5.0, 9.0)), axis(edges=(5.0, 7.0, 9.0)), ([0, 0], [0, 0])),
        (axis(edges=(0.0, 5.0, 7.0, 9.0)), axis(edges=(5.0, 7.0, 8.0)), ([0, 0, 1], [0, 1])),
        (axis(labels=("u", "v", "w")), axis(labels=("w", "u", "v")), ([0, 1, 2], [2, 0, 1])),
        (
            axis(labels=("u", "v"), other="rest"),
            axis(labels=("v", "w"), other="rest"),
            ([0, 1, 0], [1, 0, 0]),
        ),
        (axis(labels=("u", "v")), axis(labels=("u", "w")), None),
        (axis(labels=("u", "v")), axis(edges=(0.0, 1.0)), None),
    ],
)
def test_bins_of_the_same_values_are_shared(
    one: Axis, other: Axis, want: tuple[list[int], list[int]] | None
) -> None:
    found = shared_bins((one, other), (np.arange(one.size), np.arange(other.size)))
    assert (None if found is None else tuple(b.tolist() for b in found)) == want
