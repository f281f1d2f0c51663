"""Define a release request without its table, with all defaults and limits.

`release.plan.Plan` adds the declared table, and `app.jobs.spec.RunSpec` adds paths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from synth.core.accounting import check_new_delta
from synth.core.errors import Mistake
from synth.core.system.device import AUTO, check_name

LARGEST_EPSILON = 1_000.0
"""Maximum epsilon, which is far above any useful value.

The rho of this epsilon is far below 9,007 (2^53 units), above which a float does not represent a budget
exactly.
"""

METHOD = "blend"
"""The name of the default method."""

PREPROCESS_SHARE = 0.1
"""Default share of rho for estimated domains, trees and merges, if the schema requests any of them."""

SHARES_PART = 0.01
"""Default share of rho for each measured target proportion (`synth.rules.shares`)."""

MEANS_SHARE = 0.2
"""Default share of rho for all means and regressions together, if any are requested."""

CONFIDENCE = 0.95

MOST_UNFIT = 0.05
"""Default share of a column's cells that do not fit its declaration above which a run stops."""


FIRST_SHARE = 0.005
"""Share of rho for counting cells that do not fit, if the method does not measure every column alone."""


class People(StrEnum):
    """The people in a table compared with earlier releases, as declared by the steward.

    `NEW` means that no one in the table is in a release about certain earlier populations, so the table has a
    separate population.
    """

    UNDECLARED = ""
    SAME = "same"
    CHANGING = "changing"
    NEW = "new"

    @property
    def words(self) -> str:
        """Return a short description, which is empty if nothing is declared."""
        return {"same": "the same people", "changing": "people come and go", "new": "new people only"}.get(
            self.value, ""
        )


@dataclass(frozen=True, kw_only=True)
class Request:
    """The guarantee, the method and the settings of the output table. All of them are public.

    `generator=None` uses the default generator of the method. `options` and `generator_options` contain only
    the options that differ from the defaults. `compress` merges rare values while the method computes.
    `rows=None` uses the noisy total. `workload` is the number of columns of a workload marginal. `device` is
    the device for computations. These are shares of rho: `preprocess_share` for estimated domains, if any;
    `verdict` for measuring the distance between the finished synthetic rows and the private table;
    `shares_part` for each target proportion; `means_share` for all formulas in `means`
    (`measurements.formula`). The mechanism gets the rest. `forecast` contains the mean errors (TVD) of
    "columns", "pairs" and "triples" that were expected before the run. `people` declares who is in the table,
    and `new_to` lists the earlier populations that contain none of these people. If significantly more than
    `most_unfit` of a column's cells do not fit its declaration, the run stops after measuring the columns;
    with 1, it never does. Raises: `Mistake` for an invalid value.
    """

    epsilon: float
    delta: float
    method: str = METHOD
    options: dict[str, Any] = field(default_factory=dict)
    generator: str | None = None
    generator_options: dict[str, Any] = field(default_factory=dict)
    compress: bool = False
    rows: int | None = None
    workload: int = 2
    confidence: float = CONFIDENCE
    preprocess_share: float = PREPROCESS_SHARE
    verdict: float = 0.0
    device: str = AUTO
    shares_part: float = SHARES_PART
    forecast: dict[str, float] = field(default_factory=dict)
    means: tuple[str, ...] = ()
    means_share: float = MEANS_SHARE
    people: People = People.UNDECLARED
    new_to: tuple[str, ...] = ()
    most_unfit: float = MOST_UNFIT

    def __post_init__(self) -> None:
        if (self.people is People.NEW) != bool(self.new_to):
            raise Mistake("Only a release about new people can name populations that they are not in.")
        if not (math.isfinite(self.epsilon) and self.epsilon > 0):
            raise Mistake(f"Epsilon must be a number above 0 (you gave {self.epsilon}). 1 is a usual value.")
        if self.epsilon > LARGEST_EPSILON:
            raise Mistake(
                f"Epsilon is at most {LARGEST_EPSILON:,.0f} (you gave {self.epsilon}): larger values "
                "protect no one. 1 is a usual value."
            )
        if not 0 < self.delta < 1:
            raise Mistake(f"Delta must be between 0 and 1 (you gave {self.delta}). 1e-9 is a usual value.")
        check_new_delta(self.delta)
        if self.rows is not None and self.rows < 1:
            raise Mistake(f"The number of synthetic rows must be at least 1 (you gave {self.rows}).")
        if self.workload not in (1, 2, 3):
            raise Mistake(f"The workload must be 1-, 2- or 3-way marginals (you gave {self.workload}).")
        if not 0.5 <= self.confidence < 1:
            raise Mistake(
                f"The confidence must be between 0.5 and 1 (you gave {self.confidence}). "
                f"{CONFIDENCE} is usual."
            )
        if not 0 < self.preprocess_share <= 0.5:
            raise Mistake(
                "The share for estimated domains must be above 0 and at most 0.5 (you gave "
                f"{self.preprocess_share}). {PREPROCESS_SHARE} is usual."
            )
        if not 0 <= self.verdict <= 0.4:
            raise Mistake(
                f"The share for the accuracy check must be between 0 and 0.4 (you gave {self.verdict}). "
                "0.05 is usual. No budget was spent."
            )
        check_name(self.device)
        if not 0 < self.shares_part <= 0.1:
            raise Mistake(
                "The share for each measured target proportion must be above 0 and at most 0.1 (you gave "
                f"{self.shares_part}). {SHARES_PART} is usual."
            )

        if not 0 < self.most_unfit <= 1:
            raise Mistake(
                "The share of cells that may not fit the declaration must be above 0 and at most 1 (you gave "
                f"{self.most_unfit}). {MOST_UNFIT} is usual; 1 never stops a run. No budget was spent."
            )
        if not 0 < self.means_share <= 0.5:
            raise Mistake(
                "The share for means and regressions must be above 0 and at most 0.5 (you gave "
                f"{self.means_share}). {MEANS_SHARE} is usual. No budget was spent."
            )

    def terms(self) -> dict[str, Any]:
        """Return the fields of this class by name, for copying the request."""
        return {f.name: getattr(self, f.name) for f in fields(Request)}
