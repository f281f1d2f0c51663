import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.privbayes import PrivBayes
from synth.mechanisms.shared.base import Fitted, Problem
from synth.private.counting.codes import Codes
from synth.private.scores import SCALE, Dependence
from tests.mechanisms.examples import fit

DOMAIN = Domain(tuple("abcde"), (2, 2, 2, 5, 3))


def rows() -> np.ndarray:
    """Return rows with c = a xor b, which no pair shows. Column e depends on d."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, DOMAIN.sizes, size=(4000, 5))
    table[:, 2] = table[:, 0] ^ table[:, 1]
    table[:, 4] = np.where(rng.random(4000) < 0.8, table[:, 3] % 3, table[:, 4])
    return table


def fitted(rho: float, problem: Problem | None = None, **options: float) -> Fitted:
    return fit(PrivBayes(**options), rows(), DOMAIN, rho, problem)


def test_what_only_three_columns_show_together_is_found() -> None:
    truth = Codes.of(rows(), DOMAIN).counts(DOMAIN.axes(("a", "b", "c")))
    off = {k: np.abs(fitted(100.0, parents=k).model.project(("a", "b", "c")) - truth).sum() for k in (1, 2)}
    assert off[2] < 10 and off[1] > 2000


def test_every_child_is_new_and_its_parents_were_there() -> None:
    result = fitted(1.0)
    placed: set[str] = set()
    for choice in result.evidence.choices:
        score = choice.score
        assert isinstance(score, Dependence) and choice.swing == 4 * SCALE
        for clique, child in zip(score.cliques, score.children, strict=True):
            assert child not in placed and (not placed or set(clique) - {child} <= placed)
        placed |= set(choice.clique)
    assert placed == set(DOMAIN.names) and len(result.evidence.choices) == 4
    assert result.evidence.choices[0].clique == ("d", "e")


@pytest.mark.parametrize("rho, most", [(1e-7, 0), (1e-4, 12), (1.0, 60)])
def test_families_are_as_large_as_their_noise_allows(rho: float, most: int) -> None:
    cells = [DOMAIN.size(r) for choice in fitted(rho).evidence.choices for r in choice.score.cliques]
    assert max(cells, default=0) == most


def test_usefulness_is_counted_in_noise_per_cell() -> None:
    """There are 4,000 records and four families, so sigma = sqrt(4 / (2 * 0.55 rho)). At usefulness u, a
    family has at most 4000 / (u sqrt(2/pi) sigma) cells.
    """
    rho = 3e-4
    sigma = (4 / (2 * 0.55 * rho)) ** 0.5
    for u in (1.0, 2.0, 8.0):
        limit = 4000 / (u * (2 / np.pi) ** 0.5 * sigma)
        for choice in fitted(rho, usefulness=u).evidence.choices:
            assert all(DOMAIN.size(r) <= limit * (1 + 1e-6) for r in choice.score.cliques)
