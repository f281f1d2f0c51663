import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.records.variation import places_of, rate_at, varied

DOMAIN = Domain(("line", "kind", "mixed"), (21, 4, 6))
ORDERED = {"line": 21, "mixed": 5}


def moved(codes: np.ndarray, rate: float, zeros: tuple[Zero, ...] = ()) -> np.ndarray:
    rng = np.random.default_rng(0)
    return varied(codes, DOMAIN, rate=rate, ordered=ORDERED, zeros=zeros, rng=rng)


def test_codes_in_order_move_a_little_and_others_now_and_then() -> None:
    codes = np.tile([10, 1, 2], (4000, 1))
    near = moved(codes, 0.1)
    assert set(near[:, 0].tolist()) == {8, 9, 10, 11, 12} and set(near[:, 2].tolist()) == {2}
    changed = (near[:, 1] != 1).mean()
    assert changed == pytest.approx(0.1 * 3 / 4, abs=6 * (0.075 / 4000) ** 0.5)
    far = moved(codes, 0.5)
    assert far[:, 0].min() == 0 and far[:, 0].max() == 20, "none leaves its column"
    beside = moved(np.tile([10, 1, 5], (4000, 1)), 0.5)
    assert (beside[:, 2] == 5).mean() == pytest.approx(0.5 + 0.5 / 6, abs=0.05), "a missing code has no place"
    assert (codes == [10, 1, 2]).all()


def test_no_variation_is_in_a_forbidden_cell() -> None:
    forbidden = np.zeros((21, 4), dtype=bool)
    forbidden[:, 2:] = forbidden[11:, 1] = True
    codes = np.tile([10, 1, 2], (4000, 1))
    kept = moved(codes, 0.5, (Zero(("line", "kind"), forbidden),))
    assert not forbidden[kept[:, 0], kept[:, 1]].any() and len(np.unique(kept[:, :2], axis=0)) > 10


def test_the_rate_falls_from_a_half_to_a_hundredth() -> None:
    rates = [rate_at(t, 15) for t in range(20)]
    assert (
        rates[0] == 0.5
        and rates[1] == pytest.approx(0.215, abs=5e-4)
        and rates[14] == pytest.approx(0.0167, abs=5e-4)
    )
    assert rates == sorted(rates, reverse=True) and rates[-1] == pytest.approx(0.01)


def test_places_are_even_and_codes_beside_the_order_at_the_end() -> None:
    line, kind, mixed = places_of(DOMAIN, ORDERED)
    assert line[0] == 0 and line[-1] == 255 and set(np.diff(line)) <= {12, 13}
    assert kind == () and mixed == (0, 51, 102, 153, 204, 255)
