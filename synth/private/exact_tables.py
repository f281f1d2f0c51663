"""Exact tables of counts, sums, votes and sides, in the codes of a domain or in groups of them: what
queries are answered from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.domain import Clique, Domain
from synth.core.errors import Code, Refusal
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.measurements.nearest import Places
from synth.core.networks.trainee import Trainee
from synth.private.counting.codes import Codes
from synth.private.gradients import Rows
from synth.private.queries import Groups
from synth.private.scores import ProductGap

CELLS_AHEAD = 1 << 23
"""Most cells of the tables that are counted before they are asked for: 64 MB."""

_Key = tuple[Clique, tuple[tuple[str, tuple[int, ...]], ...]]
"""A clique, and the groups of those of its columns that have some."""


class ExactTables:
    """Counts of codes: private, neither shown nor pickled. Without codes there are none."""

    def __init__(self, codes: Codes | None, domain: Domain) -> None:
        self._codes, self._domain = codes, domain
        self._coarse, self._groups = codes, dict[str, tuple[int, ...]]()
        self._expected: dict[_Key, None] = {}
        self._ahead: dict[_Key, NDArray[np.int64]] = {}
        self._sides: dict[tuple[HalfSpaces, str], NDArray[np.int64]] = {}
        self._gaps: dict[tuple[_Key, float, tuple[bytes, ...]], int] = {}

    def __repr__(self) -> str:
        return f"ExactTables(columns={len(self._domain)})"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUERY_INVALID)

    def __call__(self, clique: Clique, groups: Groups) -> NDArray[np.int64]:
        """The exact marginal. Shapes: int64, one axis per column, as long as its groups or codes are many.
        Raises: `Refusal` without codes, and for a table that is too large."""
        if self._codes is None:
            raise Refusal(Code.QUERY_INVALID)
        if self._expected or self._ahead:
            key = _key(clique, groups)
            if key in self._expected:
                self._count_ahead(key)
            if key in self._ahead:
                return self._ahead.pop(key)
        return self._coarsened(clique, groups).counts(self._domain.axes(clique))

    @property
    def sees_rows(self) -> bool:
        """Whether more can be asked than counts; where there are no codes, a replayed answer can."""
        return self._codes is None or self._codes.sees_rows

    def expect(self, asked: Sequence[tuple[Clique, Groups]]) -> None:
        """Tables that may be asked for next, in this order: the first that is brings others with it, so that
        few passes over the rows give many tables. Nothing is counted before, and nothing expected before
        stays."""
        self._expected, self._ahead = dict.fromkeys(_key(*one) for one in asked), {}

    def _count_ahead(self, first: _Key) -> None:
        """Count an expected table with those behind it whose groups agree, while memory lasts."""
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

    def _sizes(self, groups: Mapping[str, tuple[int, ...] | None]) -> list[int]:
        """Codes of these columns, in groups where there are some."""
        return [
            self._domain.size([name]) if group_of is None else max(group_of) + 1
            for name, group_of in groups.items()
        ]

    def sums(
        self,
        clique: Clique,
        groups: Groups,
        *,
        frequencies: NDArray[np.uint16],
        wave: NDArray[np.integer[Any]],
        by: int | None,
    ) -> NDArray[np.int64]:
        """The exact sums of a wave over the rows (see `counting.engine.Engine.sums`). Raises: as for
        counts."""
        codes = self._coarsened(clique, groups)
        return codes.sums(self._domain.axes(clique), frequencies=frequencies, wave=wave, by=by)

    def votes(
        self,
        clique: Clique,
        groups: Groups,
        *,
        candidates: NDArray[np.int64],
        places: Sequence[Places],
        by: int | None,
    ) -> NDArray[np.int64]:
        """The exact votes of the rows (see `counting.engine.Engine.votes`). Raises: as for counts."""
        codes = self._coarsened(clique, groups)
        return codes.votes(self._domain.axes(clique), candidates=candidates, places=places, by=by)

    def sides(self, spaces: HalfSpaces, groups: Groups) -> NDArray[np.int64]:
        """On which sides of half-spaces the rows lie (see `HalfSpaces.sides`). Those asked about last are
        kept, as the ones to choose from are asked about again and again. Raises: as for counts."""
        codes = self._coarsened(spaces.clique, groups)
        key = repr(_key(spaces.clique, groups))
        each = [(spaces.only([k]), key) for k in range(len(spaces))]
        fresh = [k for k, one in enumerate(each) if one not in self._sides]
        if fresh:
            axes, columns = self._domain.axes(spaces.clique), codes.columns
            shape = tuple(codes.domain.sizes[i] for i in axes)
            found = spaces.only(fresh).sides([columns[i] for i in axes], shape)
            kept = {one: self._sides[one] for one in each if one in self._sides}
            self._sides = kept | {each[k]: found[:, at] for at, k in enumerate(fresh)}
        return np.stack([self._sides[one] for one in each], axis=1)

    def gaps(self, score: ProductGap, groups: Groups) -> NDArray[np.int64]:
        """How far each candidate's counts are from the product of its columns, in units of 1/SCALE. They are
        kept, as the same candidates are asked about again and again: as one number each, since the tables of
        124,750 pairs take gigabytes. Shapes: int64[candidates]. Raises: as for counts."""
        columns, total = score.estimates.columns, score.estimates.total
        told = {name: column.tobytes() for name, column in columns.items()}
        keys = [(_key(r, groups), total, tuple(told[name] for name in r)) for r in score.cliques]
        fresh = {keys[i]: i for i in range(len(keys)) if keys[i] not in self._gaps}
        self._expected |= dict.fromkeys(key for key, _, _ in fresh)
        for key, i in fresh.items():
            self._gaps[key] = score.gap(i, self(score.cliques[i], groups))
        return np.array([self._gaps[key] for key in keys], dtype=np.int64)

    def rows(self, clique: Clique, net: Trainee) -> Rows:
        """The rows whose gradients a network is trained on. Raises: as for counts."""
        columns, codes = self._domain.axes(clique), self._coarsened(clique, {}).columns
        return Rows(np.stack([codes[i].astype(np.int64) for i in columns], axis=1), net)

    def _coarsened(self, clique: Clique, groups: Groups) -> Codes:
        """Codes in these groups, as far as the clique goes. They are kept, since queries of one round have
        their groups in common."""
        if self._codes is None:
            raise Refusal(Code.QUERY_INVALID)
        if not any(name in groups for name in clique):
            return self._codes
        known = self._groups
        if any(name in known and known[name] != groups.get(name) for name in (*clique, *groups)):
            self._coarse, known = self._codes, {}
        assert self._coarse is not None
        fresh = {name: group_of for name, group_of in groups.items() if name not in known}
        if fresh:
            groupings = [Grouping(column=n, group_of=group_of, weights=()) for n, group_of in fresh.items()]
            self._coarse = self._coarse.grouped(groupings)
        self._groups = {**known, **fresh}
        return self._coarse


def _key(clique: Clique, groups: Groups) -> _Key:
    coarse = tuple((name, tuple(groups[name])) for name in clique if name in groups) if groups else ()
    return clique, coarse
