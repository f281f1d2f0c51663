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
"""A table to count: the positions of its columns, and the number of codes of each."""


class Engine(Hidden, ABC):
    """Stores the columns of one table and counts its rows.

    Counts are exact. An engine has an empty `repr` and cannot be pickled.

    The columns may be in memory, on a GPU, or in a database. No row leaves the engine, and the only numbers
    that leave it are the results of `counts` and `all_counts`. It writes nothing to a log, and leaves nothing
    on a disk after it is closed.
    """

    sees_rows: ClassVar[bool] = True
    """Whether the columns are available in memory for queries that counts cannot answer (`counting.rows`)."""

    @abstractmethod
    def __init__(self, columns: Sequence[NDArray[np.integer[Any]]]) -> None:
        """Store the columns: one array of non-negative codes per column.

        An engine that is not in `counting.ENGINES` may accept its table in a different form. Shapes: each
        array int[rows].
        """

    @abstractmethod
    def counts(
        self, axes: Sequence[int], shape: Sequence[int], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> NDArray[np.int64]:
        """Return the number of rows in every cell of the columns at these positions, in this order.

        `groups[axis][code]` is the group of a code of that column. The caller checks that the codes (or
        groups) of the i-th axis are below `shape[i]`, and that the table is not too large. Without axes, the
        table is a single cell that counts all rows.

        Shapes: a new array int64[shape].
        """

    def all_counts(
        self, requested: Sequence[Requested], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> list[NDArray[np.int64]]:
        """Return the `counts` of several tables, in the given order.

        A column has the same number of codes in all of them.

        An engine that can count several tables in one pass over the rows overrides this. Shapes: one new
        array int64[shape] per table.
        """
        return [self.counts(axes, shape, groups=groups) for axes, shape in requested]
