"""Pause a run if too many cells do not fit their declaration. The decision uses only noisy counts."""

from __future__ import annotations

from collections.abc import Sequence

from synth.core.codebook import Codebook
from synth.core.columns.unfit import exclusions
from synth.core.domain import Domain
from synth.core.errors import Unfit
from synth.core.measurements.noisy import Measurement
from synth.private.queries import A, Marginal, Query
from synth.private.source import Source
from synth.private.terms import Allowance, Terms
from synth.release.checks.unfit import excesses


class Watched:
    """A source that raises `Unfit` once all columns are measured, if the share of cells that do not fit is
    significantly above `most` in a column.

    The queries themselves are passed on unchanged. So the run has been charged for the queries so far, and
    only they are repeated, without a charge, when it continues.
    """

    def __init__(self, source: Source, codebook: Codebook, *, most: float) -> None:
        self._source, self._codebook, self._most = source, codebook, most
        self._found = list[Measurement]()
        self._awaited = {axis.name for axis in codebook.axes if exclusions(axis)}

    @property
    def domain(self) -> Domain:
        return self._source.domain

    @property
    def terms(self) -> Terms:
        return self._source.terms

    @property
    def left(self) -> Allowance:
        return self._source.left

    def ask(self, requested: Sequence[tuple[Query[A], float]]) -> tuple[A, ...]:
        """See `Source.ask`."""
        answers = self._source.ask(requested)
        self.heed([a for a in answers if isinstance(a, Measurement) and a.unfit])
        return answers

    def heed(self, found: Sequence[Measurement]) -> None:
        """Consider more measurements of single columns. Raises: `Unfit`."""
        self._found += found
        if not found or not self._awaited <= {m.clique[0] for m in self._found}:
            return
        if self._most < 1 and (phrases := excesses(self._found, self._codebook, most=self._most)):
            raise Unfit(phrases)


def counted_first(source: Source) -> tuple[Measurement, ...]:
    """Count the rows and the cells that do not fit of every column, with the whole budget of the source.

    Privacy: one table of a single cell per column, and its counters (`private.queries.marginal`). One row
    changes each of these d vectors by at most 1, so all of them together by at most sqrt(d).
    """
    domain, left = source.domain, source.left.rho
    wanted = [Marginal((n,), {n: (0,) * size}) for n, size in zip(domain.names, domain.sizes, strict=True)]
    prices = [left / len(wanted)] * (len(wanted) - 1)
    return source.ask(list(zip(wanted, [*prices, source.left.after(prices).rho], strict=True)))
