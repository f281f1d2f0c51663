"""Store the exact tables that answer queries, in codes of a domain or in groups of codes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import dropwhile

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.domain import Clique, CodeColumn, Domain
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.networks.trainee import Trainee
from synth.private.counting.codes import Codes
from synth.private.gradients import Rows
from synth.private.scores import ProductGap
from synth.private.sealed import Hidden

Groups = Mapping[str, tuple[int, ...]]
"""The group of each code of the domain, for columns that are queried in coarser codes. Privacy: a coarse code
is a function of one row's code. So each row is still in exactly one cell of a marginal, and all sensitivities
remain valid. Groups are public, because they are computed from noisy measurements.
"""

CELLS_AHEAD = 1 << 23
"""Maximum number of cells in tables that are counted before they are needed (64 MB)."""

_Key = tuple[Clique, tuple[tuple[str, tuple[int, ...]], ...]]
"""A clique, with the groups of its grouped columns."""


class ExactTables(Hidden):
    """Exact tables of counts of codes. They are private: the `repr` is empty, and they cannot be pickled."""

    def __init__(self, codes: Codes, domain: Domain) -> None:
        self._codes, self._domain = codes, domain
        self._coarse, self._groups = codes, dict[str, tuple[int, ...]]()
        self._expected: dict[_Key, None] = {}
        self._ahead: dict[_Key, NDArray[np.int64]] = {}
        self._sides: dict[tuple[HalfSpaces, str], NDArray[np.int64]] = {}
        self._gaps: dict[tuple[_Key, float, tuple[bytes, ...]], int] = {}

    def __call__(self, clique: Clique, groups: Groups) -> NDArray[np.int64]:
        """Return the exact marginal.

        Shapes: int64, with one axis per column and one entry per group or code. Raises: `Refusal` if the
        table is too large.
        """
        if self._expected or self._ahead:
            key = _key(clique, groups)
            if key in self._expected:
                self._count_ahead(key)
            if key in self._ahead:
                return self._ahead.pop(key)
        return self._coarsened(clique, groups).counts(self._domain.axes(clique))

    def expect(self, requested: Sequence[tuple[Clique, Groups]]) -> None:
        """Announce the tables that may be needed next, in this order.

        When the first one is needed, others are counted with it, so that a few passes over the rows produce
        many tables. Nothing is counted before that, and earlier announcements are discarded.
        """
        self._expected, self._ahead = dict.fromkeys(_key(*one) for one in requested), {}

    def _count_ahead(self, first: _Key) -> None:
        """Count an announced table, together with later tables that have the same groups, as far as memory
        allows.
        """
        together, groups, cells = list[_Key](), dict[str, tuple[int, ...] | None](), 0
        for key in dropwhile(lambda one: one != first, self._expected):
            own = {**dict.fromkeys(key[0]), **dict(key[1])}
            cells += math.prod(self._sizes(own)) if key[1] else self._domain.size(key[0])
            if together and cells > CELLS_AHEAD:
                break
            if all(groups.get(name, group_of) == group_of for name, group_of in own.items()):
                together.append(key)
                groups |= own
        for key in together:
            del self._expected[key]
        coarse = {name: group_of for name, group_of in groups.items() if group_of is not None}
        codes = self._coarsened(tuple(groups), coarse)
        counted = codes.all_counts([self._domain.axes(clique) for clique, _ in together])
        self._ahead |= zip(together, counted, strict=True)

    def unfit(self, name: str, groups: Groups) -> NDArray[np.int64]:
        """Return the exact number of cells of a column that do not fit, by code or group and reason.

        The last row of the table has the cells that have no code of the domain. Shapes: int64[codes or groups
        + 1, reasons]. Raises: `Refusal` as `Codes.unfit`.
        """
        codes, axis = self._coarsened((name,), groups), self._domain.axis(name)
        found, size = codes.unfit(axis), codes.domain.sizes[axis]
        return np.vstack([found[:size], found[size:].sum(axis=0, keepdims=True)])

    def _sizes(self, groups: Mapping[str, tuple[int, ...] | None]) -> list[int]:
        """Return the number of codes or groups of each of these columns."""
        return [
            self._domain.size([name]) if group_of is None else max(group_of) + 1
            for name, group_of in groups.items()
        ]

    def columns(self, clique: Clique, groups: Groups) -> tuple[list[CodeColumn], tuple[int, ...]]:
        """Return the codes of the rows, and the number of codes of each column. Raises: as `__call__`.

        Shapes: each unsigned[rows], in the order of the clique.
        """
        codes, axes = self._coarsened(clique, groups), self._domain.axes(clique)
        return [codes.column(i) for i in axes], tuple(codes.domain.sizes[i] for i in axes)

    def sides(self, spaces: HalfSpaces, groups: Groups) -> NDArray[np.int64]:
        """Return, for each row, the side of each half-space (see `HalfSpaces.sides`).

        The result for the most recent half-spaces is cached, because candidates are scored again in every
        round. Raises: as `__call__`.
        """
        key = repr(_key(spaces.clique, groups))
        each = [(spaces.only([k]), key) for k in range(len(spaces))]
        fresh = [k for k, one in enumerate(each) if one not in self._sides]
        if fresh:
            found = spaces.only(fresh).sides(*self.columns(spaces.clique, groups))
            kept = {one: self._sides[one] for one in each if one in self._sides}
            self._sides = kept | {each[k]: found[:, at] for at, k in enumerate(fresh)}
        return np.stack([self._sides[one] for one in each], axis=1)

    def gaps(self, score: ProductGap, groups: Groups) -> NDArray[np.int64]:
        """Return the distance of each candidate's counts from the product of its columns.

        The unit is 1/SCALE.

        The distances are cached, because the same candidates are scored again in every round. Only one number
        per candidate is cached, because the tables of 124,750 pairs would take gigabytes. Shapes:
        int64[candidates]. Raises: as `__call__`.
        """
        columns, total = score.estimates.columns, score.estimates.total
        fields = {name: column.tobytes() for name, column in columns.items()}
        keys = [(_key(r, groups), total, tuple(fields[name] for name in r)) for r in score.cliques]
        fresh = {keys[i]: i for i in range(len(keys)) if keys[i] not in self._gaps}
        self._expected |= dict.fromkeys(key for key, _, _ in fresh)
        for key, i in fresh.items():
            self._gaps[key] = score.gap(i, self(score.cliques[i], groups))
        return np.array([self._gaps[key] for key in keys], dtype=np.int64)

    def rows(self, clique: Clique, net: Trainee) -> Rows:
        """Return the rows whose gradients train a network. Raises: as `__call__`."""
        columns, _ = self.columns(clique, {})
        return Rows(np.stack([column.astype(np.int64) for column in columns], axis=1), net)

    def _coarsened(self, clique: Clique, groups: Groups) -> Codes:
        """Return the codes, grouped at least for the columns of the clique.

        They are cached, because queries of one round usually have the same groups.
        """
        if not any(name in groups for name in clique):
            return self._codes
        known = self._groups
        if any(name in known and known[name] != groups.get(name) for name in (*clique, *groups)):
            self._coarse, known = self._codes, {}
        fresh = {name: group_of for name, group_of in groups.items() if name not in known}
        if fresh:
            groupings = [Grouping(column=n, group_of=group_of, weights=()) for n, group_of in fresh.items()]
            self._coarse = self._coarse.grouped(groupings)
        self._groups = {**known, **fresh}
        return self._coarse


def _key(clique: Clique, groups: Groups) -> _Key:
    coarse = tuple((name, tuple(groups[name])) for name in clique if name in groups) if groups else ()
    return clique, coarse
