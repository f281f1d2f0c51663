"""One thread for linear algebra."""

import numpy as np
from threadpoolctl import ThreadpoolController

from synth.models.blas import one_thread


def threads() -> set[int]:
    info = ThreadpoolController().info()
    return {library["num_threads"] for library in info if "numpy" in library["filepath"]}


def test_inside_there_is_one_thread_and_outside_what_was_before() -> None:
    assert np.ones(2) @ np.ones(2) == 2.0
    before = threads()
    with one_thread():
        assert threads() == {1}
    assert threads() == before
