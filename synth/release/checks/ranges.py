"""Warn of estimated ranges that end where values are still frequent.

An estimated range excludes values that occur in too few units to exceed the noise. A range that is too short
is not an error of the synthetic table, because the private records were read with this range. However, the
last bin includes all larger values, so a reader could conclude that many records have the same large value.
"""

from __future__ import annotations

import numpy as np

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.schema import Outside, Provenance
from synth.estimates.effects import Pool
from synth.release.checks.flags import SURE, Flag

FULLER = 3.0
"""Ratio of the densities of the outermost and the next bin of an estimated range at which a warning is
given.
"""


def range_flags(pool: Pool, codebook: Codebook) -> list[Flag]:
    """Return warnings for columns with an estimated range whose last bin is too full.

    If the range does not begin at 0, the first bin is checked too.
    """
    merged = {grouping.column for grouping in codebook.groupings}
    return [
        _flag(axis, end, beside, pool)
        for axis in codebook.axes
        if axis.column.provenance in (Provenance.ESTIMATED, Provenance.EARLIER)
        and axis.edges
        and axis.cells > 2
        if axis.column.outside in (None, Outside.CLAMP) and axis.name not in merged
        if pool.supports((axis.name,))
        for end, beside in ((0, 1), (axis.cells - 1, axis.cells - 2))
        if (end or axis.edges[0] != 0) and _is_too_full(axis, end, beside, pool)
    ]


def _is_too_full(axis: Axis, end: int, beside: int, pool: Pool) -> bool:
    answers, widths = pool.average((axis.name,)), np.diff(axis.edges)
    usual = FULLER * widths[end] / widths[beside]
    spread = SURE * (answers.variance * (1 + usual**2)) ** 0.5
    return bool(answers.counts[end] - usual * max(answers.counts[beside], 0.0) > spread)


def _flag(axis: Axis, end: int, beside: int, pool: Pool) -> Flag:
    many, few = (max(round(float(pool.average((axis.name,)).counts[i])), 0) for i in (end, beside))
    which = "last" if end else "first"
    sentence = (
        f"The range estimated for column {axis.column.heading!r} seems too short. According to the noisy "
        f"counts, {many:,} records are in its {which} bin, {axis.span(end, end)}, and {few:,} in the next "
        "one. Values outside a range are moved to its nearest end."
    )
    advice = (
        "Declare the range from a public document, or use a larger share of the budget for estimated domains."
    )
    return Flag(code="range_too_short", sentence=sentence, blocks=False, columns=(axis.name,), advice=advice)
