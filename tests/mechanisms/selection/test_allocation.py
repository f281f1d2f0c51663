import math

import pytest

from synth.core.domain import Domain
from synth.mechanisms.selection.allocation import shares

DOMAIN = Domain(("a", "b"), (2, 54))
WEIGHTS = {("a",): 3.0, ("b",): 1.0, ("a", "b"): 0.5}


def error(parts: dict[tuple[str, ...], float]) -> float:
    return sum(WEIGHTS[r] * DOMAIN.size(r) / math.sqrt(part) for r, part in parts.items())


def test_no_other_split_of_the_same_price_has_a_smaller_expected_error() -> None:
    best = shares(DOMAIN, WEIGHTS)
    assert sum(best.values()) == pytest.approx(1.0)
    for giver in WEIGHTS:
        for taker in WEIGHTS:
            if giver != taker:
                assert error({**best, giver: best[giver] - 1e-3, taker: best[taker] + 1e-3}) > error(best)


def test_what_is_not_wanted_is_not_asked() -> None:
    with pytest.raises(ValueError, match="above zero"):
        shares(DOMAIN, {("a",): 0.0})
