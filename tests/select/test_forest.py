from __future__ import annotations

import pytest

from synth.select.forest import Forest


def test_two_grown_trees_become_one() -> None:
    forest = Forest("abcde")
    for edge in ("ab", "cd", "bd"):
        forest.join(*edge)
    assert forest.joined("a", "c") and not forest.joined("a", "e")


def test_an_edge_that_closes_a_circle_is_refused() -> None:
    forest = Forest("abc")
    forest.join("a", "b")
    forest.join("b", "c")
    with pytest.raises(ValueError, match="circle"):
        forest.join("c", "a")
