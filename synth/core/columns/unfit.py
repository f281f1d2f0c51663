"""Define the reasons why a cell does not fit its declaration, and what becomes of such cells.

A cell that does not fit is still encoded: it is clamped, blank, rounded down, or outside all codes. The first
measurements of a column also count such cells by reason (`private.queries.marginal`), and the shares are
published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from synth.core.axis import Axis
from synth.core.schema import Kind, Outside


class Reason(StrEnum):
    """Why a cell does not fit. The order is that of the codes in `private.encoding`, which start at 1."""

    BELOW = "below"
    ABOVE = "above"
    UNREADABLE = "unreadable"
    BLANK = "blank"
    CHANGED = "changed"
    UNLISTED = "unlisted"


REASONS = tuple(Reason)
NOWHERE, OWN = -1, -2
"""Instead of a code: such cells have no code of the model, or the code of what they are changed to."""


WHOLE, IN_CELL, COUNTED = 5, 4, 3
"""What a row adds to a measurement: `WHOLE` to its cell if it fits. Otherwise, it adds `IN_CELL` to its cell
and `COUNTED` to the number of its reason, or `WHOLE` to this number if it has no cell. In each case, the
squares add up to 25.
"""


@dataclass(frozen=True)
class Exclusion:
    """A reason that is possible for a column. `code` is the code of such cells, `NOWHERE` or `OWN`."""

    reason: Reason
    code: int


def exclusions(axis: Axis) -> tuple[Exclusion, ...]:
    """Return what the declaration of a column excludes. It depends only on the declaration.

    Under the outside rule *other*, values outside the domain are declared, so they fit.
    """
    column, found = axis.column, list[Exclusion]()
    blank = axis.missing_code if column.blank else NOWHERE
    if column.outside_rule is not Outside.OTHER:
        clamps = column.outside_rule is Outside.CLAMP
        if axis.edges:
            found.append(Exclusion(Reason.BELOW, 0 if clamps else blank))
            found.append(Exclusion(Reason.ABOVE, axis.cells - 1 if clamps else blank))
            found.append(Exclusion(Reason.UNREADABLE, blank))
        else:
            found.append(Exclusion(Reason.UNLISTED, blank))
    if not column.blank:
        found.append(Exclusion(Reason.BLANK, NOWHERE))
    if axis.edges and column.kind is Kind.INTEGER:
        found.append(Exclusion(Reason.CHANGED, OWN))
    return tuple(found)


def in_groups(found: Sequence[Exclusion], group_of: Sequence[int]) -> tuple[Exclusion, ...]:
    """Return the same exclusions in groups of codes."""
    return tuple(replace(e, code=e.code if e.code < 0 else group_of[e.code]) for e in found)


@dataclass(frozen=True, kw_only=True)
class Unfit:
    """The noisy number of cells of a column that do not fit, for one reason.

    `count` is an integer in units of 1 / `weight` cells. `variance` is the parameter sigma^2 of its noise in
    the same units squared.
    """

    reason: str
    count: int
    weight: int
    variance: Fraction

    @property
    def has_no_code(self) -> bool:
        """Whether the cells have no code of the model, so that they are in no cell of the measurement."""
        return self.weight == WHOLE

    @property
    def cells(self) -> float:
        """Return the noisy number of cells."""
        return self.count / self.weight

    @property
    def precision(self) -> float:
        """Return the inverse variance of `cells`."""
        return self.weight**2 / float(self.variance)


def pooled(found: Sequence[Unfit]) -> tuple[float, float]:
    """Return the number of cells and its standard deviation from several counts of the same cells."""
    precision = sum(one.precision for one in found)
    return sum(one.cells * one.precision for one in found) / precision, precision**-0.5
