"""Short helpers that create measurements and evidence."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement, sum_groups
from synth.core.table import CodeTable


def measurement(clique: Iterable[str], counts: Any, variance: Any = 1, **more: Any) -> Measurement:
    """Return a measurement with the given noisy counts, rounded."""
    whole = np.rint(counts).astype(np.int64)
    stated = {"units": 1, **more}
    return Measurement(clique=tuple(clique), counts=whole, variance=Fraction(variance), **stated)


def evidence_of(domain: Domain, answers: Iterable[Any], total: float, **book: Any) -> Evidence:
    """Return the evidence about a table. `book`: structural zeros and orders of its codes."""
    return Evidence(codebook=Codebook.plain(domain, **book), answers=tuple(answers), total=float(total))


def noisy(
    table: CodeTable,
    cliques: Iterable[Clique],
    *,
    sigma: int,
    seed: int = 5,
    groups: Mapping[str, tuple[int, ...]] | None = None,
) -> list[Measurement]:
    """Return noisy measurements of a table in order. `groups`: the groups of codes in measurements of several
    columns.
    """
    rng, found = np.random.default_rng(seed), []
    for step, clique in enumerate(cliques):
        own = {n: g for n, g in (groups or {}).items() if n in clique and len(clique) > 1}
        counts = table.project(clique)
        for name, group_of in own.items():
            counts = sum_groups(counts, clique.index(name), group_of)
        drawn = counts + rng.normal(0, sigma, counts.shape)
        found.append(measurement(clique, drawn, sigma**2, step=step, groups=own))
    return found
