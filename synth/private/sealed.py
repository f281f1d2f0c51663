"""Ensure that an error on the private side carries only a code, and no object with rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec, TypeVar

from synth.core.errors import Code, Refusal, is_disk_full

P = ParamSpec("P")
R = TypeVar("R")


def sealed(code: Code = Code.INTERNAL) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that handles private rows so that it can raise only a `Refusal`.

    Any exception becomes `Refusal(code)`, or `Refusal(DISK_FULL)` if a disk is full; a `Refusal` keeps its
    own code. The new exception is raised after the handler has ended, because `raise ... from None` inside it
    would still carry the old exception as `__context__`, with its text and the frames that hold values.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except Refusal as refusal:
                outcome = refusal.code
            except Exception as error:
                outcome = Code.DISK_FULL if is_disk_full(error) else code
            raise Refusal(outcome)

        return guarded

    return decorate


class Hidden:
    """Base class of objects with private rows, exact counts or a secret.

    They have an empty `repr`, and they cannot be copied or pickled.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUERY_INVALID)
