import numpy as np
import torch

from synth.models.networks.network_torch import NetworkTask
from synth.models.networks.relaxed_torch import relax, sparsemax


def test_sparsemax_is_the_nearest_distribution() -> None:
    """The test checks optimality: no step towards a corner of the simplex comes closer."""
    rows = torch.randn(50, 6, generator=torch.Generator().manual_seed(0)) * 2
    found = sparsemax(rows)
    assert torch.allclose(found.sum(dim=1), torch.ones(50)) and float(found.min()) >= 0
    towards_corners = torch.eye(6)[None] - found[:, None]
    inner = ((rows - found)[:, None] * towards_corners).sum(dim=2)
    assert float(inner.max()) < 1e-5
    assert 0.1 < float((found == 0).float().mean()) < 0.9, "and it is sparse, unlike a softmax"


def task() -> NetworkTask:
    """Return two columns of two codes with a diagonal table, and rows in which the columns are
    independent.
    """
    pairs, weights = np.zeros((4, 4), dtype=np.float32), np.zeros((4, 4), dtype=np.float32)
    pairs[:2, 2:] = pairs[2:, :2] = np.diag([0.75, 0.25])
    weights[:2, 2:] = weights[2:, :2] = 100.0
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 30)).astype(np.float32)
    return NetworkTask(
        heads=(2, 2),
        spread=None,
        linear=np.array([0.75, 0.25] * 2, dtype=np.float32),
        linear_weights=np.zeros(4, dtype=np.float32),
        pairs=pairs,
        pair_weights=weights,
        base=None,
        pull=0.0,
        inputs=np.stack([one, 1 - one, other, 1 - other], axis=1),
    )


def moved(requested: NetworkTask) -> np.ndarray:
    return relax(requested, steps=200, rate=0.05, device="cpu", on_step=lambda *_: None)


def test_rows_move_until_their_table_is_the_answer_and_stay_distributions() -> None:
    rows = moved(task())
    np.testing.assert_allclose(rows[:, :2].sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(rows[:, :2].T @ rows[:, 2:] / 30, np.diag([0.75, 0.25]), atol=0.02)
    assert (rows == 0).mean() > 0.1, "a softmax would have none"
