"""Every pair measured once, and a copula of them."""

from __future__ import annotations

from synth.core.domain import Domain
from synth.mechanisms.copula import CopulaOfAllPairs
from synth.mechanisms.shared.base import Occasion, Prospect


def test_what_is_known_of_a_run_beforehand() -> None:
    mechanism = CopulaOfAllPairs()
    wide = mechanism.outlook(Domain(tuple(map(str, range(50))), (32,) * 50), k=2)
    assert wide is not None and wide.fastest < 3 < wide.slowest and 9 < wide.model_mb < 10
    share = mechanism.first_pass(Prospect(sizes=(32,) * 50, rows=160_000, sigma=30))
    assert share is not None and 0.08 < share < 0.66
    assert CopulaOfAllPairs(columns_share=0.2).first_pass(Prospect(sizes=(2, 3))) == 0.2
    occasion = Occasion(columns=50, k=2, seconds=60, epsilon=1)
    assert not mechanism.is_avoided(occasion)
    assert mechanism.is_avoided(Occasion(columns=50, k=3, seconds=60, epsilon=1))
