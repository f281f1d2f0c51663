"""What every engine has from its base: it keeps what it holds to itself."""

import copy
import pickle

import numpy as np

from synth.core.errors import Code
from synth.private.counting.engine import Engine
from tests.refusals import refused


class Toy(Engine):
    def __init__(self, columns: list[np.ndarray]) -> None:
        self.columns = columns

    def counts(self, axes: list[int], shape: list[int], *, groups: object = None) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)


def test_an_engine_is_neither_shown_nor_copied_nor_pickled() -> None:
    engine = Toy([np.array([8151], dtype=np.uint16)])
    assert repr(engine) == str(engine) == "Toy()"
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with refused(Code.QUERY_INVALID):
            attempt(engine)
