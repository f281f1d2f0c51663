"""What counts the rows of a private table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from synth.domain import CodeColumn
from synth.errors import Code, Refusal

NO_GROUPS: Mapping[Any, Any] = {}


class Engine(ABC):
    """Holds the columns of one table and counts its rows. Exact, and neither shown nor pickled.

    Where the columns lie (here, on a GPU, in a database) is the engine's own business; no row, and no count
    but those of `counts`, leaves it. It writes nothing to a log or a disk that outlives it.
    """

    @abstractmethod
    def __init__(self, columns: Sequence[NDArray[np.integer[Any]]]) -> None:
        """Take the columns: non-negative codes, one array per column, all of `rows` rows.

        Shapes: every array int[rows].
        """

    @abstractmethod
    def counts(
        self, axes: Sequence[int], shape: Sequence[int], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> NDArray[np.int64]:
        """How many rows lie in every cell of the columns at these positions, in this order.

        `groups[axis][code]` is what a code of that column counts as. Codes (or groups) of the i-th axis are
        below `shape[i]`, which is checked by who asks, as is the size of the table. Without axes there is one
        cell, which holds all rows.

        Shapes: a new array int64[shape].
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUESTION_INVALID)
