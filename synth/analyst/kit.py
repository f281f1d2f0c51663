"""Provide the analyst's kit, which answers questions about release packages.

It can also combine several packages about the same people.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from synth.analyst.answers import LEVEL, Answer, Answers
from synth.analyst.averages import (
    answers_by,
    axis_of,
    difference_of_means,
    mean_answer,
    quantile_answer,
    total_answer,
)
from synth.analyst.conditions import Condition, conditions_in
from synth.analyst.counts import count_of, difference_of, share_of
from synth.analyst.crossed import Crossed, crossed
from synth.analyst.drift import Drift, drift
from synth.analyst.measured import Measured
from synth.analyst.measured_sums import logistic_answers, mean_answers, regression_answers
from synth.analyst.shown.picture import Picture
from synth.analyst.together import together
from synth.core.errors import Mistake
from synth.release.checks.unfit import UnfitShare, unfit_shares

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from synth.analyst.rows import Conditional, Drawn

Where = Mapping[str, Any]


def open_release(path: str | Path) -> Kit:
    """Open a release package (a folder or a zip) to ask questions about it.

    Raises: `Mistake` if there is no release package at this path.
    """
    return Kit(Measured.of(path))


def open_together(releases: Iterable[str | Path | Kit]) -> Kit:
    """Combine releases about the same people, given as paths of packages or as kits, newest last.

    Their noisy measurements are weighted by their inverse variances. Raises: `Mistake` if they have different
    columns or rules, or if a chi-square test at 0.001 finds that the people differ (`analyst.together`).
    """
    return Kit(together([r.measured if isinstance(r, Kit) else Measured.of(r) for r in releases]))


@dataclass(frozen=True, eq=False, repr=False)
class Kit:
    """Answers questions from the noisy measurements of a release package. Questions use no budget.

    The condition on a column is a value, a list of values, a pair (lowest, highest) with None for no limit,
    or None for blank. Use a dictionary as the first argument if the name of a column is not a Python name. No
    figure comes from synthetic rows, except in bounds from the accuracy check and in `rows` and `impute`.
    """

    measured: Measured

    def __repr__(self) -> str:
        schema = self.measured.codebook.schema
        return f"Kit of {schema.name!r}: about {self.measured.size:,.0f} records, {len(schema.read)} columns."

    def count(self, where: Where | None = None, /, *, level: float = LEVEL, **more: Any) -> Answer:
        """Return the number of records that satisfy all conditions, or a bound."""
        return count_of(self.measured, self._conditions(where, more), level)

    def share(
        self, where: Where | None = None, /, *, among: Where | None = None, level: float = LEVEL, **more: Any
    ) -> Answer:
        """Return the share of records that satisfy the conditions, among all records or the records in
        `among`.
        """
        return share_of(self.measured, self._conditions(where, more), self._conditions(among), level)

    def difference(
        self, one: Where, other: Where, /, *, mean: str | None = None, level: float = LEVEL
    ) -> Answer:
        """Return the difference of the counts, or of the means, of two groups of records."""
        groups = self._conditions(one), self._conditions(other)
        if mean is None:
            return difference_of(self.measured, *groups, level)
        return difference_of_means(self.measured, mean, *groups, level)

    def mean(
        self,
        column: str,
        where: Where | None = None,
        /,
        *,
        by: str | None = None,
        level: float = LEVEL,
        **more: Any,
    ) -> Answer | Answers:
        """Return the mean of a column, or one mean for each group of `by`. Blanks are excluded.

        Values outside the declared range count as the nearest end of the range. If bins contain several
        values, the interval includes all their possible means. If sums were measured for this mean, bins are
        not used.
        """
        conditions = self._conditions(where, more)
        sums = None if conditions else mean_answers(self.measured, column, by, level)
        if by is None:
            found = sums if isinstance(sums, Answer) and sums.estimate is not None else None
            return found or mean_answer(self.measured, column, conditions, level)
        if isinstance(sums, Answers) and all(one.estimate is not None for one in sums):
            return sums
        return answers_by(self.measured, column, by, conditions, level)

    def total(
        self,
        column: str,
        where: Where | None = None,
        /,
        *,
        by: str | None = None,
        level: float = LEVEL,
        **more: Any,
    ) -> Answer | Answers:
        """Return the sum of a column, or one sum for each group of `by`. Blanks are excluded.

        The sum of a survey weight is a weighted count. Values outside the range and bins are treated as in
        `mean`.
        """
        conditions = self._conditions(where, more)
        if by is None:
            return total_answer(self.measured, column, conditions, level)
        return answers_by(self.measured, column, by, conditions, level, total=True)

    def regression(self, formula: str, *, level: float = LEVEL) -> Answers:
        """Return the constant and the slopes of a linear regression, such as `income ~ age + sex[male]`.

        The question is refused unless the release measured the necessary sums.
        """
        return regression_answers(self.measured, formula, level)

    def logistic(self, formula: str, *, level: float = LEVEL) -> Answers:
        """Return the constant and the slopes of a logistic regression, such as `smokes ~ age + sex`.

        The slopes are for the log odds of the outcome. The question is refused unless the release measured
        the score of this regression.
        """
        return logistic_answers(self.measured, formula, level)

    def quantile(
        self,
        column: str,
        at: float = 0.5,
        where: Where | None = None,
        /,
        *,
        level: float = LEVEL,
        **more: Any,
    ) -> Answer:
        """Return a quantile of a column of numbers or dates. Its interval ends at edges of bins."""
        return quantile_answer(self.measured, column, at, self._conditions(where, more), level)

    def table(self, columns: Iterable[str], *, simultaneous: bool = True, level: float = LEVEL) -> Crossed:
        """Return all cells of a table of counts, with intervals that hold together or individually."""
        names = [axis_of(self.measured, name).name for name in columns]
        clique = self.measured.domain.clique(names)
        return crossed(self.measured, clique, level=level, simultaneous=simultaneous)

    def unfit(self) -> tuple[UnfitShare, ...]:
        """Return the noisy share of each column's cells that did not fit its declaration, for each possible
        reason, with a 95% interval. A release of an earlier version has none.
        """
        return unfit_shares(self.measured.evidence)

    def together(self, *others: Kit) -> Kit:
        """Combine this release with other releases about the same people (see `open_together`)."""
        return open_together([self, *others])

    def drift(self, later: Kit, *, level: float = LEVEL, population: bool = False) -> Drift:
        """Return the changes from this release to a later one, with intervals that hold together.

        If `population` is true, the intervals are about two populations, and the records are independent
        random samples of these.
        """
        return drift(self.measured, later.measured, level=level, is_population=population)

    def draw(self, found: Answer | Crossed | Sequence[Answer]) -> Picture:
        """Return a picture of an answer, several answers in the same unit, or a table."""
        return Picture.of(found)

    def kept(self) -> nx.Graph:
        """Return a graph of the columns that shows what is known about each pair (see `analyst.kept`)."""
        from synth.analyst.kept import kept

        return kept(self.measured)

    def rows(
        self,
        where: Where | None = None,
        *,
        weights: Mapping[str, Mapping[Any, float]] | None = None,
        n: int = 1000,
        seed: int = 0,
    ) -> Drawn:
        """Draw synthetic rows that satisfy the conditions.

        `weights` multiplies the frequencies of values, such as `{"sex": {"female": 2.0}}`. Raises: `Mistake`
        if the model has no such rows.
        """
        if n < 1:
            raise Mistake(f"Ask for at least one row (you asked for {n}).")
        size_of = dict(zip(self.measured.domain.names, self.measured.domain.sizes, strict=True))
        factors = {}
        for name, by_value in (weights or {}).items():
            factors[axis_of(self.measured, name).name] = factor = np.ones(size_of[name])
            for value, weight in by_value.items():
                factor[self._conditions({name: value})[0].inner] = weight
        return self._conditional.draw(self._conditions(where), factors, n, seed)

    def impute(self, table: pd.DataFrame, *, seed: int = 0) -> Drawn:
        """Fill the blanks of your table with random values, given the other values of each row."""
        return self._conditional.impute(table, seed)

    @cached_property
    def _conditional(self) -> Conditional:
        from synth.analyst.rows import Conditional

        return Conditional.of(self.measured)

    def _conditions(self, where: Where | None, more: Where | None = None) -> tuple[Condition, ...]:
        return conditions_in({**(where or {}), **(more or {})}, self.measured.codebook)
