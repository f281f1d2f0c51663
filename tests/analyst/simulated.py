"""Create noisy tables of an invented table, as in a release package, without a run."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.analyst.measured import Measured
from synth.core.accounting import GAUSSIAN
from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero

DOMAIN = Domain(("a", "b", "c"), (6, 4, 3))
Rows = NDArray[np.int64]


def people(rng: np.random.Generator, rows: int, *, moved: float = 0.0) -> Rows:
    """Return rows with relations. `moved` of them have a different distribution of `b`."""
    a = rng.integers(0, 6, rows)
    b = np.minimum(a // 2 + rng.integers(0, 2, rows), 3)
    b[: int(moved * rows)] = 3
    return np.stack([a, b, (a + rng.integers(0, 2, rows)) % 3], axis=1)


def released(
    rows: Rows,
    tables: Mapping[Clique, float],
    rng: np.random.Generator,
    *,
    groups: Mapping[str, Sequence[int]] | None = None,
    domain: Domain = DOMAIN,
    zeros: Sequence[Zero] = (),
    **facts: Any,
) -> Measured:
    """Measure tables with these standard deviations of the noise. `groups` merges codes in tables of two
    columns.
    """
    answers = []
    for clique, sd in tables.items():
        cells = rows[:, [domain.axis(name) for name in clique]]
        own = {n: tuple(g) for n, g in (groups or {}).items() if n in clique and len(clique) > 1}
        for k, name in enumerate(clique):
            if name in own:
                cells[:, k] = np.asarray(own[name])[cells[:, k]]
        counts = np.zeros([max(own[n]) + 1 if n in own else domain.size([n]) for n in clique], dtype=np.int64)
        np.add.at(counts, tuple(cells.T), 1)
        noisy = counts + np.rint(rng.normal(0, sd, counts.shape)).astype(np.int64)
        variance = Fraction(sd).limit_denominator(1000) ** 2
        answers.append(
            Measurement(clique=clique, counts=noisy, variance=variance, units=1, groups=own, law=GAUSSIAN)
        )
    evidence = Evidence(
        codebook=Codebook.plain(domain, zeros=zeros), answers=tuple(answers), total=float(len(rows))
    )
    given: dict[str, Any] = {"spec": {}, "generator": "", "checks": {"bounds": ()}, "rows": dict} | facts
    return Measured(evidence=evidence, **given)
