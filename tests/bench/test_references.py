from __future__ import annotations

import numpy as np

from synth.bench.references import bootstrap, product
from synth.domain import Domain
from synth.table import CodeTable

DOMAIN = Domain(("a", "b"), (3, 3))


def real() -> CodeTable:
    a = np.arange(3000) % 3
    return CodeTable(DOMAIN, np.stack([a, a], axis=1))


def test_a_bootstrap_keeps_relations_and_repeats_rows() -> None:
    found = bootstrap(real(), np.random.default_rng(0))
    assert found.rows == 3000 and np.all(found.codes[:, 0] == found.codes[:, 1])
    assert not np.array_equal(np.bincount(found.codes[:, 0]), np.bincount(real().codes[:, 0]))


def test_the_product_keeps_one_ways_exactly_and_nothing_else() -> None:
    found = product(real(), np.random.default_rng(0))
    for name in "ab":
        np.testing.assert_array_equal(found.counts((name,)), real().counts((name,)))
    share = np.mean(found.codes[:, 0] == found.codes[:, 1])
    assert abs(share - 1 / 3) < 6 * np.sqrt(2 / 9 / 3000)
