"""Mark the best value of one metric, in words and in bold. No score combines several metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq
from typing import TypeVar

Value = TypeVar("Value")
TIGHT = "\N{NO-BREAK SPACE}"
_BEST, _EQUAL = "best", f"among{TIGHT}the{TIGHT}best"


def smallest(values: Sequence[float | None]) -> frozenset[int]:
    """Return the positions of the smallest number, or none if fewer than two numbers are known."""
    return level(values, key=float, ties=eq)


def level(
    values: Sequence[Value | None], *, key: Callable[[Value], float], ties: Callable[[Value, Value], bool]
) -> frozenset[int]:
    """Return the positions of the smallest value by `key` and of its ties, or none if fewer than two are
    known.
    """
    numbers = [v for v in values if v is not None]
    if len(numbers) < 2:
        return frozenset()
    first = min(numbers, key=key)
    return frozenset(
        place for place, v in enumerate(values) if v is not None and (v is first or ties(v, first))
    )


def marked(words: Sequence[str], best: frozenset[int]) -> list[str]:
    """Return the words, with the best ones in bold and labelled. If all are equal, nothing is marked.

    >>> marked(["3", "3"], frozenset({0, 1}))
    ['3', '3']
    >>> marked(["3%", "5%"], frozenset({0}))
    ['**3%** (best)', '5%']
    >>> [word.replace(TIGHT, " ") for word in marked(["3", "3", "5"], frozenset({0, 1}))]
    ['**3** (among the best)', '**3** (among the best)', '5']
    """
    if len(best) == len(words):
        return list(words)
    name = _BEST if len(best) == 1 else _EQUAL
    return [f"**{word}** ({name})" if place in best else word for place, word in enumerate(words)]
