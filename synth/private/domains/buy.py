"""Estimate the domains that a schema leaves open: value lists, ranges, trees and merges.

Each gets an equal share of the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from synth.core.accounting import delta_of, rho_of
from synth.core.axis import Axis, Grouping
from synth.core.discretisation import point_edges, resolve_axes
from synth.core.errors import UNSPENT, Mistake, NothingFound
from synth.core.schema import Binning, Column, Schema
from synth.private.account import Account
from synth.private.domains.domains import with_range, with_values
from synth.private.domains.groupings import leaves_to_grouping, merge_rare
from synth.private.queries import MagnitudesQuery, Marginal, TreeQuery, ValuesQuery
from synth.private.session import PrivateSession
from synth.private.terms import Terms
from synth.rules import Rules, parse_rules


@dataclass(frozen=True, kw_only=True)
class Purchases:
    """The columns whose domains are estimated, by kind. A column may be in two lists."""

    lists: tuple[str, ...]
    ranges: tuple[str, ...]
    trees: tuple[str, ...]
    merges: tuple[str, ...]

    @property
    def asks(self) -> tuple[str, ...]:
        """Return the kinds of queries that estimate these domains."""
        kinds = {"values": self.lists, "magnitudes": self.ranges, "tree": self.trees, "measure": self.merges}
        return tuple(ask for ask, columns in kinds.items() if columns)

    def __len__(self) -> int:
        return len(self.lists) + len(self.ranges) + len(self.trees) + len(self.merges)


def purchases_of(schema: Schema) -> Purchases:
    """Return the domains that must be estimated, which depend only on the declarations of the schema."""
    open_columns = [c for c in schema.modelled if c.buy]
    return Purchases(
        lists=tuple(c.name for c in open_columns if c.kind.has_values),
        ranges=tuple(c.name for c in open_columns if c.kind.has_range),
        trees=tuple(c.name for c in schema.modelled if c.kind.has_range and c.binning is Binning.PRIVTREE),
        merges=tuple(c.name for c in schema.modelled if c.kind.has_values and c.merge_rare),
    )


def buy_domains(session: PrivateSession, schema: Schema, account: Account, *, delta_units: int) -> Schema:
    """Return the schema with every open domain filled in.

    Value lists share `delta_units` (in units of 1e-18) equally.

    Raises: `NothingFound` if a domain could not be estimated with this budget. Charged budget is not
    refunded.
    """
    purchases, change = purchases_of(schema), session.terms
    units = account.units // max(len(purchases), 1)
    share = delta_units // max(len(purchases.lists), 1)
    estimated: dict[str, Column] = {}
    for name in purchases.lists:
        values = _question_of_list(name, change, units=units, delta_units=share)
        estimated[name] = with_values(schema.column(name), session.ask(values, account, delta_units=share))
    for name in purchases.ranges:
        column = schema.column(name)
        magnitudes = MagnitudesQuery(
            column=name,
            kind=column.kind,
            l2_squared=change.l2_squared,
            units=units,
            law=account.law,
        )
        estimated[name] = with_range(column, magnitudes, session.ask(magnitudes, account))
    return replace(schema, columns=tuple(estimated.get(c.name, c) for c in schema.columns))


def rules_for(rules: Rules, schema: Schema, *, spent: float) -> Rules:
    """Return the rules for a schema whose domains are now estimated.

    `spent` is the share of the run's budget that is spent. Raises: `NothingFound` if the estimated domains
    exclude what a rule names, or if no record with these domains can satisfy the rules.
    """
    try:
        found = parse_rules(rules.document, schema)
        found.zeros(resolve_axes(schema, found))
    except Mistake as mistake:
        because = str(mistake).replace(UNSPENT, "").strip()
        raise NothingFound(
            f"The rules do not fit the domains that were estimated. {because} Declare these domains, or "
            f"change the rule. The run stopped after the estimates. {100 * spent:.2g}% of its budget is "
            f"spent and stays spent; {100 - 100 * spent:.3g}% is left."
        ) from None
    return found


def least_listed(schema: Schema, *, units: int, delta_units: int) -> int | None:
    """Return the smallest noisy count at which `buy_domains` lists a value; it depends only on declarations.

    All estimates together cost `units`, and all lists together use `delta_units`. Return None if no list is
    estimated, or if none can be.
    """
    purchases = purchases_of(schema)
    if not purchases.lists or units < len(purchases) or delta_units < len(purchases.lists):
        return None
    terms = Terms(rows=schema.unit.max_rows, neighbours=schema.neighbours)
    units, share = units // len(purchases), delta_units // len(purchases.lists)
    return _question_of_list(purchases.lists[0], terms, units=units, delta_units=share).threshold


def _question_of_list(column: str, terms: Terms, *, units: int, delta_units: int) -> ValuesQuery:
    return ValuesQuery(
        column=column,
        rows=terms.rows,
        l2_squared=terms.l2_squared,
        units=units,
        delta=delta_of(delta_units),
        law=terms.law,
    )


def buy_groupings(
    session: PrivateSession, axes: Sequence[Axis], account: Account, *, schema: Schema, rules: Rules
) -> tuple[Grouping, ...]:
    """Return the groupings of ranges (by trees) and of rare values (by merges).

    Each is estimated with an equal share of the budget.

    Values that occur in a rule are never merged, so that no value drawn from a merge can be part of a
    forbidden combination.
    """
    purchases = purchases_of(schema)
    units = account.left // max(len(purchases.trees) + len(purchases.merges), 1)
    by_name = {axis.name: axis for axis in axes}
    ruled = set(rules.columns())
    groupings: list[Grouping | None] = []
    for name in purchases.trees:
        tree = TreeQuery(axis=by_name[name], change=session.terms.l1, units=units, law=account.law)
        needed = [*rules.cuts(name), *point_edges(schema.column(name))]
        groupings.append(leaves_to_grouping(by_name[name], session.ask(tree, account), needed))
    for name in purchases.merges:
        axis = by_name[name]
        (counts,) = session.source([axis], account).ask([(Marginal((name,)), rho_of(units))])
        groupings.append(merge_rare(axis, counts, protected=axis.labels if name in ruled else ()))
    return tuple(grouping for grouping in groupings if grouping is not None)
