"""Define what counts the rows of a private table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import CodeColumn
from synth.core.errors import Code, Refusal

NO_GROUPS: Mapping[Any, Any] = {}

Asked = tuple[Sequence[int], Sequence[int]]
"""A table by the positions of its columns and the number of codes of each."""


class Engine(ABC):
    """Holds the columns of one table and counts its rows. Exact, and neither shown nor pickled.

    The columns may be here, on a GPU, or in a database. No row leaves the engine, and no numbers except those
    of `counts`, `all_counts`, `sums` and `votes`. It writes nothing to a log, and to no disk that outlives
    it.
    """

    sees_rows: ClassVar[bool] = True
    """Whether it can compute sums of waves and votes; an engine that only gets counts refuses both."""

    @abstractmethod
    def __init__(self, columns: Sequence[NDArray[np.integer[Any]]]) -> None:
        """Take the columns: non-negative codes, one array per column, all of `rows` rows.

        An engine that is not in `counting.ENGINES` may take its table in another form. Shapes: every array
        int[rows].
        """

    @abstractmethod
    def counts(
        self, axes: Sequence[int], shape: Sequence[int], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> NDArray[np.int64]:
        """Return how many rows are in every cell of the columns at these positions, in this order.

        `groups[axis][code]` is the group of a code of that column. Codes (or groups) of the i-th axis are
        below `shape[i]`, which the caller checks, as well as the size of the table. Without axes there is one
        cell, which has all rows.

        Shapes: a new array int64[shape].
        """

    def all_counts(
        self, asked: Sequence[Asked], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> list[NDArray[np.int64]]:
        """Return the `counts` of several tables, in their order. A column has the same shape in all of them.

        An engine that gets several tables from one pass over the rows overrides this. Shapes: new arrays
        int64[shape], one per table.
        """
        return [self.counts(axes, shape, groups=groups) for axes, shape in asked]

    @abstractmethod
    def sums(
        self,
        axes: Sequence[int],
        shape: Sequence[int],
        *,
        frequencies: NDArray[np.uint16],
        wave: NDArray[np.integer[Any]],
        by: int | None = None,
        groups: Mapping[int, CodeColumn] = NO_GROUPS,
    ) -> NDArray[np.int64]:
        """Return sums of a wave over the rows.

        These are sums of wave[phase], where the phase of a row at a frequency is the sum of code times
        frequency over all axes, modulo the length of the wave. With `by`, they are summed for every code of
        the axis at that position in `axes`, whose frequencies are not used; without, in one sum. A row with a
        code (or group) that is not below `shape` is in no sum. Exact integers.

        Shapes: `frequencies` uint16[f, axes]; `wave` [2^16 or a power of two below, m]; a new array
        int64[shape[by] or 1, f, m].
        """

    @abstractmethod
    def votes(
        self,
        axes: Sequence[int],
        shape: Sequence[int],
        *,
        candidates: NDArray[np.int64],
        points: Sequence[NDArray[np.int64]],
        by: int | None = None,
        groups: Mapping[int, CodeColumn] = NO_GROUPS,
    ) -> NDArray[np.int64]:
        """Return how many rows are nearest to each candidate, the first of equally near ones.

        The distance is the squared one between points, added over all axes except the one at position `by` in
        `axes`, if given: a row votes only among the candidates with its own code of it, and not at all if
        no candidate has it. A row with a code (or group) that is not below `shape` does not vote. Exact:
        integers, and no row's vote depends on another row.

        Shapes: `candidates` int64[m, axes]; `points[i]` int64[shape[i], any], each coordinate of at most 255;
        a new array int64[m].
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUERY_INVALID)
