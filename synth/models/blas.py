"""One thread for linear algebra: the same sums in the same order wherever a run is replayed."""

from __future__ import annotations

from contextlib import AbstractContextManager

from threadpoolctl import ThreadpoolController

_CONTROLLER = ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Limit the linear algebra library to one thread inside a `with` block.

    Libraries split long sums by the number of threads, which changes the last bits; an answer that was
    stored for a question asked with other bits would no longer match. Small tables are also faster this way.
    """
    limit: AbstractContextManager[object] = _CONTROLLER.limit(limits=1, user_api="blas")
    return limit
