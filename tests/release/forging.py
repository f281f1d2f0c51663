"""Edits of documents, as a forger makes them."""

from collections.abc import Callable
from typing import Any

GONE = object()


def put(*way: str | int, to: Any) -> Callable[[Any], None]:
    """An edit that puts `to`, or what it makes of the value, at a place of a document; `GONE` removes it."""

    def edit(document: Any) -> None:
        *outer, last = way
        for name in outer:
            document = document[name]
        if to is GONE:
            del document[last]
        else:
            document[last] = to(document[last]) if callable(to) else to

    return edit
