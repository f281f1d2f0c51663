"""The targets towards which values of records are swapped."""

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.models.independent import ProductModel
from synth.models.records import swap_towards

DOMAIN = Domain(tuple("abcd"), (6, 5, 4, 3))
PAIRS: list[Clique] = list(combinations(DOMAIN.names, 2))


def test_only_pairs_that_fit_are_aimed_at_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[int, list[Clique], list[Clique]]] = [
        (0, PAIRS, []),
        (38, PAIRS, [("a", "b")]),
        (27, PAIRS, [("a", "c")]),
        (27, PAIRS[::-1], [("c", "d"), ("b", "d")]),
    ]
    for cells, pairs, kept in cases:
        monkeypatch.setattr(swap_towards, "TARGET_CELLS", cells)
        assert swap_towards._within(DOMAIN, pairs) == kept


def test_records_that_came_out_dependent_are_swapped_towards_an_independent_model() -> None:
    columns = tuple(np.full(size, 1200 / size) for size in DOMAIN.sizes)
    model = ProductModel(DOMAIN, 1200.0, columns)
    codes = np.stack([np.arange(1200) * size // 1200 for size in DOMAIN.sizes], axis=1)
    nearer = swap_towards.swap_towards(model, codes, rng=np.random.default_rng(0), measured=PAIRS)
    table = np.zeros((6, 5))
    np.add.at(table, (nearer[:, 0], nearer[:, 1]), 1)
    assert np.abs(table - 40).sum() < 30 * math.sqrt(40)
    np.testing.assert_array_equal(np.sort(nearer, axis=0), np.sort(codes, axis=0))


def test_pairs_with_a_column_that_is_not_among_those_named_are_not_aimed_at() -> None:
    columns = tuple(np.full(size, 1200 / size) for size in DOMAIN.sizes)
    model = ProductModel(DOMAIN, 1200.0, columns)
    codes = np.stack([np.arange(1200) * size // 1200 for size in DOMAIN.sizes], axis=1)
    nearer = swap_towards.swap_towards(
        model, codes, rng=np.random.default_rng(0), measured=PAIRS, among={"a", "b"}
    )

    def off(one: int, other: int) -> float:
        sizes = DOMAIN.sizes[one], DOMAIN.sizes[other]
        table = np.zeros(sizes)
        np.add.at(table, (nearer[:, one], nearer[:, other]), 1)
        return float(np.abs(table - 1200 / math.prod(sizes)).sum())

    assert off(0, 1) < 30 * math.sqrt(40) < off(2, 3)


class WithTriples(ProductModel):
    """Independent columns in every pair. In tables of three columns, the parity of a and b determines c."""

    def project_many(self, cliques: Iterable[Clique]) -> list[np.ndarray]:
        requested = list(cliques)
        stated = super().project_many(requested)
        return [self._parity() if r == ("a", "b", "c") else t for r, t in zip(requested, stated, strict=True)]

    def _parity(self) -> np.ndarray:
        cells = np.indices((2, 2, 2)).sum(axis=0) % 2
        return np.where(cells == 0, 1.9, 0.1) * (self.total / 8)


def parity(codes: np.ndarray) -> float:
    """Return the share of the records with an even sum of the first three codes."""
    return float((codes[:, :3].sum(axis=1) % 2 == 0).mean())


def test_triples_are_aimed_at_where_asked_and_where_few(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain(tuple("abcd"), (2, 2, 2, 3))
    model = WithTriples(domain, 2000.0, tuple(np.full(size, 2000 / size) for size in domain.sizes))
    codes = np.random.default_rng(1).integers(0, domain.sizes, (2000, 4))

    def swapped(*, triples: bool, rows: int = 2000) -> np.ndarray:
        rng = np.random.default_rng(0)
        return swap_towards.swap_towards(model, codes[:rows], rng=rng, measured=[], triples=triples)

    assert abs(parity(swapped(triples=True)) - 0.95) < 0.03
    assert abs(parity(swapped(triples=False)) - 0.5) < 0.06
    few = swapped(triples=True, rows=7)  # less than a record a cell
    np.testing.assert_array_equal(few, swapped(triples=False, rows=7))
    for limit, most in (("MOST_TRIPLES", 3), ("TRIPLE_WORK", 1), ("TRIPLE_CELLS", 43)):
        with monkeypatch.context() as patch:
            patch.setattr(swap_towards, limit, most)
            assert abs(parity(swapped(triples=True)) - 0.5) < 0.06


def test_only_more_records_than_in_the_private_table_may_stay_further_from_their_tables() -> None:
    """Of the two cells, only the larger one has half a record that rounding can add or remove."""
    domain, table = Domain(("a", "b"), (1, 2)), np.array([[0.25, 99.75]])
    for scale, off in ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (4.0, (1.0 + 1.5) / 4)):
        targets = swap_towards.SwapTargets(
            domain=domain, tables={("a", "b"): table * scale}, triples={}, scale=scale
        )
        assert targets.rounding == off
