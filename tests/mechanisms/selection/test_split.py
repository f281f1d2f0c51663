import numpy as np
import pytest

from synth.mechanisms.selection import split as split_module
from synth.mechanisms.selection.split import (
    one_way_share,
    shrunken_errors,
    sigma_grid,
    split,
    thresholded_errors,
)


def price(sigma: float) -> float:
    return 1 / (2 * sigma**2)


def test_the_one_way_share_grows_as_the_budget_shrinks_within_its_limits() -> None:
    shares = [one_way_share((100, 10, 2), total=10_000, sigma=s) for s in (0.01, 1.0, 10.0, 40.0, 1e5)]
    assert shares == sorted(shares) and shares[0] == 0.08
    assert shares[-1] == pytest.approx(0.65, abs=0.01)
    assert one_way_share((100,), total=1e5, sigma=5.0) < one_way_share((100,), total=1e3, sigma=5.0)
    assert one_way_share((1, 1), total=0.0, sigma=5.0) == 0.08


def test_narrow_columns_are_told_by_their_pairs_and_get_less() -> None:
    """Twenty binary columns have as many free cells as one column of 21 codes."""
    narrow = one_way_share((2,) * 20, total=10_000, sigma=50.0)
    wide = one_way_share((21,), total=10_000, sigma=50.0)
    assert narrow == 0.08 < wide < 0.65


def test_a_cell_that_is_thresholded_errors_is_off_by_its_noise_or_its_departure_whichever_is_less() -> None:
    expected = np.array([[100.0, 1.0], [10.0, 1000.0]])
    sigmas = np.array([0.1, 10.0, 1e6])
    noise = np.sqrt(2 / np.pi) * sigmas
    wanted = [np.minimum(0.5 * expected, n).sum() for n in noise]
    np.testing.assert_allclose(thresholded_errors(expected, 0.5, sigmas), wanted)
    assert (shrunken_errors(expected, 0.5, sigmas) < wanted).all()


def test_a_cell_is_off_by_what_shrinking_leaves_of_its_noise_and_its_departure() -> None:
    """Normal departures with normal noise are drawn and shrunk optimally."""
    expected, sigmas = np.array([[100.0, 1.0], [10.0, 1000.0]]), np.array([0.1, 10.0, 300.0, 1e6])
    rng, draws, strength = np.random.default_rng(0), 200_000, 0.5
    spread = strength / np.sqrt(2 / np.pi) * expected.ravel()
    wanted = []
    for sigma in sigmas:
        departure = rng.normal(0.0, spread, (draws, 4))
        noisy = departure + rng.normal(0.0, sigma, (draws, 4))
        left = np.abs(noisy * spread**2 / (spread**2 + sigma**2) - departure)
        wanted.append(left.mean(axis=0).sum())
    stated = shrunken_errors(expected, strength, sigmas)
    np.testing.assert_allclose(stated, wanted, rtol=0.01)  # the mean of the largest cell has .0017
    assert stated[0] < stated[1] < stated[2] < stated[3] == pytest.approx(strength * expected.sum(), rel=1e-4)


def test_cells_of_about_one_size_are_taken_together_at_hardly_any_loss() -> None:
    expected, sigmas = np.random.default_rng(1).lognormal(2.0, 2.0, (30, 30)), sigma_grid(20.0)
    spread = 0.3 / np.sqrt(2 / np.pi) * expected
    each = [
        np.sqrt(2 / np.pi) * (spread * sigma / np.hypot(spread, sigma)).sum() for sigma in sigmas.tolist()
    ]
    np.testing.assert_allclose(shrunken_errors(expected, 0.3, sigmas), each, rtol=2e-3)


def test_where_nothing_departs_nothing_is_off() -> None:
    assert not shrunken_errors(np.array([[3.0, 0.0]]), 0.0, sigma_grid(1.0)).any()


def test_without_shrinkage_the_split_is_the_two_thirds_rule() -> None:
    cells = np.array([10.0, 80.0, 640.0])
    sigmas = sigma_grid(20.0)
    costs = cells[:, None] * sigmas
    costs[:, -1] = 1e12
    prices, _ = split(costs, sigmas, rho=0.01, price=price)
    assert prices.sum() == pytest.approx(0.01)
    shares = cells ** (2 / 3) / (cells ** (2 / 3)).sum()
    np.testing.assert_allclose(prices / 0.01, shares, rtol=0.35)  # a grid step is 41% in price


def test_what_is_not_worth_its_price_is_not_bought() -> None:
    sigmas = sigma_grid(1.0)
    useless, useful = np.full(len(sigmas), 5.0), np.minimum(100 * sigmas, 1000.0)
    prices, cost = split(np.array([useless, useful]), sigmas, rho=1.0, price=price)
    assert prices.tolist() == [0.0, 1.0] and cost < 5 + 1000


def test_prices_sum_to_the_budget_unless_nothing_is_worth_it() -> None:
    rng = np.random.default_rng(0)
    sigmas = sigma_grid(3.0)
    for rho in (1e-9, 1e-3, 1e3):
        tables = [rng.exponential(50, size=n) for n in (4, 30, 200)]
        costs = np.array([shrunken_errors(t, 0.7, sigmas) for t in tables])
        prices, _ = split(costs, sigmas, rho=rho, price=price)
        assert prices.sum() == pytest.approx(rho, rel=1e-9) or not prices.any()


@pytest.mark.parametrize("seed", range(6))
def test_known_tables_would_be_measured_alike_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The costs are the same as if every table were evaluated for every multiplier. This holds for any batch
    size, and for tables whose best sigma changes at one multiplier.
    """
    monkeypatch.setattr(split_module, "TABLES_AT_A_TIME", (7, 1000)[seed % 2])
    rng, sigmas = np.random.default_rng(seed), sigma_grid(20.0)
    expected = rng.exponential(50.0, (40, 30))
    costs = np.array([shrunken_errors(e, 0.4, sigmas) for e in expected[rng.integers(0, 40, 90)]])
    costs[:, -1] = 0.4 * costs[:, -1] + rng.integers(0, 2, 90) * costs[:, 0]
    prices, rho = np.array([*(price(s) for s in sigmas[:-1]), 0.0]), 0.3 * 0.7**seed
    low, high = -80.0, 80.0
    for _ in range(80):
        middle = (low + high) / 2
        chosen = np.argmin(costs + np.exp(middle) * prices, axis=1)
        low, high = (middle, high) if prices[chosen].sum() > rho else (low, middle)
    chosen = np.argmin(costs + np.exp(high) * prices, axis=1)
    estimated, cost = split(costs, sigmas, rho=rho, price=price)
    np.testing.assert_allclose(estimated, prices[chosen] * rho / prices[chosen].sum())
    assert cost == pytest.approx(costs[np.arange(90), chosen].sum())
    assert len({*chosen.tolist()}) > 1
