"""Find rules that contradict each other. The search uses atoms and needs neither data nor bins.

Values are removed until every remaining value has a partner in every table (generalised arc consistency).
Then each remaining value is tried alone, which finds rules that exclude each other through a cycle of
columns. Blanks are partners only if a rule mentions blank. A value that a single rule removes may be
intended, so it causes only a warning, unless no value of the column remains. If only several rules together
remove a value, they contradict each other. The search is sound but not complete: it does not find
contradictions that appear only when two values are tried together. With such rules, the model has no possible
cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.rules.atoms import Atoms
from synth.rules.tables import Table, broken_tables
from synth.rules.terms import Condition, Rule

LARGEST_SEARCH = 100_000_000
"""Maximum of (number of values) * (number of cells) at which values are tried one by one."""
Live = dict[str, NDArray[np.bool_]]
"""The values that each column may still have. Shapes: one bool[atoms of the column] per column."""


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


def merged(groups: Iterable[Mapping[Clique, Table]]) -> dict[Clique, Table]:
    """Return all combinations that the rules forbid, with one table per clique."""
    joined: dict[Clique, Table] = {}
    for clique, table in ((c, t) for tables in groups for c, t in tables.items()):
        joined[clique] = joined[clique] | table if clique in joined else table
    return joined


def partnered(tables: Mapping[Clique, Table], start: Live) -> Live:
    """Return the values of each column that still have a partner in every table."""
    live = {name: mask.copy() for name, mask in start.items()}
    changed = True
    while changed:
        changed = False
        for clique, table in tables.items():
            valid = ~table
            for position, name in enumerate(clique):
                valid &= live[name].reshape([-1 if i == position else 1 for i in range(len(clique))])
            for position, name in enumerate(clique):
                others = tuple(i for i in range(len(clique)) if i != position)
                kept = live[name] & valid.any(axis=others)
                if not np.array_equal(kept, live[name]):
                    live[name], changed = kept, True
    return live


def _alive(tables: Mapping[Clique, Table], start: Live, name: str, atom: int) -> bool:
    """Whether a record with this value can exist after removing values that have no partner."""
    alone = np.zeros_like(start[name])
    alone[atom] = start[name][atom]
    live = partnered(tables, {**start, name: alone})
    return all(live[n].any() for n in start if start[n].any())


def _surviving(tables: Mapping[Clique, Table], start: Live) -> Live:
    """Return the remaining values.

    Each value is tried alone, unless the tables are so large that this would take too long. It is not
    necessary for a column that shares no table with another column.
    """
    live = partnered(tables, start)
    touched = {name for clique in tables if len(clique) > 1 for name in clique}
    tries = sum(int(live[name].sum()) for name in touched)
    if len(tables) > 1 and tries * sum(t.size for t in tables.values()) <= LARGEST_SEARCH:
        for name in touched:
            for atom in np.flatnonzero(live[name]):
                live[name][atom] = _alive(tables, live, name, int(atom))
    return live


def check_rules(rules: Sequence[Rule], atoms: Mapping[str, Atoms], start: Live) -> tuple[str, ...]:
    """Return warnings about declared values that a single rule removes.

    Raises: `Mistake` if rules contradict each other.
    """
    tables = [broken_tables(rule, atoms) for rule in rules]
    alone = [_surviving(own, start) for own in tables]
    warned: list[str] = []
    for rule, live in zip(rules, alone, strict=True):
        for name in atoms:
            if start[name].any() and not live[name].any():
                raise Mistake(f"The rule '{rule.sentence}' leaves no possible value for '{name}'.")
        if rule.stated:
            warned += _struck(rule, atoms, start, live)
    together = _surviving(merged(tables), start)
    for name in atoms:
        if start[name].any() and not together[name].any():
            raise _contradiction(name, None, rules, tables, atoms, start)
    for name in atoms:
        fallen = np.logical_and.reduce([live[name] for live in alone] or [start[name]]) & ~together[name]
        if fallen.any():
            raise _contradiction(name, int(np.flatnonzero(fallen)[0]), rules, tables, atoms, start)
    return tuple(warned)


def _struck(rule: Rule, atoms: Mapping[str, Atoms], start: Live, live: Live) -> list[str]:
    sentences = []
    for name, column in atoms.items():
        gone = np.flatnonzero(start[name][: column.known] & ~live[name][: column.known])
        if len(gone):
            listed = ", ".join(column.words(int(i)) for i in gone[:5])
            more = " and others" if len(gone) > 5 else ""
            sentences.append(
                f"The rule '{rule.sentence}' makes a declared value of '{name}' impossible: {listed}{more}."
            )
    return sentences


def _contradiction(
    name: str,
    atom: int | None,
    rules: Sequence[Rule],
    tables: Sequence[Mapping[Clique, Table]],
    atoms: Mapping[str, Atoms],
    start: Live,
) -> Mistake:
    """Return the error for a value (or a whole column, if `atom` is None) that several rules remove together.

    It names a minimal set of rules that still removes the value. The set is found by omitting rules one by
    one.
    """
    lost = np.flatnonzero(start[name]) if atom is None else [atom]
    core = list(range(len(rules)))
    for i in list(core):
        fewer = [j for j in core if j != i]
        joined = merged(tables[j] for j in fewer)
        if not any(_alive(joined, start, name, int(value)) for value in lost):
            core = fewer
    named = " and ".join(f"'{rules[i].sentence}'" for i in core)
    if atom is None:
        return Mistake(
            f"These rules contradict each other: {named}. Together they leave no value for '{name}'."
        )
    value = f"{name} {atoms[name].words(atom)}"
    example = _example(name, atom, [(rules[i], tables[i]) for i in core], atoms, start)
    return Mistake(
        f"These rules contradict each other: {named}. Together they leave no record with {value}{example}."
    )


def _example(
    name: str,
    atom: int,
    core: Sequence[tuple[Rule, Mapping[Clique, Table]]],
    atoms: Mapping[str, Atoms],
    start: Live,
) -> str:
    """Return an example of an impossible combination, with the rule that excludes it."""
    for rule, tables in core:
        for clique, table in tables.items():
            if name not in clique or len(clique) < 2:
                continue
            fixed = [np.flatnonzero(start[n]) if n != name else np.array([atom]) for n in clique]
            broken = np.argwhere(table[np.ix_(*fixed)])
            if len(broken):
                cell = [int(fixed[i][k]) for i, k in enumerate(broken[0])]
                words = " with ".join(f"{n} {atoms[n].words(c)}" for n, c in zip(clique, cell, strict=True))
                return f" (for example, '{rule.sentence}' excludes {words})"
    return ""
