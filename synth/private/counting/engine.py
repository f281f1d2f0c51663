"""The interface of an engine that counts the rows of a private table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import CodeColumn
from synth.private.sealed import Hidden

NO_GROUPS: Mapping[Any, Any] = {}

Requested = tuple[Sequence[int], Sequence[int]]
"""A table, given as the positions of its columns and the number of codes of each."""


class Engine(Hidden, ABC):
    """An engine: stores the columns of one table and counts its rows. Counts are exact, and the engine is
    neither shown nor pickled.

    The columns may be in memory, on a GPU, or in a database. No row leaves the engine, and no number except
    the results of `counts` and `all_counts`. It writes nothing to a log, and nothing to a disk that outlives
    it.
    """

    sees_rows: ClassVar[bool] = True
    """Whether its columns are available in memory, for queries that counts cannot answer (`counting.rows`).
    """

    @abstractmethod
    def __init__(self, columns: Sequence[NDArray[np.integer[Any]]]) -> None:
        """Store the columns: non-negative codes, one array per column, each with `rows` rows.

        An engine that is not in `counting.ENGINES` may accept its table in another form. Shapes: every array
        int[rows].
        """

    @abstractmethod
    def counts(
        self, axes: Sequence[int], shape: Sequence[int], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> NDArray[np.int64]:
        """Return the number of rows in every cell of the columns at these positions, in this order.

        `groups[axis][code]` is the group of a code of that column. The caller checks that the codes (or
        groups) of the i-th axis are below `shape[i]`, and that the table is not too large. Without axes,
        there is one cell with all rows.

        Shapes: a new array int64[shape].
        """

    def all_counts(
        self, requested: Sequence[Requested], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> list[NDArray[np.int64]]:
        """Return the `counts` of several tables, in their order. A column has the same shape in all of them.

        An engine that can count several tables in one pass over the rows overrides this. Shapes: new arrays
        int64[shape], one per table.
        """
        return [self.counts(axes, shape, groups=groups) for axes, shape in requested]
