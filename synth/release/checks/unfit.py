"""Compute the shares of cells that do not fit the declaration, from the noisy counts of a run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy.special import ndtri

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.columns.unfit import NOWHERE, OWN, Exclusion, Reason, Unfit, exclusions, pooled
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.numbers import per_cent
from synth.core.schema import Kind, Provenance

CONFIDENCE = 0.95
"""Confidence of the intervals."""

FALSE_ALARM = 0.05
"""Maximum probability that noise alone makes any share of a table significant."""

FALSE_STOP = 1e-4
"""Maximum probability that noise alone stops a run. It is lower, because a stop costs budget."""

RANGE = "range"
"""The name of `below` and `above` together, when a run is stopped."""


@dataclass(frozen=True, kw_only=True)
class UnfitShare:
    """The share of a column's cells that do not fit the declaration, for one reason.

    `low` and `high` are the ends of its 95% interval. `shown` describes what such cells become. `seen`
    states whether the share is significantly above 0, at a false-alarm rate of 5% for all shares of a table
    together.
    """

    column: str
    reason: str
    share: float
    low: float
    high: float
    shown: str
    seen: bool

    @property
    def words(self) -> str:
        """Return the share with its interval."""
        return interval_words(self.share, self.low, self.high)


def interval_words(share: float, low: float, high: float) -> str:
    """Return a share with its interval, whose ends are rounded outwards.

    >>> interval_words(0.042, 0.021, 0.056), interval_words(0.2, 0.199, 0.98)
    ('4% (2 to 6%)', '20% (19 to 98%)')
    """
    ends = math.floor(round(100 * low, 6)), math.ceil(round(100 * high, 6))
    return f"{per_cent(share)} ({ends[0]} to {ends[1]}%)"


@dataclass(frozen=True, kw_only=True)
class _Pool:
    """The noisy numbers of cells of each column and reason, with their standard deviations, and the number of
    rows with its standard deviation.
    """

    cells: Mapping[tuple[str, str], tuple[float, float]]
    total: float
    total_sd: float

    def cut(self, rate: float) -> float:
        """Return how many standard deviations a number must exceed, at this false-alarm rate for all."""
        return float(-ndtri(rate / max(2 * len(self.cells), 1)))

    def share(self, cells: float, sd: float, *, z: float) -> tuple[float, float, float]:
        """Return a share and the ends of its interval, between 0 and 1."""
        total = max(self.total, 1.0)
        share = cells / total
        half = z * math.hypot(sd, share * self.total_sd) / total
        return tuple(min(max(x, 0.0), 1.0) for x in (share, share - half, share + half))  # type: ignore[return-value]


def _pool(measured: Iterable[Measurement], rows_public: int | None) -> _Pool:
    found, sums, precision = defaultdict[tuple[str, str], list[Unfit]](list), 0.0, 0.0
    for m in measured:
        if not m.unfit:
            continue
        nowhere = [u for u in m.unfit if u.has_no_code]
        own = 1 / (float(m.variance) * m.counts.size + sum(1 / u.precision for u in nowhere))
        sums += own * (float(m.counts.sum()) + sum(u.cells for u in nowhere))
        precision += own
        for one in m.unfit:
            found[m.clique[0], one.reason].append(one)
    return _Pool(
        cells={key: pooled(counts) for key, counts in found.items()},
        total=float(rows_public) if rows_public is not None else (sums / precision if precision else 0.0),
        total_sd=0.0 if rows_public is not None or not precision else precision**-0.5,
    )


def unfit_shares(evidence: Evidence) -> tuple[UnfitShare, ...]:
    """Return the shares of all columns and reasons, in the order of the columns. This is post-processing."""
    pool = _pool(_measured(evidence), evidence.codebook.schema.rows_public)
    z = float(ndtri((1 + CONFIDENCE) / 2))
    shares = []
    for axis in evidence.codebook.axes:
        for exclusion in exclusions(axis):
            if (key := (axis.name, str(exclusion.reason))) not in pool.cells:
                continue
            cells, sd = pool.cells[key]
            share, low, high = pool.share(cells, sd, z=z)
            shares.append(
                UnfitShare(
                    column=axis.name,
                    reason=key[1],
                    share=share,
                    low=low,
                    high=high,
                    shown=_shown(axis, exclusion),
                    seen=cells > pool.cut(FALSE_ALARM) * sd,
                )
            )
    return tuple(shares)


def _measured(evidence: Evidence) -> Sequence[Measurement]:
    return [a for a in evidence.answers if isinstance(a, Measurement)]


def _shown(axis: Axis, exclusion: Exclusion) -> str:
    """Return what the cells of an exclusion become."""
    if exclusion.code == OWN:
        return "rounded down"
    if exclusion.code == NOWHERE:
        return "not counted in this column"
    if exclusion.code >= axis.cells:
        return "shown as blank"
    return f"shown as {axis.label(exclusion.code)}"


def sentences(shares: Iterable[UnfitShare], codebook: Codebook) -> list[str]:
    """Return a sentence for each share that is significantly above 0, largest first."""
    axes, titles = {axis.name: axis for axis in codebook.axes}, codebook.titles
    seen = sorted((one for one in shares if one.seen), key=lambda one: -one.share)
    return [
        f"{one.words} of {titles.get(one.column, one.column)} {_was(one.reason, axes[one.column])} and are "
        f"{one.shown}."
        for one in seen
    ]


_WAS = {
    Reason.BELOW: "were below the {source} range",
    Reason.ABOVE: "were above the {source} range",
    Reason.BLANK: "were blank, although declared as never blank,",
    Reason.CHANGED: "were not whole numbers",
    Reason.UNLISTED: "were not in the {source} list",
}


def _was(reason: str, axis: Axis) -> str:
    if reason == Reason.UNREADABLE:
        return f"could not be read as {_kind(axis)}"
    return _WAS[Reason(reason)].format(source=_source(axis))


def _source(axis: Axis) -> str:
    return "estimated" if axis.column.provenance is Provenance.ESTIMATED else "declared"


def _kind(axis: Axis) -> str:
    return "dates" if axis.column.kind is Kind.DATE else "numbers"


def excesses(measured: Iterable[Measurement], codebook: Codebook, *, most: float) -> list[str]:
    """Return a phrase for each column whose share of cells that do not fit is significantly above `most`.

    It is tested for each reason, and for all reasons of a column together, at a false-alarm rate of 1 in
    10,000 for the whole table. The result depends only on noisy counts.
    """
    pool, phrases = _pool(measured, codebook.schema.rows_public), []
    z = float(ndtri((1 + CONFIDENCE) / 2))
    for axis in codebook.axes:
        mine = {reason: found for (name, reason), found in pool.cells.items() if name == axis.name}
        kinds = {reason: RANGE if reason in (Reason.BELOW, Reason.ABOVE) else reason for reason in mine}
        groups = [[r for r in mine if kinds[r] == kind] for kind in dict.fromkeys(kinds.values())]
        groups += [list(mine)] if len(groups) > 1 else []
        over = []
        for reasons in groups:
            cells = sum(mine[r][0] for r in reasons)
            sd = math.hypot(*(mine[r][1] for r in reasons))
            if cells - pool.cut(FALSE_STOP) * math.hypot(sd, most * pool.total_sd) > most * pool.total:
                over.append((reasons, pool.share(cells, sd, z=z)))
        if over:
            reasons, found = over[0]
            phrases.append(f"{interval_words(*found)} of {_title(codebook, axis)} {_is(reasons, axis)}")
    return phrases


def _title(codebook: Codebook, axis: Axis) -> str:
    return repr(codebook.titles.get(axis.name, axis.name))


def _is(reasons: Sequence[str], axis: Axis) -> str:
    if set(reasons) <= {Reason.BELOW, Reason.ABOVE}:
        return f"is outside {axis.span(0, axis.cells - 1)}"
    one = {
        Reason.UNREADABLE: f"cannot be read as {_kind(axis)}",
        Reason.BLANK: "is blank, although declared as never blank",
        Reason.CHANGED: "is not a whole number and would be rounded down",
        Reason.UNLISTED: f"is not in the {_source(axis)} list",
    }
    return one[Reason(reasons[0])] if len(reasons) == 1 else "does not fit its domain"
