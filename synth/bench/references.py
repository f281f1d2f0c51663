"""What no privacy at all gives: a bootstrap of the real table, and its exact one-way marginals multiplied."""

from __future__ import annotations

import numpy as np

from synth.table import CodeTable


def bootstrap(real: CodeTable, rng: np.random.Generator) -> CodeTable:
    """As many rows, drawn with replacement."""
    return CodeTable(real.domain, real.codes[rng.integers(0, real.rows, real.rows)])


def product(real: CodeTable, rng: np.random.Generator) -> CodeTable:
    """Every column shuffled on its own: exact one-way marginals, independent columns."""
    return CodeTable(
        real.domain,
        np.stack([rng.permutation(real.codes[:, i]) for i in range(len(real.domain))], axis=1),
    )
