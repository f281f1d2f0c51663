"""Find rules that contradict each other. The search uses atoms and needs neither data nor a model.

First, a record that satisfies all rules is searched for, also those that compare columns (`rules.possible`).
This search is complete. If there is none, a minimal set of rules is named: without any one of them, there is
a record.

Then values are removed until every remaining value has a partner in every table (generalised arc
consistency), and each remaining value is tried alone. Blanks are partners only if a rule mentions blank. A
value that a single rule removes may be intended, so it causes only a warning, unless no value of the column
remains. If only several rules together remove a value, they contradict each other. Values that a comparison
removes are expected, because bounds follow from other columns. Only values in the conditions of comparisons
are tried with the comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from synth.core.domain import Clique
from synth.core.errors import UNSPENT, Mistake
from synth.rules.atoms import Atoms
from synth.rules.orders import comparisons_of
from synth.rules.possible import Line, Live, Search, merged, partnered
from synth.rules.tables import Table, broken_tables
from synth.rules.terms import Condition, Rule

LARGEST_SEARCH = 100_000_000
"""Maximum of (number of values) * (number of cells) at which values are tried one by one."""


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


def search_of(rules: Sequence[Rule], atoms: Mapping[str, Atoms], lines: Mapping[str, Line]) -> Search:
    """Return the search for records that satisfy these rules."""
    tables = merged([broken_tables(rule, atoms) for rule in rules])
    return Search(tables, comparisons_of(rules), atoms, lines)


def check_rules(
    rules: Sequence[Rule], atoms: Mapping[str, Atoms], start: Live, lines: Mapping[str, Line]
) -> tuple[str, ...]:
    """Return warnings about declared values that a single rule removes.

    `lines` has the compared columns whose values are known. Raises: `Mistake` if rules contradict each other.
    """
    warned = _check_tables(rules, atoms, start)
    if search_of(rules, atoms, lines).record(start) is None:
        core = _minimal(rules, atoms, start, lines)
        because = "No record with the declared values can satisfy"
        if len(core) == 1:
            raise Mistake(f"{because} the rule '{core[0].sentence}'. {UNSPENT}")
        raise Mistake(f"{_contradicting(core)} {because} all of them. {UNSPENT}")
    given = {c.column for part in comparisons_of(rules) for c in part.given}
    for name in [n for n in atoms if n in given and atoms[n].column.kind.has_values]:
        for atom in np.flatnonzero(start[name]):
            alone = np.zeros_like(start[name])
            alone[atom] = True
            fixed = {**start, name: alone}
            if search_of(rules, atoms, lines).record(fixed) is not None:
                continue
            core = _minimal(rules, atoms, fixed, lines)
            value = f"{name} {atoms[name].words(int(atom))}"
            if len(core) > 1:
                raise Mistake(f"{_contradicting(core)} Together they leave no record with {value}. {UNSPENT}")
            sentence = f"The rule '{core[0].sentence}' makes a declared value of '{name}' impossible: "
            warned += [f"{sentence}{atoms[name].words(int(atom))}."]
    return tuple(dict.fromkeys(warned))


def _minimal(
    rules: Sequence[Rule], atoms: Mapping[str, Atoms], start: Live, lines: Mapping[str, Line]
) -> list[Rule]:
    """Return rules that no record satisfies together, although records satisfy all but any one of them."""
    core = list(rules)
    for rule in rules:
        fewer = [other for other in core if other is not rule]
        if search_of(fewer, atoms, lines).record(start) is None:
            core = fewer
    return core


def _contradicting(core: Sequence[Rule]) -> str:
    named = " and ".join(f"'{rule.sentence}'" for rule in core)
    return f"These rules contradict each other: {named}."


def _check_tables(rules: Sequence[Rule], atoms: Mapping[str, Atoms], start: Live) -> list[str]:
    """Return the warnings of `check_rules`, and raise its errors, without comparisons."""
    tables = [broken_tables(rule, atoms) for rule in rules]
    alone = [_surviving(own, start) for own in tables]
    warned: list[str] = []
    for rule, live in zip(rules, alone, strict=True):
        for name in atoms:
            if start[name].any() and not live[name].any():
                raise Mistake(f"The rule '{rule.sentence}' leaves no possible value for '{name}'. {UNSPENT}")
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
    return warned


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
        joined = merged([tables[j] for j in fewer])
        if not any(_alive(joined, start, name, int(value)) for value in lost):
            core = fewer
    named = _contradicting([rules[i] for i in core])
    if atom is None:
        return Mistake(f"{named} Together they leave no value for '{name}'. {UNSPENT}")
    value = f"{name} {atoms[name].words(atom)}"
    example = _example(name, atom, [(rules[i], tables[i]) for i in core], atoms, start)
    return Mistake(f"{named} Together they leave no record with {value}{example}. {UNSPENT}")


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
