"""The figures of a comparison, used by the private evaluation, by `evaluate` and by the benchmark.

To add one, write a function of two tables in this package and a `Criterion` in a group of `GROUPS`. NOT
PRIVATE when one of the tables is the real one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from synth.core.table import CodeTable
from synth.evaluate.queries import QueryErrors, query_errors


@dataclass(frozen=True, eq=False, kw_only=True)
class TablePair:
    """Two tables over the same domain. Intermediate results that several criteria need are computed only
    once.
    """

    real: CodeTable
    synthetic: CodeTable
    ordered: frozenset[str]
    seed: int = 0
    questions: int = 1000

    @cached_property
    def queries(self) -> QueryErrors:
        return query_errors(
            self.real, self.synthetic, ordered=self.ordered, queries=self.questions, seed=self.seed
        )

    def figures(self) -> dict[str, float | None]:
        """Return all figures by the name of the criterion."""
        return {criterion.name: criterion.measure(self) for criterion in CRITERIA}


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """An error from 0 (equal to the real table) to 1, as a share of rows, or None if it does not apply.

    `title` and `help` appear in the private evaluation, and `heading` above its column in benchmark tables.
    """

    name: str
    title: str
    help: str
    heading: str
    measure: Callable[[TablePair], float | None]


@dataclass(frozen=True, kw_only=True)
class CriteriaGroup:
    """A group of criteria under one title, with a note below."""

    name: str
    title: str
    note: str
    criteria: tuple[Criterion, ...]


GROUPS = (
    CriteriaGroup(
        name="queries",
        title="Random queries on three columns",
        note="Mean error over 1,000 random queries of each kind, in percentage points of all rows.",
        criteria=(
            Criterion(
                name="conjunction",
                title="Ranges and values",
                help="Rows inside a random range, or with a random value, in each of three columns.",
                heading="3-way queries",
                measure=lambda both: both.queries.conjunction,
            ),
            Criterion(
                name="counting",
                title="Boxes",
                help="Rows inside a random box, each side of which contains between 5% and 95% of the rows.",
                heading="counting",
                measure=lambda both: both.queries.counting,
            ),
            Criterion(
                name="threshold",
                title="Weighted sums",
                help="Rows for which a random weighted sum of three columns is above a threshold.",
                heading="threshold",
                measure=lambda both: both.queries.threshold,
            ),
        ),
    ),
)
"""All groups, in the order in which the page shows them."""

CRITERIA = tuple(criterion for group in GROUPS for criterion in group.criteria)
