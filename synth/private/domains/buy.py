"""Estimate the domains that a schema leaves open: value lists, ranges, trees and merges, with an equal share
of the budget each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from synth.core.accounting import delta_of, rho_of
from synth.core.axis import Axis, Grouping
from synth.core.discretisation import point_edges
from synth.core.schema import Binning, Column, Schema
from synth.private.account import Account
from synth.private.domains.domains import with_range, with_values
from synth.private.domains.groupings import leaves_to_grouping, merge_rare
from synth.private.queries import MagnitudesQuery, Marginal, TreeQuery, ValuesQuery
from synth.private.session import PrivateSession
from synth.private.terms import Terms
from synth.rules import Rules


@dataclass(frozen=True, kw_only=True)
class Purchases:
    """The columns whose domain is estimated, by kind. A column may be in two lists."""

    lists: tuple[str, ...]
    ranges: tuple[str, ...]
    trees: tuple[str, ...]
    merges: tuple[str, ...]

    @property
    def asks(self) -> tuple[str, ...]:
        """The kinds of queries that estimate them."""
        kinds = {"values": self.lists, "magnitudes": self.ranges, "tree": self.trees, "measure": self.merges}
        return tuple(ask for ask, columns in kinds.items() if columns)

    def __len__(self) -> int:
        return len(self.lists) + len(self.ranges) + len(self.trees) + len(self.merges)


def purchases_of(schema: Schema) -> Purchases:
    """Return the domains that the schema asks to estimate, from its declarations only."""
    open_columns = [c for c in schema.modelled if c.buy]
    return Purchases(
        lists=tuple(c.name for c in open_columns if c.kind.has_values),
        ranges=tuple(c.name for c in open_columns if c.kind.has_range),
        trees=tuple(c.name for c in schema.modelled if c.kind.has_range and c.binning is Binning.PRIVTREE),
        merges=tuple(c.name for c in schema.modelled if c.kind.has_values and c.merge_rare),
    )


def buy_domains(session: PrivateSession, schema: Schema, account: Account, *, delta_units: int) -> Schema:
    """Return the schema with every open domain filled in; value lists share `delta_units` (in 1e-18) equally.

    Raises: `NothingFound` if a domain could not be estimated with this budget; what was charged stays
    charged.
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


def least_listed(schema: Schema, *, units: int, delta_units: int) -> int | None:
    """Return the noisy count from which `buy_domains` lists a value, from declarations only.

    All estimates together cost `units`, and all lists together use `delta_units`. Return None if no list is
    estimated or can be.
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
    )


def buy_groupings(
    session: PrivateSession, axes: Sequence[Axis], account: Account, *, schema: Schema, rules: Rules
) -> tuple[Grouping, ...]:
    """Return trees over ranges and merges of rare values as groupings, each estimated with an equal share of
    the budget.

    A merge excludes all values of a column that a rule uses, so that no merged value can be drawn as part of
    a forbidden combination.
    """
    purchases = purchases_of(schema)
    units = account.left // max(len(purchases.trees) + len(purchases.merges), 1)
    by_name = {axis.name: axis for axis in axes}
    ruled = set(rules.columns())
    groupings: list[Grouping | None] = []
    for name in purchases.trees:
        tree = TreeQuery(axis=by_name[name], change=session.terms.l1, units=units)
        needed = [*rules.cuts(name), *point_edges(schema.column(name))]
        groupings.append(leaves_to_grouping(by_name[name], session.ask(tree, account), needed))
    for name in purchases.merges:
        axis = by_name[name]
        (counts,) = session.source([axis], account).ask([(Marginal((name,)), rho_of(units))])
        groupings.append(merge_rare(axis, counts, protected=axis.labels if name in ruled else ()))
    return tuple(grouping for grouping in groupings if grouping is not None)
