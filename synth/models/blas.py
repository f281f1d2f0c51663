"""Limit linear algebra to one thread, so that a repeated run adds numbers in the same order."""

from __future__ import annotations

from contextlib import AbstractContextManager

from threadpoolctl import ThreadpoolController

_CONTROLLER = ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Limit the linear algebra library to one thread inside a `with` block.

    Libraries split long sums by the number of threads, which changes the last bits of the results. The query
    of a resumed run would then differ from the stored query, and the stored measurement could not be used.
    Small tables are also faster with one thread.
    """
    limit: AbstractContextManager[object] = _CONTROLLER.limit(limits=1, user_api="blas")
    return limit
