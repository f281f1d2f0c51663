"""Numbers are not finer than they deserve."""

from __future__ import annotations

import pytest

from synth.app.figures.words import count, distance


@pytest.mark.parametrize(("number", "words"), [(9.96, "10.0"), (10.4, "10"), (12_345.0, "12,345")])
def test_an_error_is_not_finer_than_it_deserves(number: float, words: str) -> None:
    assert count(number) == words


@pytest.mark.parametrize(("share", "words"), [(0.0, "under 0.1%"), (0.099, "9.9%"), (1.0, "100%")])
def test_a_distance_is_not_finer_than_it_deserves(share: float, words: str) -> None:
    assert distance(share) == words
