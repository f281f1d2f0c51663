"""Convert rules to boolean tables over atoms, codes of axes, or coarse codes.

A cell is forbidden if and only if every combination of values in it violates the rule. A rule forbids sets of
atoms, so this is a conjunction over the atoms of each code, which is computed one axis at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis, Grouping
from synth.core.domain import Clique, Domain
from synth.core.errors import Mistake
from synth.core.zeros import Zero
from synth.rules.atoms import Atoms, numbers_of
from synth.rules.terms import Allow, Compare, Condition, Forbid, Rule, Share

LARGEST_TABLE = 10_000_000
"""Maximum number of cells in the table of a rule. A model could not represent a larger table."""
Table = NDArray[np.bool_]


def conditions_of(rules: Iterable[Rule]) -> list[Condition]:
    """Return all conditions in these rules."""
    conditions: list[Condition] = []
    for part in (part for rule in rules for part in rule.parts):
        if isinstance(part, Allow):
            conditions += [cell for row in part.rows for cell in row]
        else:
            conditions += part.given if isinstance(part, Compare) else part.conditions
    return conditions


def guard_size(rule: Rule, sizes: Mapping[str, int], clique: Sequence[str]) -> None:
    """Raise `Mistake`, with the names of the columns, if the table of a rule would be too large."""
    cells = math.prod(sizes[name] for name in clique)
    if cells > LARGEST_TABLE:
        widest = max(clique, key=sizes.__getitem__)
        raise Mistake(
            f"The rule '{rule.sentence}' joins {', '.join(clique)} in a table of {cells / 1e6:,.1f} "
            f"million cells. The limit is {LARGEST_TABLE // 1_000_000} million. Use fewer values or bins "
            f"for '{widest}', or split the rule."
        )


def broken_tables(rule: Rule, atoms: Mapping[str, Atoms]) -> dict[Clique, Table]:
    """Return the combinations that a rule forbids, without its comparisons, as one table per set of columns.

    Shapes: bool[atoms of each column of the clique], True for forbidden combinations, with columns in the
    order of `atoms`. Raises: `Mistake` if a table is too large.
    """
    tables: dict[Clique, Table] = {}
    for part in rule.parts:
        if isinstance(part, Compare | Share):
            continue
        clique = tuple(name for name in atoms if name in part.columns)
        guard_size(rule, {name: atoms[name].size for name in clique}, clique)
        table = tables.setdefault(clique, np.zeros([atoms[n].size for n in clique], dtype=np.bool_))
        if isinstance(part, Forbid):
            masks = [all_of(atoms[name], [c for c in part.conditions if c.column == name]) for name in clique]
            table[np.ix_(*map(np.flatnonzero, masks))] = True
        else:
            table |= _not_allowed(part, clique, atoms)
    return tables


def all_of(atoms: Atoms, conditions: Sequence[Condition]) -> Table:
    """Return the atoms that satisfy all of these conditions on one column. Shapes: bool[atoms]."""
    return np.asarray(np.logical_and.reduce([atoms.mask(c) for c in conditions]))


def _not_allowed(part: Allow, clique: Clique, atoms: Mapping[str, Atoms]) -> Table:
    place = [part.columns.index(name) for name in clique]
    broken = np.zeros([atoms[name].size for name in clique], dtype=np.bool_)
    masks = [[atoms[n].mask(row[i]) for row in part.rows] for n, i in zip(clique, place, strict=True)]
    judged = []
    for name, column in zip(clique, masks, strict=True):
        named = np.logical_or.reduce(column)
        named[: atoms[name].known] = True
        judged.append(named)
    broken[np.ix_(*map(np.flatnonzero, judged))] = True
    for row in zip(*masks, strict=True):
        broken[np.ix_(*map(np.flatnonzero, row))] = False
    return broken


def over_axes(table: Table, clique: Clique, axes: Mapping[str, Axis], atoms: Mapping[str, Atoms]) -> Table:
    """Convert a table over atoms to a table over the cells of axes.

    Shapes: bool[axis sizes], True if every combination of values in the cell violates the rule.
    """
    for position, name in enumerate(clique):
        covered = atoms[name].of_axis(axes[name])
        if all(len(c) == 1 for c in covered):
            table = table.take(np.concatenate(covered), axis=position)
        else:
            table = np.stack(
                [table.take(c, axis=position).all(axis=position) for c in covered], axis=position
            )
    return table


def compare_cells(
    part: Compare, clique: Clique, axes: Mapping[str, Axis], atoms: Mapping[str, Atoms], *, some: bool = False
) -> Table:
    """Return the cells in which every pair of values violates the comparison.

    Shapes: bool[axis sizes] in the order of `clique`. Cells that contain a pair that satisfies it are
    allowed. With `some`, cells in which at least one pair violates the comparison are also marked.
    """
    if part.operator not in ("at most", "below"):
        return compare_cells(part.mirrored(), clique, axes, atoms, some=some)
    ends = (_largest_of, _smallest_of) if some else (_smallest_of, _largest_of)
    lows, highs = ends[0](axes[part.left]), ends[1](axes[part.right])
    pairs = lows[:, None] > highs if part.operator == "at most" else lows[:, None] >= highs
    pairs &= ~np.isnan(lows)[:, None] & ~np.isnan(highs)
    order = [name for name in clique if name in (part.left, part.right)]
    where = [axes[name].size if name in order else 1 for name in clique]
    pairs = (pairs if order == [part.left, part.right] else pairs.T).reshape(where)
    table = np.broadcast_to(pairs, [axes[name].size for name in clique]).copy()
    for name in {c.column for c in part.given}:
        holds = all_of(atoms[name], [c for c in part.given if c.column == name])
        fine = ~over_axes(~holds, (name,), axes, atoms) if some else over_axes(holds, (name,), axes, atoms)
        table &= fine.reshape([-1 if other == name else 1 for other in clique])
    return table


def _smallest_of(axis: Axis) -> NDArray[np.float64]:
    """Return the smallest value of each code (its position for ordered columns), or NaN for other and
    missing.

    Shapes: float64[axis.size], as `_largest_of`.
    """
    return _of_cells(axis, 0)


def _largest_of(axis: Axis) -> NDArray[np.float64]:
    """Return the largest value of each code."""
    return _of_cells(axis, 1)


def _of_cells(axis: Axis, end: int) -> NDArray[np.float64]:
    known = np.arange(axis.cells, dtype=np.float64) if axis.labels else axis.ends[end]
    return np.concatenate([known, np.full(axis.size - axis.cells, np.nan)])


def compare_rows(part: Compare, frame: Any, atoms: Mapping[str, Atoms]) -> NDArray[np.bool_]:
    """Return which rows of a decoded table violate a comparison. Shapes: bool[rows]."""
    left, right = (_ranks(frame[name], atoms[name]) for name in (part.left, part.right))
    broken: NDArray[np.bool_] = {
        "at most": left > right,
        "below": left >= right,
        "at least": left < right,
        "above": left <= right,
    }[part.operator]
    for condition in part.given:
        atom = atoms[condition.column]
        broken &= atom.mask(condition)[atom.of_values(frame[condition.column])]
    return broken


def _ranks(cells: Any, atoms: Atoms) -> NDArray[np.float64]:
    """Return numbers that have the same order as the values of the column.

    The number of an unknown value is NaN, which violates no comparison.
    """
    if atoms.column.kind.has_range:
        return numbers_of(cells, atoms.column.kind)[0]
    codes = atoms.of_values(cells)
    return np.where(codes < atoms.known, codes, np.nan)


def coarsen_zeros(
    zeros: Iterable[Zero], axes: Sequence[Axis], groupings: Sequence[Grouping]
) -> tuple[Zero, ...]:
    """Return structural zeros over coarse codes.

    A coarse cell is forbidden if and only if all its fine cells are. Zeros without forbidden cells are
    omitted. Raises: ValueError if a zero is about a column without an axis.
    """
    members = {
        g.column: [np.flatnonzero(np.asarray(g.group_of) == group) for group in range(g.size)]
        for g in groupings
    }
    known = {axis.name for axis in axes}
    coarse = []
    for zero in zeros:
        table = zero.forbidden
        for position, name in enumerate(zero.clique):
            if name not in known:
                raise ValueError(f"a zero is about {name!r}, which has no axis")
            if name in members:
                parts = [table.take(m, axis=position).all(axis=position) for m in members[name]]
                table = np.stack(parts, axis=position)
        if table.any():
            coarse.append(Zero(zero.clique, table))
    return tuple(coarse)


def explain_width(
    zeros: Iterable[Zero], domain: Domain, *, max_cells: int, model_cells: int | None = None
) -> str | None:
    """Return the reason why the rules make the model too large, or None if they do not.

    `max_cells` is the capacity. `model_cells` is the size of the junction tree over the rules' cliques, if
    the caller knows it. Otherwise the cells of the cliques are summed, which is a lower bound.
    """
    sized = sorted(((domain.size(z.clique), z.clique) for z in zeros if len(z.clique) > 1), reverse=True)
    if not sized:
        return None
    needed = max(sum(cells for cells, _ in sized), model_cells or 0)
    if needed <= max_cells:
        return None
    cells, clique = sized[0]
    if cells > max_cells:
        joined, count = list(clique), cells
        subject = "A rule joins"
    else:
        joined = [name for name in domain.names if any(name in c for _, c in sized)]
        count, subject = needed, "The rules together join"
    widest = max(joined, key=lambda name: domain.size((name,)))
    return (
        f"{subject} {', '.join(repr(n) for n in joined)} in a model of {count:,} cells. The limit is "
        f"{max_cells:,}. Use fewer values or bins for {widest!r} ({domain.size((widest,)):,} now), or "
        "remove a rule that uses it."
    )
