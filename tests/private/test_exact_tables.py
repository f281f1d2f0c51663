from collections.abc import Sequence

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.private import exact_tables
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import Groups
from synth.private.scores import SCALE, ProductGap, Products

SIZES = {"a": 4, "b": 3, "c": 2}
DOMAIN = Domain(tuple(SIZES), tuple(SIZES.values()))
ROWS = np.random.default_rng(0).integers(0, DOMAIN.sizes, size=(200, 3))
GROUPS: list[Groups] = [
    {},
    {"a": (0, 0, 1, 1)},
    {"a": (0, 1, 1, 0)},
    {"a": (0, 0, 1, 1), "b": (1, 0, 0)},
    {"b": (0, 0, 0)},
]


def test_expected_tables_are_those_that_are_counted_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any order, some never asked for, some twice, some not expected, whatever memory there is."""
    rng, cliques = np.random.default_rng(2), [("a", "b"), ("b", "c"), ("a",), ("c",), ("a", "b", "c")]
    tables = ExactTables(Codes.of(ROWS, DOMAIN), DOMAIN)
    for trial in range(60):
        monkeypatch.setattr(exact_tables, "CELLS_AHEAD", (0, 8, 1 << 20)[trial % 3])
        batch = [(cliques[rng.integers(5)], GROUPS[rng.integers(len(GROUPS))]) for _ in range(6)]
        tables.expect(batch)
        for i in rng.permutation(6)[:5]:
            alone = ExactTables(Codes.of(ROWS, DOMAIN), DOMAIN)(*batch[i])
            np.testing.assert_array_equal(tables(*batch[i]), alone)
        assert tables(("b",), {}).sum() == len(ROWS)


def test_gaps_to_products_follow_from_counted_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of other columns, another total or other groups they are other gaps; weights and penalties are not in
    them."""
    counted: list[Sequence[int]] = []
    all_counts = Codes.all_counts

    def stated(codes: Codes, cliques: Sequence[Sequence[int]]) -> list[np.ndarray]:
        counted.extend(cliques)
        return all_counts(codes, cliques)

    monkeypatch.setattr(Codes, "all_counts", stated)
    tables, rng = ExactTables(Codes.of(ROWS, DOMAIN), DOMAIN), np.random.default_rng(3)
    pairs: tuple[Clique, ...] = (("a", "b"), ("a", "c"), ("b", "c"))
    first = {name: rng.random(size) * 90 for name, size in SIZES.items()}
    other = {**first, "a": first["a"] + 1}
    cases: list[tuple[dict[str, np.ndarray], float, Groups, tuple[Clique, ...], list[tuple[int, int]]]] = [
        (first, 200.0, {}, pairs[:2], [(0, 1), (0, 2)]),
        (first, 200.0, {}, pairs, [(1, 2)]),
        (first, 200.0, {}, pairs[1:], []),
        (other, 200.0, {}, pairs, [(0, 1), (0, 2)]),
        (first, 210.0, {}, pairs[:1], [(0, 1)]),
        (first | {"a": first["a"][:2]}, 200.0, GROUPS[1], pairs, [(0, 1), (0, 2)]),
        (first, 200.0, {}, pairs, []),
    ]
    for columns, total, groups, requested, fresh in cases:
        products = Products.of(requested, columns, total)
        weights = tuple(rng.integers(0, 9, len(requested)).tolist())
        score = ProductGap(requested, products, weights, tuple(rng.random(len(requested))))
        counted.clear()
        gaps = tables.gaps(score, groups)
        assert [tuple(axes) for axes in counted] == fresh
        plain = ExactTables(Codes.of(ROWS, DOMAIN), DOMAIN)
        for i, r in enumerate(requested):
            expected = np.abs(plain(r, groups) - products[i]).sum() * SCALE
            assert gaps[i] == pytest.approx(expected, abs=plain(r, groups).size)
            assert score.by_gaps(gaps)[i] == score.value(i, plain(r, groups))
