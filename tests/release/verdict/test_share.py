"""The verdict's share of the budget follows from public facts, and buys the noise that it promises."""

from dataclasses import replace
from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from synth.core.accounting import rho_of, units_of
from synth.core.domain import Domain
from synth.core.schema import Column, Kind, Schema, Unit
from synth.core.table import CodeTable
from synth.private.scores import SCALE
from synth.private.terms import Terms
from synth.release.verdict.asking import MOST_NOISE, queries_about, widest_judged
from synth.release.verdict.sample import sample_of_equal_error
from synth.release.verdict.share import LARGEST, USUAL, WANTED, noise_of, promised, usual_share

RHO = 0.012


def schema(columns: int, **changes: object) -> Schema:
    named = tuple(Column(name=f"c{i}", kind=Kind.CATEGORY, values=("a", "b")) for i in range(columns))
    one = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=named)
    return replace(one, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "rows", "changes", "least", "most"),
    [
        (14, 48_842, {}, USUAL, USUAL),
        (14, None, {}, USUAL, USUAL),
        (15, 14_000, {}, USUAL + 0.01, LARGEST - 0.01),
        (19, 4_406, {}, LARGEST, LARGEST),
        (10, 300, {}, 0.0, 0.0),
        (15, 12_000, {"unit": Unit(max_rows=3, id_column="id")}, LARGEST, LARGEST),
        (14, 48_842, {"rows_public": 48_842}, USUAL, USUAL),
    ],
)
def test_small_tables_get_more_and_tiny_ones_none(
    columns: int, rows: int | None, changes: dict[str, object], least: float, most: float
) -> None:
    share = usual_share(schema(columns, **changes), rho=RHO, rows=rows)
    assert least <= share <= most
    if USUAL < share < LARGEST and rows:
        found = promised(schema(columns, **changes), rho=RHO * share, rows=rows)
        assert found.pair == pytest.approx(WANTED)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rows_public": 9_000},
        {"unit": Unit(max_rows=3, id_column="id")},
    ],
    ids=["added", "replaced", "several rows"],
)
@pytest.mark.parametrize("rows", [9_000, 900])
def test_the_promised_noise_is_that_of_the_queries(rows: int, changes: dict[str, object]) -> None:
    declared, units = schema(6, **changes), units_of(RHO / 10)
    widest = widest_judged(6, noise_of(declared, rho_of(units), rows))
    table = CodeTable(Domain(tuple(f"c{i}" for i in range(6)), (2,) * 6), np.zeros((50, 6), dtype=np.int64))
    requested = queries_about(table, rows, target=None, widest=widest)
    priced = {id(query): units_of(rho) for query, rho in requested.priced(units)}
    found, terms = promised(declared, rho=rho_of(units), rows=rows), Terms.of(declared)
    assert (requested.each is not None) == (found.column is not None) and "triples" in requested.means
    assert ({"columns", "pairs"} <= requested.means.keys()) == (requested.each is None)
    if requested.each is not None:
        variance = requested.each.variance(priced[id(requested.each)], terms) / SCALE**2
        expected = sqrt(variance) / (2 * rows)
        assert found.pair == pytest.approx(expected, rel=1e-3) or widest < 2
        assert found.column == pytest.approx(expected, rel=0.01) and found.column <= MOST_NOISE
    triples = requested.means["triples"]
    assert found.mean <= sqrt(triples.variance(priced[id(triples)], terms)) / SCALE / (2 * rows) * 1.5


def test_a_random_sample_of_the_stated_size_has_the_same_error() -> None:
    """The mean over ten samples varies by less than 2%, which is 4% of the size of a sample."""
    rng, rows = np.random.default_rng(5), 20_000
    private = rng.integers(0, 6, (rows, 3))
    private[:, 1] = (private[:, 0] + private[:, 1] // 3) % 6

    def counts(some: np.ndarray) -> list[np.ndarray]:
        edges = [np.arange(7) - 0.5] * 2
        return [np.histogram2d(some[:, a], some[:, b], bins=edges)[0] for a, b in combinations(range(3), 2)]

    for part in (0.02, 0.3):
        drawn = [private[rng.choice(rows, int(part * rows), replace=False)] for _ in range(10)]
        error = np.mean(
            [
                np.abs(one / rows - other / len(some)).sum() / 2
                for some in drawn
                for one, other in zip(counts(private), counts(some), strict=True)
            ]
        )
        assert sample_of_equal_error(float(error), counts(private), rows) == pytest.approx(part, rel=0.2)
    assert sample_of_equal_error(0.0, counts(private), rows) is None
