"""Find rules that contradict each other. The search uses atoms and needs neither data nor a model.

First, a record that satisfies all rules is searched for, also those that compare columns (`rules.possible`).
This search is complete. If there is none, the rules are refused, and a minimal set of them is named: without
any one of them, there is a record. Blanks and undeclared values are used only if a rule mentions them.

Otherwise, the rules can be used. Then each declared value is tried alone. A value that no record can have
may be intended, so it causes a warning with a minimal set of rules that exclude it, and no synthetic row has
it. The bounds that comparisons give to the values inside one interval are expected, and cause no warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from synth.core.errors import UNSPENT, Mistake
from synth.core.graphs.directed import connected
from synth.core.schema import Outside
from synth.rules.atoms import Atoms
from synth.rules.orders import comparisons_of
from synth.rules.possible import Line, Live, Search, fixed, merged, partnered
from synth.rules.tables import broken_tables
from synth.rules.terms import Condition, Rule

LARGEST_SEARCH = 100_000_000
"""Maximum of (number of values) * (number of cells) at which values are tried one by one."""

SHOWN = 5
"""Maximum number of values in a warning."""


def starting_values(atoms: Mapping[str, Atoms], conditions: Iterable[Condition]) -> Live:
    """Return the values that each column may have before any rule is applied.

    These are the declared values, plus blank or other if a rule mentions them. A column whose list is not
    estimated yet may also have values that no rule names.
    """
    live = {name: a.possible() for name, a in atoms.items()}
    for name, column in atoms.items():
        if column.column.kind.has_values and not column.column.values:
            live[name][column.other] = True
    for condition in conditions:
        column = atoms[condition.column]
        if condition.blank and column.column.blank:
            live[condition.column][column.blank] = True
        if column.mask(condition)[column.other] != condition.negated:
            live[condition.column][column.other] = True
    return live


def all_values(atoms: Mapping[str, Atoms], start: Live) -> Live:
    """Return these values and all blank and undeclared ones that a column may have."""
    found = {name: live.copy() for name, live in start.items()}
    for name, live in found.items():
        live[atoms[name].blank] |= atoms[name].column.blank
        live[atoms[name].other] |= atoms[name].column.outside_rule is Outside.OTHER
    return found


def search_of(rules: Sequence[Rule], atoms: Mapping[str, Atoms], lines: Mapping[str, Line]) -> Search:
    """Return the search for records that satisfy these rules."""
    tables = merged([broken_tables(rule, atoms) for rule in rules])
    return Search(tables, comparisons_of(rules), atoms, lines)


def check_rules(
    rules: Sequence[Rule], atoms: Mapping[str, Atoms], start: Live, lines: Mapping[str, Line]
) -> tuple[str, ...]:
    """Return warnings about declared values that no record can have.

    `lines` has the compared columns whose values are known. Raises: `Mistake` if no record satisfies the
    rules.
    """
    warned: dict[_Cause, list[str]] = {}
    for names in _joined(rules):
        own = _Part(
            [rule for rule in rules if names.issuperset(rule.columns)],
            {name: column for name, column in atoms.items() if name in names},
            {name: live for name, live in start.items() if name in names},
            lines,
        )
        if own.search.record(own.start) is None:
            raise own.contradiction()
        for name, atom in own.impossible():
            warned.setdefault(own.cause(name, atom), []).append(atoms[name].words(atom))
    return tuple(cause.sentence(values) for cause, values in warned.items() if cause.is_stated)


def _joined(rules: Sequence[Rule]) -> Iterator[set[str]]:
    """Yield the columns of rules that share columns, directly or through other rules."""
    yield from connected((rule.columns[0], name) for rule in rules for name in rule.columns)


class _Cause(NamedTuple):
    """Rules that exclude a value of a column.

    `declared`: records with a blank or undeclared value in another column can still have the value.
    """

    column: str
    rules: tuple[str, ...]
    is_stated: bool
    declared: bool

    def sentence(self, values: Sequence[str]) -> str:
        listed = ", ".join(values[:SHOWN]) + (" and others" if len(values) > SHOWN else "")
        named = " and ".join(f"'{rule}'" for rule in self.rules)
        subject = f"The rule {named} makes" if len(self.rules) == 1 else f"The rules {named} together make"
        unless = ", except in records with a blank or undeclared value" if self.declared else ""
        return f"{subject} a declared value of '{self.column}' impossible{unless}: {listed}."


@dataclass(frozen=True, eq=False)
class _Part:
    """Rules that share columns, and the values that these columns may have."""

    rules: Sequence[Rule]
    atoms: Mapping[str, Atoms]
    start: Live
    lines: Mapping[str, Line]

    @property
    def search(self) -> Search:
        return search_of(self.rules, self.atoms, self.lines)

    def contradiction(self) -> Mistake:
        """Return the error for rules that no record satisfies."""
        core = self._minimal(self.rules, self.start)
        because = "No record with the declared values can satisfy"
        if len(core) == 1:
            return Mistake(f"{because} the rule '{core[0].sentence}'. {UNSPENT}")
        named = " and ".join(f"'{rule.sentence}'" for rule in core)
        return Mistake(f"These rules contradict each other: {named}. {because} all of them. {UNSPENT}")

    def impossible(self) -> Iterator[tuple[str, int]]:
        """Yield each declared value that no record can have.

        Values are tried one by one, unless the tables are so large that this would take too long. Then only
        values without a partner in a table are found.
        """
        search = self.search
        left = partnered(search.tables, self.start)
        tries = sum(int(live.sum()) for live in left.values())
        is_small = tries * sum(table.size for table in search.tables.values()) <= LARGEST_SEARCH
        seen = {name: np.zeros_like(live) for name, live in left.items()}
        for name, live in left.items():
            known = np.arange(len(live)) < self.atoms[name].known
            for atom in np.flatnonzero(self.start[name] & known):
                found = None
                if live[atom] and not seen[name][atom] and is_small:
                    found = search.record(fixed(left, name, int(atom)))
                for other, mask in (found or {}).items():
                    seen[other] |= mask if mask.sum() == 1 else False
                if not live[atom] or (is_small and not seen[name][atom]):
                    yield name, int(atom)

    def cause(self, name: str, atom: int) -> _Cause:
        """Return the rules that exclude a value."""
        core = self._minimal(self.rules, fixed(self.start, name, atom))
        whole = fixed(all_values(self.atoms, self.start), name, atom)
        return _Cause(
            name,
            tuple(rule.sentence for rule in core),
            any(rule.stated for rule in core),
            search_of(core, self.atoms, self.lines).record(whole) is not None,
        )

    def _minimal(self, rules: Sequence[Rule], start: Live) -> list[Rule]:
        """Return rules that no record satisfies together. Without any one of them, there is a record."""
        core = list(rules)
        for rule in rules:
            fewer = [other for other in core if other is not rule]
            if search_of(fewer, self.atoms, self.lines).record(start) is None:
                core = fewer
        return core
