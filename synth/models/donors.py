"""Give new codes to records that violate a condition on several columns that no structural zero expresses.

The columns of the condition get the codes of a donor: a record of the model that meets the condition. Of
`CANDIDATES` random records, the donor is the one that agrees with the record in most of the other columns. So
the new codes follow the distribution that the model has given the condition and, approximately, given the
rest of the record. If the record then still violates the condition or a structural zero, it becomes a copy of
the donor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.zeros import Zero

CANDIDATES = 64
"""Number of records among which a donor is chosen."""

ENOUGH = 256
"""Number of records that meet the condition below which more records are drawn from the model."""

DRAWS = 6
"""Maximum number of additional draws from the model. Each is four times as large as the one before."""

AT_ONCE = 1024
"""Number of records that get a donor at once, which limits the memory."""

Codes = NDArray[np.int64]
Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Condition:
    """A condition on the codes of records. `columns` are the positions of the columns on which it depends.

    `holds` takes int64[records, columns of the domain] and returns bool[records].
    """

    columns: tuple[int, ...]
    holds: Callable[[Codes], Marks]


def replaced(
    codes: Codes,
    domain: Domain,
    condition: Condition,
    *,
    zeros: Sequence[Zero],
    fresh: Callable[[int], Codes] | None,
    rng: np.random.Generator,
) -> Codes:
    """Return records that meet the condition and the structural zeros, if the model has such records.

    Only records that violate the condition change. `fresh` draws a number of further records from the model;
    it is called only if few of the records meet the condition. Without it, and without any such record, the
    records are returned unchanged. Shapes: int64[records, len(domain)].
    """
    good = condition.holds(codes)
    if good.all():
        return codes
    guards = [(domain.axes(z.clique), z.forbidden) for z in zeros if z.forbidden.any()]

    def fine(some: Codes) -> Marks:
        fits = condition.holds(some)
        for axes, forbidden in guards:
            fits &= ~forbidden[tuple(some[:, i] for i in axes)]
        return fits

    pool = codes[good]
    size = ENOUGH
    for _ in range(DRAWS if fresh else 0):
        if len(pool) >= ENOUGH or fresh is None:
            break
        drawn = fresh(size)
        pool, size = np.concatenate([pool, drawn[fine(drawn)]]), 4 * size
    if not len(pool):
        return codes
    changed, tied = codes.copy(), list(condition.columns)
    others = [i for i in range(len(domain)) if i not in condition.columns]
    bad = np.flatnonzero(~good)
    for some in np.split(bad, range(AT_ONCE, len(bad), AT_ONCE)):
        candidates = rng.integers(len(pool), size=(len(some), CANDIDATES))
        agree = (pool[:, others][candidates] == codes[some][:, None, others]).sum(axis=2)
        donors = pool[candidates[np.arange(len(some)), agree.argmax(axis=1)]]
        mixed = codes[some]
        mixed[:, tied] = donors[:, tied]
        changed[some] = np.where(fine(mixed)[:, None], mixed, donors)
    return changed
