"""The plan of a release: public facts that are checked before any budget is reserved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from synth.core.accounting import (
    GAUSSIAN,
    LISTS,
    UNITS_PER_DELTA,
    Law,
    Price,
    delta_of,
    exact,
    limit_for,
    rho_of,
)
from synth.core.axis import Axis
from synth.core.discretisation import declared_axes
from synth.core.errors import Mistake
from synth.core.measurements.formula import Formula, blocks_of
from synth.core.measurements.moments import Block
from synth.core.numbers import per_cent
from synth.core.options import check_columns
from synth.core.request import FIRST_SHARE, METHOD, Request
from synth.core.schema import ANY, Binning, Neighbours, Outside, Schema
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Mechanism
from synth.mechanisms.shared.recipe import Recipe, configured, recipe_of
from synth.mechanisms.shared.recipe import generator_title as generator_title
from synth.mechanisms.shared.recipe import method_title as method_title
from synth.private.domains.buy import purchases_of
from synth.private.ledger.population import fold
from synth.release.verdict.share import usual_share
from synth.rules import Rules
from synth.rules.terms import Compare

MOST_APART = 0.9
"""Largest share of rho for everything except the method.

This includes domains, the accuracy check, means and regressions, and target proportions.
"""

LIST_SHARE, LIST_DELTA = LISTS / 100, 1e-13
"""Share of a run's delta that is used for the thresholds of estimated lists, and the upper limit of this part
of delta.

With the usual deltas, a lifetime budget allows a hundred such runs. A threshold grows only with sqrt(ln(1 /
delta)): it is 16% higher at 1e-13 than at 1e-10.
"""


@dataclass(frozen=True, kw_only=True)
class Plan(Request):
    """A request and the declared table. `seed` is used for modelling and never for noise.

    `reserved` is the accounting rule of the run's reservation if it exists. It differs from the method's rule
    if an earlier version of the program began the run.
    """

    schema: Schema
    rules: Rules
    seed: int = 0
    reserved: Law | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.schema.modelled:
            raise Mistake("The schema excludes every column. Declare at least one column to synthesise.")
        check_columns(self.recipe().mechanism, [column.name for column in self.schema.modelled])
        if self.delta_units < len(lists := purchases_of(self.schema).lists):
            raise Mistake(
                f"Delta {exact(self.delta)} is too small to estimate the values of "
                f"{', '.join(map(repr, lists))} with a part of it. Declare the values, or enter a "
                "delta of 1e-12 or more."
            )
        if any(fold(name) == fold(self.schema.population) for name in self.new_to):
            raise Mistake(
                f"Population {self.schema.population!r} had an earlier release, so a release with new "
                "people needs another population name. No budget was spent."
            )
        self._check_shares()
        self._check_zeros()
        self.sums  # noqa: B018  reports faults of formulas before anything is reserved
        check_law(self.schema, self.method, delta=self.delta, law=self.law)
        comparisons = (p for rule in self.rules.rules for p in rule.parts if isinstance(p, Compare))
        compared = {name for comparison in comparisons for name in comparison.columns}
        for column in self.schema.modelled:
            if column.binning is Binning.PRIVTREE and column.name in compared:
                raise Mistake(
                    f"A rule compares column {column.name!r} with another column, so its bins must be known "
                    "in advance. Declare uniform bins instead of privtree."
                )

    def _check_shares(self) -> None:
        """Raise `Mistake` if there are more target proportions than the budget has units for."""
        estimated = self.rules.measured_shares
        apart = self.verdict + estimated * self.shares_part
        apart += self.means_share if self.means else 0.0
        apart += self.preprocess_share if purchases_of(self.schema) else 0.0
        if self.means and not estimated and apart > MOST_APART:
            raise Mistake(
                f"Means and regressions at {self.means_share:g} of the budget leave the method less than "
                f"{per_cent(1 - MOST_APART)}. Enter a smaller share for them or for the accuracy check."
            )
        if estimated and apart > MOST_APART:
            raise Mistake(
                f"{estimated} target proportions at {self.shares_part:g} of the budget each leave the method "
                f"less than {per_cent(1 - MOST_APART)}. Measure fewer, or enter a smaller share."
            )

    def _check_zeros(self) -> None:
        """Raise `Mistake` if rules forbid all codes of columns whose domain is declared."""
        axes = declared_axes(self.schema, self.rules)
        names = {axis.name for axis in axes}
        known = [rule for rule in self.rules.rules if names.issuperset(rule.columns)]
        replace(self.rules, rules=tuple(known)).zeros(axes)

    def mechanism(self) -> Mechanism:
        """Return the configured method."""
        return configured(self.method, self.options)

    def recipe(self) -> Recipe:
        """Return the configured method with its generator."""
        return Recipe(
            mechanism=self.mechanism(),
            generator=self.generator,
            generator_options=self.generator_options,
            compress=self.compress,
        )

    def check_starting_table(self) -> None:
        """Raise `Mistake` if the method or its generator cannot start from a public table."""
        recipe = self.recipe()
        if not (recipe.mechanism.starts and recipe.follower.starts):
            raise Mistake(
                f"The method {recipe.words!r} cannot start from a public table. Use {METHOD!r} with its own "
                "generator. No budget was spent."
            )

    @cached_property
    def sums(self) -> tuple[tuple[Block, ...], tuple[Axis, ...]]:
        """Return the sums that each formula of `means` needs, and the axes of their columns."""
        return sums_of(self.schema, self.rules, self.means)

    def blocks(self, *, logistic: bool) -> tuple[Block, ...]:
        """Return the blocks of the logistic regressions in `means`, or of the other formulas."""
        pairs = zip(self.means, self.sums[0], strict=True)
        return tuple(block for text, block in pairs if Formula.of(text).is_logistic == logistic)

    @property
    def price(self) -> Price:
        """Return the budget that the release reserves."""
        return price_of(self, self.schema, law=self.reserved)

    @property
    def delta_units(self) -> int:
        """Return the part of delta for the thresholds of estimated lists, in units of 1e-18."""
        return self.price.delta_units

    @property
    def delta_of_lists(self) -> float:
        """Return the part of delta for the thresholds of estimated lists as a float."""
        return delta_of(self.delta_units)

    @property
    def law(self) -> Law:
        """Return the accounting rule of the release. It is valid for the method and for estimated domains."""
        return self.price.law

    @property
    def units(self) -> int:
        """Return the total cost in 1e-12 rho."""
        return self.price.units

    @property
    def preprocess_units(self) -> int:
        """Return the cost of estimating open domains, 0 if there are none."""
        return int(self.units * self.preprocess_share) if purchases_of(self.schema) else 0

    @property
    def verdict_units(self) -> int:
        """Return the cost of the accuracy check of the finished rows."""
        return int(self.units * self.verdict)

    @property
    def fit_units(self) -> int:
        """Return the cost of counting cells that do not fit, if the method does not measure every column."""
        return 0 if self.mechanism().measures_columns else int(self.units * FIRST_SHARE)

    @property
    def means_units(self) -> int:
        """Return the cost of means and regressions. Every formula has the same part of it."""
        return int(self.units * self.means_share) if self.means else 0

    @property
    def shares_units(self) -> int:
        """Return the cost of measured target proportions.

        Every proportion has the same part of it.
        """
        return self.rules.measured_shares * int(self.units * self.shares_part)


def sums_of(schema: Schema, rules: Rules, means: Sequence[str]) -> tuple[tuple[Block, ...], tuple[Axis, ...]]:
    """Return the sums that each formula needs, and the axes of their columns.

    Raises: `Mistake` for formulas that do not fit the table.
    """
    formulas, purchases = [Formula.of(text) for text in means], purchases_of(schema)
    for formula in formulas:
        if estimated := {*purchases.lists, *purchases.ranges} & {*formula.columns}:
            raise Mistake(
                f"{formula.text!r} uses {min(estimated)!r}, whose values are to be estimated. Declare its "
                "values or its range. No budget was spent."
            )
    axes = declared_axes(schema, rules) if formulas else ()
    return blocks_of(formulas, {axis.name: axis for axis in axes})


def price_of(request: Request, schema: Schema, *, law: Law | None = None) -> Price:
    """Return the budget that a release of such a table reserves, by default under the method's rule.

    This is the budget of a first run with this guarantee: mu^2 / 2 from the exact curve, or rho from the
    tightest bound for zCDP if the method trains on private gradients.
    """
    law = law or law_of(schema, request.method)
    return Price(
        units=limit_for(request.epsilon, request.delta).under(law),
        delta_units=list_delta_units(schema, request.delta),
        law=law,
    )


def usual_verdict(request: Request, schema: Schema) -> float:
    """Return the default share of the budget for the accuracy check. If the number of rows is public, the
    share depends on it.
    """
    return usual_share(schema, rho=rho_of(price_of(request, schema).units), rows=schema.rows_public)


def list_delta_units(schema: Schema, delta: float) -> int:
    """Return the part of delta that estimated lists use, in units of 1e-18."""
    lists = min(delta * LIST_SHARE, LIST_DELTA) if purchases_of(schema).lists else 0.0
    return int(lists * UNITS_PER_DELTA)


def check_law(schema: Schema, method: str, *, delta: float, law: Law) -> None:
    """Raise `Mistake` for a table or guarantee for which no valid privacy cost of the method is known."""
    wanted, title = MECHANISMS[method].law, MECHANISMS[method].title
    if wanted.is_for_added_units and schema.neighbours is not Neighbours.ADD_REMOVE:
        raise Mistake(
            f"{title} covers adding or removing a unit, but the schema asks for a guarantee against "
            "replacing one, for which no privacy cost is known. Choose another method, or remove the "
            "public number of rows."
        )
    if wanted.least_delta > delta:
        raise Mistake(
            f"Delta {exact(delta)} is too small for {title}, which needs at least "
            f"{exact(wanted.least_delta)}. Enter a larger delta, or choose another method."
        )
    if wanted.is_for_added_units and law != wanted:
        raise Mistake(
            f"{title} cannot estimate values or bins with its budget. Declare the values and bins of "
            "all columns, or choose another method."
        )


def check_counted(schema: Schema, mechanism: Mechanism, means: Sequence[str] = ()) -> None:
    """Raise `Mistake` if a release of a database table needs queries other than counts."""
    purchases = purchases_of(schema)
    advice = "or export the table as Parquet and release that file."
    if mechanism.asks_rows:
        raise Mistake(
            f"{mechanism.title} needs single rows, but a database returns only counts. Choose another "
            f"method, {advice}"
        )
    if means:
        raise Mistake(
            f"{means[0]!r} needs the values of single rows, but a database returns only counts. Remove it, "
            f"{advice}"
        )
    for column in schema.read:
        ways = [text for own in column.reads for text in own if text.endswith(ANY)]
        is_plain = all(isinstance(value, str) for value in column.values) and not ways
        if column.separator and not (is_plain and column.outside is not Outside.OTHER):
            raise Mistake(
                f"The multiple-choice column {column.name!r} has values that are not texts, has codes "
                "with a star, or keeps other values. This needs single cells, but a database returns only "
                f"counts. Change it, {advice}"
            )
    if estimated := (*purchases.lists, *purchases.ranges):
        raise Mistake(
            f"The values of {', '.join(map(repr, estimated))} are to be estimated. This needs the cells of "
            f"the column, but a database returns only counts. Declare them, {advice}"
        )


def check_start(plan: Plan) -> None:
    """Raise `Mistake` if a logistic regression would start from rows without relations between columns."""
    if plan.blocks(logistic=True) and not plan.recipe().follower.relates:
        text = next(text for text in plan.means if Formula.of(text).is_logistic)
        raise Mistake(
            f"{text!r} starts from the synthetic rows, but the generator {plan.recipe().follower.title!r} "
            "does not model relations between columns. Choose another method. No budget was spent."
        )


def relates(method: str, generator: str) -> bool:
    """Whether a generator uses relations between columns. Unknown generators are treated as if they do.

    >>> relates("blend", "refined"), relates("blend", "independent"), relates("blend", "gone")
    (True, False, True)
    """
    try:
        return recipe_of(f"{method}+{generator}").follower.relates
    except Mistake:
        return True


def law_by(method: str) -> Law:
    """Return the accounting rule of a method. It is GDP for an unknown method."""
    return MECHANISMS[method].law if method in MECHANISMS else GAUSSIAN


def law_of(schema: Schema, method: str) -> Law:
    """Return the accounting rule of a release by this method.

    This is the rule of the method if it allows the queries that estimate open domains. Otherwise, and for an
    unknown method, the rule is GDP.
    """
    law = law_by(method)
    return law if law.allows(*purchases_of(schema).asks) else GAUSSIAN
