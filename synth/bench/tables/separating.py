"""Invented tables that separate methods. Each distribution was fixed before any method was run on its table.

Real tables such as Adult have few relations of more than two or three columns. These tables have such
relations. Each distribution except the last two has unrelated columns, and one relation that pairs of columns
show only partly or not at all. All tables have a column to predict and held-out rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.bench.tables.laws import Law

Codes = NDArray[np.int64]

LABEL = "label"
WRONG = 0.05
"""Share of rows whose label does not follow the rule of the table."""


def _yes_no(columns: int) -> dict[str, int]:
    return {**{f"x{i:02d}": 2 for i in range(columns)}, LABEL: 2}


def _some_wrong(label: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return labels, a few of which are replaced by uniformly random labels."""
    return np.where(rng.random(len(label)) < WRONG, rng.integers(0, size, len(label)), label)


def _xor_blocks(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw four blocks of three fair yes-no columns. The third column of a block is the XOR of the first two
    in nine of ten rows. The label is the XOR of the first columns of the first two blocks.
    """
    columns = rng.integers(0, 2, (rows, 12))
    for first in range(0, 12, 3):
        exact = columns[:, first] ^ columns[:, first + 1]
        columns[:, first + 2] = exact ^ (rng.random(rows) < 0.1)
    label = _some_wrong(columns[:, 0] ^ columns[:, 3], 2, rng)
    return np.column_stack([columns, label])


def _parity3(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw fair yes-no columns. The label is the parity of the first three."""
    columns = rng.integers(0, 2, (rows, len(sizes) - 1))
    label = _some_wrong(columns[:, :3].sum(axis=1) % 2, 2, rng)
    return np.column_stack([columns, label])


def _sums(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw eight uniform columns of ten codes. The label is the range (up to 15, up to 20, above 20) of the
    sum of the first four. Each of the four is weakly related to the label, and only a table of the label and
    all four columns shows the full relation.
    """
    columns = rng.integers(0, 10, (rows, 8))
    label = _some_wrong(np.searchsorted([16, 21], columns[:, :4].sum(axis=1), side="right"), 3, rng)
    return np.column_stack([columns, label])


def _rests(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw eight uniform columns of five codes. The label is the sum of the first two modulo five. Neither
    pairs nor a few groups of neighbouring codes show this relation.
    """
    columns = rng.integers(0, 5, (rows, 8))
    label = _some_wrong((columns[:, 0] + columns[:, 1]) % 5, 5, rng)
    return np.column_stack([columns, label])


def _codes(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw one of 600 codes, its group (one of 40, determined by the code), two columns that depend on the
    group, and an independent column. The label is a property of the code that is common in some groups.
    Frequencies are as uneven as for diagnoses: the k-th code in a random order has a frequency
    proportional to 1 / (k + 3).
    """
    order, share = rng.permutation(600), 1 / (np.arange(600) + 3)
    code = order[rng.choice(600, rows, p=share / share.sum())]
    group_of = rng.integers(0, 40, 600)
    group = group_of[code]
    leaning = (group * 7 % 12 + rng.geometric(0.5, rows) - 1) % 12
    other = (group * 5 % 8 + rng.binomial(3, 0.4, rows)) % 8
    property_of = rng.random(600) < rng.beta(0.4, 0.4, 40)[group_of]
    label = _some_wrong(property_of[code].astype(np.int64), 2, rng)
    return np.column_stack([code, group, leaning, other, rng.integers(0, 6, rows), label])


def _orders(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw the weeks in which an order was requested, was sent, arrived and was paid. No event is before the
    previous one, and 0 means that an event did not occur. Further columns are how the order was sent and
    whether it was late. `rules` lists the impossible combinations.
    """
    requested = 1 + rng.integers(0, 10, rows)
    sent = np.where(rng.random(rows) < 0.85, requested + rng.geometric(0.5, rows) - 1, 0)
    by = rng.integers(0, 4, rows)
    took = rng.binomial(1 + 2 * by, 0.5)
    arrived = np.where((sent > 0) & (rng.random(rows) < 0.9), sent + took, 0)
    paid = np.where((arrived > 0) & (rng.random(rows) < 0.8), arrived + rng.geometric(0.4, rows) - 1, 0)
    capped = np.minimum(np.column_stack([requested, sent, arrived, paid]), 19)
    late = (arrived - requested > 4).astype(np.int64)
    return np.column_stack([capped, by, late])


_ORDER_RULES = (
    "if sent is 0 then arrived is 0",
    "if arrived is 0 then paid is 0",
    "if arrived is 0 then late is 0",
)

SEPARATING = {
    "xor-blocks": Law(rows=12_500, sizes=_yes_no(12), number=21, rows_of=_xor_blocks, target=LABEL),
    "parity-3": Law(rows=12_500, sizes=_yes_no(12), number=22, rows_of=_parity3, target=LABEL),
    "parity-3-of-13": Law(rows=37_500, sizes=_yes_no(13), number=29, rows_of=_parity3, target=LABEL),
    "sums": Law(
        rows=25_000,
        sizes={**{f"x{i:02d}": 10 for i in range(8)}, LABEL: 3},
        number=24,
        rows_of=_sums,
        target=LABEL,
    ),
    "rests": Law(
        rows=25_000,
        sizes={**{f"x{i:02d}": 5 for i in range(8)}, LABEL: 5},
        number=25,
        rows_of=_rests,
        target=LABEL,
        nominal=(LABEL,),
    ),
    "codes": Law(
        rows=37_500,
        sizes={"code": 600, "group": 40, "leaning": 12, "other": 8, "alone": 6, LABEL: 2},
        number=27,
        rows_of=_codes,
        target=LABEL,
        nominal=("code", "group", "leaning", "other", "alone", LABEL),
    ),
    "orders": Law(
        rows=25_000,
        sizes={"asked": 20, "sent": 20, "arrived": 20, "paid": 20, "by": 4, "late": 2},
        number=28,
        rows_of=_orders,
        target="late",
        rules=_ORDER_RULES,
    ),
}
