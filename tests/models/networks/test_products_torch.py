"""Fast operations return the same values and gradients as the standard operations of torch."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from synth.models.networks import products_torch
from synth.models.networks.products_torch import gram, layer, log_softmaxes, times


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def slopes(value: Callable[..., torch.Tensor], *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the value and the gradients of its unevenly weighted sum."""
    leaves = [x.detach().clone().requires_grad_() for x in given]
    found = value(*leaves)
    weights = random(*found.shape, seed=9).to(found.dtype)
    return found.detach(), *torch.autograd.grad((weights * found).sum(), leaves)


def agree(first: tuple[torch.Tensor, ...], second: tuple[torch.Tensor, ...], tolerance: float = 2e-5) -> None:
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        torch.testing.assert_close(one.double(), other.double(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("fast", [True, False])
def test_a_product_does_not_depend_on_memory_order(fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fast:
        monkeypatch.setattr(products_torch, "onednn", lambda: None)
    x, y = random(7, 20), random(20, 11, seed=1)
    lies = {
        "rows": (x, y),
        "columns": (x.T.contiguous().T, y.T.contiguous().T),
        "gaps": (random(7, 40)[:, 5:25], random(30, 40, seed=2)[10:, 3:14]),
        "steps": (random(14, 40)[::2, ::2], random(40, 11, seed=3)[::2]),
        "empty": (x[:0], y),
        "nothing between": (x[:, :0], y[:0]),
        "doubles": (x.double(), y.double()),
    }
    for a, b in lies.values():
        found = times(a, b)
        assert found.shape == (len(a), b.shape[1]) and found.dtype == a.dtype
        torch.testing.assert_close(found.double(), a.double() @ b.double(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("cells", [(3, 4, 5), (2, 90, 40)], ids=["narrow", "wide"])
@pytest.mark.parametrize("numbers", [0, 6])
def test_a_layer_multiplies_and_has_that_gradient(cells: tuple[int, ...], numbers: int) -> None:
    rng = torch.Generator().manual_seed(3)
    firsts, total = torch.tensor([0, *cells[:-1]]).cumsum(0), sum(cells)
    ones = torch.stack([torch.randint(0, size, (9,), generator=rng) for size in cells], dim=1) + firsts
    dense = torch.zeros(9, total).scatter_(1, ones, 1.0)
    assert dense.sum() == ones.numel()
    x, weights = random(9, numbers), random(5, numbers + total, seed=4)
    assert (total <= products_torch.NARROW * len(cells)) == (total < 40)
    wanted = slopes(lambda x, w: torch.cat([x, dense.double()], dim=1) @ w.T, x.double(), weights.double())
    agree(slopes(lambda x, w: layer(x, ones, w), x, weights), wanted)


def test_a_gram_matrix_has_the_gradient_of_uneven_weights_too() -> None:
    x = random(8, 5)
    agree(slopes(gram, x), slopes(lambda x: x.T @ x, x.double()))


@pytest.mark.parametrize("heads", [[4, 4, 4], [2, 6, 4]], ids=["even", "uneven"])
def test_every_head_is_a_distribution_of_its_own_however_far_apart_heads_are(heads: list[int]) -> None:
    x = random(6, 12)
    x[0, :4] += 300.0
    x[1, 5] = 1e4
    wanted = slopes(
        lambda x: torch.cat([functional.log_softmax(part, dim=1) for part in x.split(heads, dim=1)], dim=1),
        x.double(),
    )
    agree(slopes(lambda x: log_softmaxes(x, heads), x), wanted, tolerance=1e-4)
    turned = x.T.contiguous().T
    agree(slopes(lambda x: log_softmaxes(x, heads), turned), wanted, tolerance=1e-4)
