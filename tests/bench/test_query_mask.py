from __future__ import annotations

import numpy as np
import pytest
import torch

from synth.bench.query_mask import QueryMask, gram_task
from synth.models.networks.network_torch import GramLoss


def test_the_mask_of_the_paper_and_one_product_are_the_same_loss_with_the_same_gradient() -> None:
    rng, sizes = np.random.default_rng(0), (3, 2, 4)
    answered = {
        (0,): (rng.random(3), 2.0),
        (2,): (rng.random(4), 0.5),
        (0, 1): (rng.random((3, 2)), 1.5),
        (1, 2): (rng.random((2, 4)), 3.0),
    }
    logits = torch.as_tensor(rng.standard_normal((6, 9)), dtype=torch.float32)
    logs = torch.cat([part.log_softmax(1) for part in logits.split(list(sizes), 1)], 1).requires_grad_()
    gram = GramLoss(gram_task(sizes, answered, batch=6), "cpu")
    ours, theirs = gram.misfit(*gram.sums(logs)[:2]), QueryMask(sizes, answered)(logs)
    assert 2 * ours.item() == pytest.approx(theirs.item(), rel=1e-5)
    slopes = [torch.autograd.grad(loss, logs)[0] for loss in (2 * ours, theirs)]
    torch.testing.assert_close(*slopes, rtol=1e-4, atol=1e-6)
