"""Tests specific to Ballot. `test_tabpe` tests what Tab-PE and Ballot share."""

import numpy as np

from synth.mechanisms.learned.ballot import Ballot
from tests.mechanisms.learned.test_tabpe import DOMAIN, fitted, right, rows


def test_columns_come_as_they_are_and_all_votes_count() -> None:
    found = fitted(Ballot(rounds=6, candidates=100, label="c"))
    for i, name in enumerate(DOMAIN.names):
        truth = np.bincount(rows()[:, i], minlength=DOMAIN.sizes[i])
        assert np.abs(found.model.project((name,)) - truth).sum() < 0.02 * len(rows())
    assert right(found) > 0.8


def test_candidates_are_drawn_by_weight() -> None:
    """If a few records have nearly all of the weight, they are candidates."""
    found = fitted(Ballot(rounds=6, candidates=100, label="c"))
    on = []
    for answer in found.evidence.numbers:
        codes = np.array(answer.requested["candidates"])
        line = np.where(codes[:, 2] == 0, codes[:, 0], 23 - codes[:, 0])
        on.append(float((np.abs(codes[:, 1] - line) <= 2).mean()))
    assert on[-1] > on[0] + 0.3
