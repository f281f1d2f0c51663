"""Define the rules of a schema.

Rules are parsed, checked against each other, and compiled to structural zeros and target proportions. Their
violations are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.discretisation import axis_of
from synth.core.domain import Clique
from synth.core.errors import UNSPENT, Mistake
from synth.core.schema import Column, Kind, Schema, in_units
from synth.core.zeros import Zero
from synth.rules.atoms import Atoms
from synth.rules.conflicts import check_rules, search_of, starting_values
from synth.rules.documents import Entry, dump_entry, parse_entry, read_entries
from synth.rules.options import agreeing, on_parts
from synth.rules.orders import Orders, comparisons_of
from synth.rules.possible import Line, merged
from synth.rules.shares import CodedShare, check_shares, coded_shares
from synth.rules.tables import (
    Table,
    broken_tables,
    compare_cells,
    compare_rows,
    conditions_of,
    guard_size,
    over_axes,
)
from synth.rules.terms import Compare, Condition, Forbid, Rule, Share


@dataclass(frozen=True)
class Effect:
    """The effect of a rule on a small table: `removed` of its `cells` combinations are forbidden."""

    sentence: str
    clique: Clique
    removed: int
    cells: int

    @property
    def share(self) -> float:
        """Return the proportion of forbidden combinations, from 0 to 1."""
        return self.removed / self.cells


@dataclass(frozen=True)
class Rules:
    """The rules of a schema. Stated rules come first, then the rules that follow from the schema.

    For example, some follow from columns declared as never blank. `synth.rules.terms` defines the meaning of
    blank, other and the ends of ranges.
    """

    schema: Schema
    rules: tuple[Rule, ...]

    @cached_property
    def atoms(self) -> dict[str, Atoms]:
        """Return the atoms of each column that is used in a rule, in schema order."""
        conditions = conditions_of(self.rules)
        touched = set(self.columns())
        return {c.name: Atoms.of(c, conditions) for c in self.schema.modelled if c.name in touched}

    def __len__(self) -> int:
        """Return the number of stated rules, including target proportions."""
        return sum(rule.stated for rule in self.rules)

    @property
    def forbidding(self) -> tuple[Rule, ...]:
        """Return the rules that forbid combinations, which are all rules except target proportions."""
        return tuple(rule for rule in self.rules if rule.share is None)

    @property
    def shares(self) -> tuple[tuple[Rule, Share], ...]:
        """Return the rules with a target proportion, each with this target proportion."""
        return tuple((rule, rule.share) for rule in self.rules if rule.share is not None)

    @property
    def measured_shares(self) -> int:
        """Return the number of target proportions that a run measures."""
        return sum(share.wanted is None for _, share in self.shares)

    def coded_shares(self, codebook: Codebook) -> tuple[CodedShare, ...]:
        """Return the target proportions in the codes of a codebook whose axes have the cuts for these rules.

        Raises: `Mistake` as in `synth.rules.shares.coded_shares`.
        """
        return coded_shares(self.shares, codebook, self.atoms)

    def shares_of(self, frame: Any) -> dict[str, float]:
        """Return the proportion of rows of a decoded table that satisfy the conditions of each target.

        The keys are the sentences of the rules.

        `frame` is as in `violations`. The result is 0 for a table without rows.
        """
        found = {}
        for rule, share in self.shares:
            masks = [
                self.atoms[c.column].mask(c)[self.atoms[c.column].of_values(frame[c.column])]
                for c in share.conditions
            ]
            found[rule.sentence] = float(np.logical_and.reduce(masks).mean()) if len(masks[0]) else 0.0
        return found

    @property
    def document(self) -> dict[str, Any]:
        """Return the stated rules as an object for JSON."""
        return {"rules": [dump_entry(rule) for rule in self.rules if rule.stated]}

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the canonical text of each rule, stated rules first."""
        return tuple(rule.sentence for rule in self.rules)

    def columns(self) -> tuple[str, ...]:
        """Return the columns that are used in a rule, in schema order."""
        touched = {name for rule in self.rules for name in rule.columns}
        return tuple(c.name for c in self.schema.modelled if c.name in touched)

    def cuts(self, name: str) -> tuple[float, ...]:
        """Return the edges that a range column needs, in the units of `Axis.edges`.

        With these edges, no threshold of a rule is inside a bin. They are in ascending order and strictly
        inside the declared range. The result is () for columns without a range or a rule.
        """
        atoms = self.atoms.get(name)
        if atoms is None:
            return ()
        column = atoms.column
        low = -math.inf if column.min is None else in_units(column.min)
        high = math.inf if column.max is None else in_units(column.max) + (column.kind is not Kind.DECIMAL)
        return tuple(end for end in atoms.ends if low < end < high)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Return warnings about declared values that a single rule makes impossible.

        Raises: `Mistake` if rules contradict each other.
        """
        live = starting_values(self.atoms, conditions_of(self.rules))
        warned = check_rules(self.rules, self.atoms, live, self._lines)
        check_shares(self.shares, self.atoms, search_of(self.rules, self.atoms, self._lines), live)
        return warned

    def example(self, axes: Sequence[Axis]) -> dict[str, int]:
        """Return the codes of a record that satisfies all rules, for each column that is used in a rule."""
        search = search_of(self.rules, self.atoms, self._lines)
        live = search.record(starting_values(self.atoms, conditions_of(self.rules)))
        assert live is not None, "contradictory rules are refused"
        smallest, found = search.smallest(live), dict[str, int]()
        for axis in axes:
            if axis.name in smallest:
                places = axis.edges or range(axis.cells)
                found[axis.name] = int(np.searchsorted(places, smallest[axis.name], side="right")) - 1
                found[axis.name] = min(found[axis.name], axis.cells - 1)
            elif axis.name in live:
                covered = self.atoms[axis.name].of_axis(axis)
                found[axis.name] = next((c for c, own in enumerate(covered) if live[axis.name][own].any()), 0)
        return found

    @cached_property
    def _lines(self) -> dict[str, Line]:
        """Return the values of the compared columns whose domain is declared."""
        compared = {name for part in comparisons_of(self.rules) for name in (part.left, part.right)}
        columns = [self.schema.column(name) for name in compared]
        axes = [axis_of(column, self.cuts(column.name)) for column in columns if not column.buy]
        return {axis.name: Line.of(axis, self.atoms[axis.name]) for axis in axes}

    def zeros(self, axes: Sequence[Axis]) -> tuple[Zero, ...]:
        """Return structural zeros over the codes of the axes: one `Zero` per clique, with cliques in axis
        order.

        Raises: `Mistake` if a column of a rule has no axis, or if the rules forbid all codes of a column.
        """
        forbidden = merged([self._tables(rule, axes) for rule in self.rules])
        for clique, table in forbidden.items():
            if table.all():
                named = [r.sentence for r in self.rules if set(r.columns) & set(clique)]
                raise Mistake(
                    f"The rules on {', '.join(clique)} forbid everything: {'; '.join(named)}. {UNSPENT}"
                )
        return tuple(Zero(clique, table) for clique, table in forbidden.items() if table.any())

    def partial(self, axes: Sequence[Axis]) -> dict[Clique, Table]:
        """Return the cells in which comparisons forbid at least some combinations of values, by clique in
        axis order.

        Cells in which all combinations are forbidden are included. Shapes: bool[axis sizes].
        """
        by_name = {axis.name: axis for axis in axes}
        found: dict[Clique, Table] = {}
        for part in (p for rule in self.rules for p in rule.parts if isinstance(p, Compare)):
            clique = tuple(name for name in by_name if name in part.columns)
            table = compare_cells(part, clique, by_name, self.atoms, some=True)
            found[clique] = found[clique] | table if clique in found else table
        return found

    def effects(self, axes: Sequence[Axis]) -> tuple[Effect, ...]:
        """Return the number of combinations, including blanks, that each rule removes from each small table.

        The app shows these counts while rules are edited.
        """
        return tuple(
            Effect(rule.sentence, clique, int(table.sum()), table.size)
            for rule in self.rules
            for clique, table in self._tables(rule, axes).items()
            if rule.stated or table.any()
        )

    def _tables(self, rule: Rule, axes: Sequence[Axis]) -> dict[Clique, Table]:
        by_name = {axis.name: axis for axis in axes}
        for name in rule.columns:
            if name not in by_name:
                raise Mistake(f"The rule '{rule.sentence}' is about '{name}', which is not modelled.")
        sizes = {axis.name: axis.size for axis in axes}
        tables: dict[Clique, Table] = {}
        for clique, table in broken_tables(rule, self.atoms).items():
            guard_size(rule, sizes, clique)
            order = sorted(clique, key=list(by_name).index)
            cells = over_axes(table, clique, by_name, self.atoms)
            tables[tuple(order)] = cells.transpose([clique.index(name) for name in order])
        for part in (p for p in rule.parts if isinstance(p, Compare)):
            joined = tuple(name for name in by_name if name in part.columns)
            guard_size(rule, sizes, joined)
            cells = compare_cells(part, joined, by_name, self.atoms)
            tables[joined] = tables[joined] | cells if joined in tables else cells
        return tables

    def violations(self, frame: Any) -> dict[str, int]:
        """Return the number of rows of a decoded table that violate each rule, by the rule's sentence.

        `frame[name]` is a column: a list, an array or a pandas Series of decoded values. The values
        themselves are checked, so decoding errors are counted too. Raises: KeyError if a column does not
        exist.
        """
        codes = {name: atoms.of_values(frame[name]) for name, atoms in self.atoms.items()}
        return {rule.sentence: int(self._broken(rule, frame, codes).sum()) for rule in self.forbidding}

    def broken(self, frame: Any) -> NDArray[np.bool_]:
        """Return which rows of a decoded table violate a rule. `frame` is as in `violations`. Shapes:
        bool[rows].
        """
        codes = {name: atoms.of_values(frame[name]) for name, atoms in self.atoms.items()}
        broken = [self._broken(rule, frame, codes) for rule in self.forbidding]
        return np.asarray(np.logical_or.reduce(broken)) if broken else np.zeros(len(frame), dtype=np.bool_)

    def orders(self, axes: Sequence[Axis]) -> Orders:
        """Return the comparisons for records on these axes."""
        return Orders(comparisons_of(self.rules), {axis.name: axis for axis in axes}, self.atoms)

    def _broken(self, rule: Rule, frame: Any, codes: Mapping[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
        rows = len(codes[rule.columns[0]])
        broken = np.zeros(rows, dtype=np.bool_)
        for clique, table in broken_tables(rule, self.atoms).items():
            cell = np.ravel_multi_index([codes[name] for name in clique], table.shape)
            broken |= table.ravel()[cell]
        for part in rule.parts:
            if isinstance(part, Compare):
                broken |= compare_rows(part, frame, self.atoms)
        return broken


def parse_rules(source: str | Path | Sequence[Entry] | Mapping[str, Any], schema: Schema) -> Rules:
    """Parse sentences and rule objects (see `synth.rules.documents`), and check them against each other.

    `source` is a list, an object with the list under `rules` (as returned by `Rules.document`), or the path
    of a JSON file or of a CSV of allowed combinations. `parse_rules(r.document, r.schema) == r`. Raises:
    `Mistake`, with the rule, columns and values, if a rule is not understood, contradictory, or too wide.
    """
    entries = read_entries(source)
    return _parsed(_Document(shown=repr((entries, schema)), entries=entries, schema=schema))


@dataclass(frozen=True, kw_only=True)
class _Document:
    """Rules and their schema. Two of them are equal if they are written in the same way.

    Values such as true and 1 are equal in Python, but different in rules.
    """

    shown: str
    entries: Sequence[Entry] = field(compare=False)
    schema: Schema = field(compare=False)


@lru_cache(maxsize=16)
def _parsed(document: _Document) -> Rules:
    schema = document.schema
    stated = [on_parts(parse_entry(entry, schema), schema) for entry in document.entries]
    never_blank = (Condition(c.name, blank=True, negated=True) for c in schema.modelled if not c.blank)
    implied = [Rule(c.clause(), (Forbid((c.opposite(),)),), stated=False) for c in never_blank]
    implied += [rule for choices in schema.choices for rule in agreeing(choices)]
    shares = [share for c in schema.modelled if c.totals for share in _strata(c)]
    implied += [Rule(share.sentence(), (share,), stated=False) for share in shares]
    sentences = {rule.sentence for rule in stated}
    distinct = _numbered([*stated, *(rule for rule in implied if rule.sentence not in sentences)])
    rules = Rules(schema, tuple(distinct))
    _ = rules.warnings  # contradictions are reported here, not where the rules are used
    return rules


def _strata(column: Column) -> Iterator[Share]:
    """Yield the target proportions that give each value of a stratum its total number of rows."""
    for value, total in zip(column.values, column.totals, strict=True):
        yield Share((Condition(column.name, (value,)),), total / sum(column.totals))


def _numbered(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules without duplicates. Different rules with the same sentence are numbered."""
    kept: list[Rule] = []
    for rule in rules:
        if any(k.parts == rule.parts for k in kept):
            continue
        own = rule.sentence
        twins = sum(k.sentence == own or k.sentence.startswith(f"{own} [") for k in kept)
        kept.append(replace(rule, sentence=f"{own} [{twins + 1}]") if twins else rule)
    return kept
