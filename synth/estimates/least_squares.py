"""Answer linear queries by least squares over all facts, with the exact variance of the noise.

A query q is a table over the codes of some columns g. Each fact is summed to the columns that it shares with
g. Codes that no fact separates form an *atom*, and a query must be constant inside atoms. With A_f the matrix
that maps the table of atoms to the cells of fact f, and v_f the variance of a cell, the normal equations are

    (sum_f A_f' A_f / v_f) u = q,    estimate = sum_f <A_f u, y_f> / v_f,    variance = <q, u>.

This is the best linear unbiased estimate from the sums of the facts over g. A query is estimable if q is in
the range of this sum of matrices. The range does not depend on the variances. Cells that no record can be in
are excluded from the unknowns. A public total is a constraint: the table is its mean plus a part that sums to
zero.

Later measurements depend on earlier noise, but given the earlier results, each measurement is unbiased with a
known variance. So the sum of (y_f - M_f) / v_f is a martingale, and only the weights are random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import log, prod, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.interactions import centred
from synth.core.measurements.noisy import sum_groups
from synth.core.zeros import Zero, allowed_cells
from synth.estimates.facts import Fact, Projection, summed

Table = NDArray[np.float64]
Term = Mapping[str, Table]
"""A product of weight vectors over the codes of the domain, one per column. Other columns have weight one."""

Groups = Mapping[str, NDArray[np.int64]]
"""The group of each code, by column."""

DENSE, MOST_SUMS, MOST_ENTRIES = 700, 700, 1 << 24
"""Maximum numbers of atoms, of measured sums, and of entries of their matrix, for which the normal equations
are solved directly.
"""

MOST_STEPS, EXACT, NOTHING = 1_000, 1e-13, 1e-9
"""Maximum number of steps of conjugate gradients, the relative residual at which they stop, and the residual
at which a query is treated as zero.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """The answer to a linear query.

    Units: `variance` is in counts squared. `weights` contains the share of the variance that each fact
    contributes. `largest` is the largest weight of a single noisy count in the estimate, and `least` is the
    smallest variance of a count.
    """

    estimate: float
    variance: float
    weights: Mapping[Fact, float]
    largest: float
    least: float = np.inf

    def deviations(self, level: float) -> float:
        """Return the half-width of an interval in standard deviations."""
        return deviations(level, self.least)


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells:
    """The answers to the counts of all cells of a table.

    Shapes: `counts`, `variance`: float64[groups of each column]. Units: counts, counts squared. `least` is
    the smallest variance of a noisy count, and `largest` the largest weight of one in a cell.
    """

    counts: Table
    variance: Table
    largest: Table | float = 1.0
    least: float = np.inf

    def reach(self, level: float) -> Table:
        """Return the half-widths of intervals that hold together for all cells (Sidak 1967).

        As in `estimated.half_width`, half of the largest weight is added, because noise is rounded.
        """
        each = level ** (1 / max(self.counts.size, 1))
        return deviations(each, self.least) * np.sqrt(self.variance) + np.asarray(self.largest) / 2


def deviations(level: float, least: float) -> float:
    """Return the half-width of an interval in standard deviations.

    Noise below one count is far from normal, but sub-Gaussian in every direction.
    """
    if least < 1.0:
        return sqrt(2.0 * log(2.0 / (1.0 - level)))
    return NormalDist().inv_cdf(0.5 + level / 2)


@dataclass(frozen=True, eq=False)
class System:
    """The normal equations for queries about some columns."""

    domain: Domain
    facts: Sequence[Fact]
    columns: Clique
    zeros: Sequence[Zero] = ()
    total: float | None = None

    @cached_property
    def _said(self) -> list[list[tuple[Table, Fact, float]]]:
        """Return the sums of the facts, with one list for all facts that have the same sums."""
        found: dict[object, list[tuple[Table, Fact, float]]] = {}
        for fact in self.facts:
            if (said := summed(fact, self.columns)) is not None:
                inside, counts, _, precision = said
                groups = tuple(fact.groups[name].tobytes() for name in inside)
                key = inside, groups, fact.is_interaction
                found.setdefault(key, []).append((counts, fact, precision))
        return list(found.values())

    @cached_property
    def atoms(self) -> dict[str, NDArray[np.int64]]:
        """Return the atom of each code. Shapes: int64[codes] per column."""
        found = {}
        for name, size in zip(self.columns, self.domain.shape(self.columns), strict=True):
            maps = [said[0][1].groups[name] for said in self._said if name in said[0][1].groups]
            stacked = np.stack([*maps, np.zeros(size, dtype=np.int64)])
            _, first, atom = np.unique(stacked, axis=1, return_index=True, return_inverse=True)
            order = np.argsort(np.argsort(first))  # atoms in the order of their first codes
            found[name] = order[atom.ravel()]
        return found

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Return the number of atoms of each column."""
        return tuple(int(self.atoms[name].max()) + 1 for name in self.columns)

    @cached_property
    def _possible(self) -> Table:
        """Return 1 for atoms that can contain a record, and 0 for others."""
        possible = allowed_cells(self.domain, self.columns, self.zeros).astype(np.float64)
        for axis, name in enumerate(self.columns):
            possible = sum_groups(possible, axis, self.atoms[name].tolist())
        return np.minimum(possible, 1.0)

    @cached_property
    def _projections(self) -> list[Projection]:
        mean = None if self.total is None else self._possible * (self.total / self._possible.sum())
        found = []
        for said in self._said:
            fact, members = said[0][1], tuple((f, precision) for _, f, precision in said)
            matrices = tuple(self._matrix(fact, name) for name in self.columns)
            whole = sum(precision for _, precision in members)
            counts = sum(counts * (precision / whole) for counts, _, precision in said)
            shaped = np.reshape(counts, [len(m) for m in matrices])
            projection = Projection(matrices, shaped, members)
            if mean is not None:
                projection = Projection(matrices, shaped - projection.onto(mean), members)
            found.append(projection)
        return found

    def _matrix(self, fact: Fact, name: str) -> Table:
        atoms = self.atoms[name]
        if name not in fact.clique:
            return np.ones((1, atoms.max() + 1))
        groups = fact.groups[name]
        matrix = np.zeros((groups.max() + 1, atoms.max() + 1))
        matrix[groups, atoms] = 1.0
        return matrix - 1.0 / len(matrix) if fact.is_interaction else matrix

    @cached_property
    def _whole(self) -> list[Groups]:
        """Return the groups of each table with all columns, starting with the table with the most cells."""
        found = [f.groups for f in self.facts if set(self.columns) <= set(f.clique) and not f.is_interaction]
        found.sort(key=lambda groups: -prod(int(groups[name].max()) + 1 for name in self.columns))
        return [{name: groups[name] for name in self.columns} for groups in found]

    @cached_property
    def resolutions(self) -> tuple[Groups, ...]:
        """Return groupings of the codes, in the order in which to try them for questions about values.

        The atoms are first, followed by the groups of the tables with all columns. Tables with fewer columns
        may distinguish codes that no table with all columns distinguishes.
        """
        unique = {self._key(groups): groups for groups in (self.atoms, *self._whole)}
        return tuple(unique.values())

    @cached_property
    def cells(self) -> Groups | None:
        """Return the finest groups of codes for which the table is estimable, or None if there are none."""
        measured = {self._key(groups) for groups in self._whole}
        for groups in self.resolutions:
            marks = [np.eye(int(groups[name].max()) + 1)[:, groups[name]] for name in self.columns]
            cells = ([dict(zip(self.columns, cell, strict=True))] for cell in product(*marks))
            if self._key(groups) in measured or all(map(self.is_estimable, cells)):
                return groups
        return None

    @property
    def finest(self) -> Groups | None:
        """Return the groups of the largest table with all columns, or `cells` if there is no such table."""
        return self._whole[0] if self._whole else self.cells

    def _key(self, groups: Groups) -> tuple[bytes, ...]:
        return tuple(groups[name].tobytes() for name in self.columns)

    def solve(self, terms: Iterable[Term]) -> Solution | None:
        """Return the answer to a sum of products, or None if it is not estimable."""
        query = self._over_atoms(terms)
        return None if query is None else self.solve_atoms(query)

    def cells_of(self, groups: Groups) -> Cells | None:
        """Return all cells of the table in these groups of codes, or None if one is not estimable.

        Columns that are not in `groups` keep the codes of the domain. The table has at most `DENSE` atoms.
        """
        marks: Table = np.ones((1, 1))
        for name, size in zip(self.columns, self.shape, strict=True):
            group_of = groups.get(name, np.arange(len(self.atoms[name])))
            mark = np.zeros((int(group_of.max()) + 1, size))
            mark[group_of, self.atoms[name]] = 1.0
            if (mark.sum(axis=0) > 1).any():  # an atom has codes of several groups
                return None
            marks = np.asarray(np.kron(marks, mark))
        possible = self._possible.ravel()
        marks = marks * possible
        base = np.zeros(len(marks))
        if self.total is not None:
            share = marks.sum(axis=1) / possible.sum()
            base, marks = self.total * share, marks - np.outer(share, possible)
        basis, inverse = self._dense
        if np.abs(marks - (marks @ basis) @ basis.T).max() > NOTHING:
            return None
        solved = marks @ inverse
        shape = [int(groups[n].max()) + 1 if n in groups else len(self.atoms[n]) for n in self.columns]
        counts, largest, least = base, np.zeros(len(marks)), np.inf
        for projection in self._projections:
            seen = np.stack([projection.onto(one.reshape(self.shape)).ravel() for one in solved])
            counts = counts + projection.precision * (seen @ projection.counts.ravel())
            most = max(precision for _, precision in projection.members)
            largest = np.maximum(largest, most * np.abs(seen).max(axis=1))
            least = min([least, *(fact.variance for fact, _ in projection.members)])
        variance = np.maximum((solved * marks).sum(axis=1), 0.0)
        return Cells(
            counts=counts.reshape(shape),
            variance=variance.reshape(shape),
            largest=largest.reshape(shape),
            least=least,
        )

    def is_estimable(self, terms: Iterable[Term]) -> bool:
        """Return whether a sum of products is estimable."""
        query = self._over_atoms(terms)
        if query is None:
            return False
        split = self._split(query)[1]
        return _is_nothing(split, query) or self._solved(split) is not None

    def _over_atoms(self, terms: Iterable[Term]) -> Table | None:
        """Return a sum of products over atoms, or None if it is not constant inside atoms."""
        query = np.zeros(self.shape)
        for term in terms:
            part: Table = np.ones(())
            for name in self.columns:
                atoms, vector = self.atoms[name], term.get(name)
                by_atom = np.ones(atoms.max() + 1)
                if vector is not None:
                    by_atom[atoms] = vector
                    if not np.array_equal(by_atom[atoms], vector):
                        return None
                part = np.multiply.outer(part, by_atom)
            query = query + part
        return query

    def solve_atoms(self, query: Table) -> Solution | None:
        """Return the answer to a query over atoms, or None if it is not estimable."""
        whole, (base, query) = query, self._split(query)
        if _is_nothing(query, whole):
            return Solution(estimate=base, variance=0.0, weights={}, largest=0.0)
        solved = self._solved(query)
        if solved is None:
            return None
        estimate, largest, shares = base, 0.0, dict[Fact, float]()
        for projection in self._projections:
            seen = projection.onto(solved)
            squares, most = float((seen * seen).sum()), float(np.abs(seen).max())
            estimate += projection.precision * float((seen * projection.counts).sum())
            for fact, precision in projection.members:
                shares[fact] = precision * squares
                largest = max(largest, precision * most)
        variance = float((query * solved).sum())
        weights = {fact: share / variance for fact, share in shares.items() if share > 1e-6 * variance}
        return Solution(
            estimate=estimate,
            variance=variance,
            weights=weights,
            largest=largest,
            least=min((fact.variance for fact in weights), default=np.inf),
        )

    def _split(self, query: Table) -> tuple[float, Table]:
        """Return the part of the answer that a public total determines, and the query without this part."""
        query = query * self._possible
        if self.total is None:
            return 0.0, query
        mean = float(query.sum() / self._possible.sum())
        return mean * self.total, query - mean * self._possible

    def _solved(self, query: Table) -> Table | None:
        if self._says_nothing(query):
            return None
        if query.size <= DENSE:
            basis, inverse = self._dense
            inside = basis @ (basis.T @ query.ravel())
            if np.abs(inside - query.ravel()).max() > NOTHING * np.abs(query).max():
                return None
            return np.asarray((inverse @ query.ravel()).reshape(query.shape))
        sums = sum(projection.counts.size for projection in self._projections)
        if sums <= MOST_SUMS and sums * query.size <= MOST_ENTRIES:
            basis, inverse = self._of_sums
            inside = basis.T @ self._onto(query)
            if np.abs(self._back(basis @ inside) - query).max() > NOTHING * np.abs(query).max():
                return None
            return self._back(basis @ (inverse @ inside))
        if _conjugate(lambda u: self._normal(u, weighted=False), query) is None:
            return None
        return _conjugate(lambda u: self._normal(u, weighted=True), query)

    def _says_nothing(self, query: Table) -> bool:
        """Whether the query needs the interaction of all columns, but no fact contains all of them."""
        is_covered = any(set(self.columns) <= set(said[0][1].clique) for said in self._said)
        has_interaction = np.abs(centred(query)).max() > NOTHING * np.abs(query).max()
        return not is_covered and bool(has_interaction and self._possible.all())

    def _normal(self, table: Table, *, weighted: bool) -> Table:
        """Return the left side of the normal equations. If `weighted` is false, all variances are one."""
        whole = np.zeros(self.shape)
        for projection in self._projections:
            weight = projection.precision if weighted else 1.0
            whole += weight * projection.back(projection.onto(table))
        return self._split(whole)[1]

    def _onto(self, table: Table) -> Table:
        """Sum a table to all cells that are measured. Shapes: float64[sums]."""
        return np.concatenate([projection.onto(table).ravel() for projection in self._projections])

    def _back(self, sums: Table) -> Table:
        """Apply the transpose of `_onto`. The result is in the space of the queries."""
        parts, start = np.zeros(self.shape), 0
        for projection in self._projections:
            end = start + projection.counts.size
            parts += projection.back(sums[start:end].reshape(projection.counts.shape))
            start = end
        return self._split(parts)[1]

    @cached_property
    def _of_sums(self) -> tuple[Table, Table]:
        """Return a basis of the estimable queries from measured sums, and the inverse of the normal equations
        on it.

        This form is for few sums of many atoms.

        Shapes: float64[sums, rank], float64[rank, rank].
        """
        rows, precision = [], []
        for projection in self._projections:
            row: Table = np.ones((1, 1))
            for matrix in projection.matrices:
                row = np.asarray(np.kron(row, matrix))
            rows.append(row)
            precision.append(np.full(len(row), projection.precision))
        every, possible = np.concatenate(rows), self._possible.ravel()
        every *= possible
        if self.total is not None:
            every -= np.outer(every.sum(axis=1), possible) / possible.sum()
        square = every @ every.T
        values, vectors = np.linalg.eigh(square)
        kept = values > NOTHING * max(float(values[-1]), 1e-300)
        basis = vectors[:, kept] / np.sqrt(values[kept])
        seen = square @ basis
        return basis, np.linalg.inv(seen.T @ (np.concatenate(precision)[:, None] * seen))

    @cached_property
    def _dense(self) -> tuple[Table, Table]:
        """Return a basis of the estimable queries, and the inverse of the normal equations on it.

        Shapes: float64[atoms, rank], float64[atoms, atoms].
        """
        cells = int(np.prod(self.shape))
        plain, weighted = np.zeros((cells, cells)), np.zeros((cells, cells))
        for projection in self._projections:
            square: Table = np.ones((1, 1))
            for matrix in projection.matrices:
                square = np.asarray(np.kron(square, matrix.T @ matrix))
            plain += square
            weighted += projection.precision * square
        keep = np.diag(self._possible.ravel())
        if self.total is not None:
            keep -= np.outer(keep.diagonal(), keep.diagonal()) / self._possible.sum()
        values, vectors = np.linalg.eigh(keep @ plain @ keep)
        basis = vectors[:, values > NOTHING * max(float(values[-1]), 1e-300)]
        core = basis.T @ weighted @ basis
        return basis, basis @ np.linalg.solve(core, basis.T)


def merged(groups: NDArray[np.int64], vector: Table, how: Callable[[Table], float]) -> Table:
    """Return a vector over codes in which all codes of a group have the same value, such as their minimum."""
    return np.array([how(vector[groups == group]) for group in range(int(groups.max()) + 1)])[groups]


def _is_nothing(part: Table, whole: Table) -> bool:
    """Whether a part of a query is zero up to rounding."""
    return bool(np.abs(part).max() <= NOTHING * np.abs(whole).max())


def _conjugate(apply: Callable[[Table], Table], query: Table) -> Table | None:
    """Solve a positive semidefinite system by conjugate gradients, or return None if the query is not in its
    range.
    """
    solved, residual = np.zeros_like(query), query.copy()
    step, whole = residual.copy(), float((residual * residual).sum())
    length = whole
    for _ in range(MOST_STEPS):
        moved = apply(step)
        curvature = float((step * moved).sum())
        if curvature <= 0.0 or not EXACT**2 * whole < length < whole / EXACT:
            break
        solved += (length / curvature) * step
        residual -= (length / curvature) * moved
        before, length = length, float((residual * residual).sum())
        step = residual + (length / before) * step
    return solved if length <= NOTHING**2 * whole else None
