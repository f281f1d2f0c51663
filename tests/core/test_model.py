from collections.abc import Iterable

import numpy as np

from synth.core.domain import Domain
from synth.core.model import Model, Projectable


class Uniform:
    domain = Domain(("a",), (2,))
    total = 4.0
    cliques = (("a",),)
    cells = 2
    converged = True

    def project(self, clique: tuple[str, ...]) -> np.ndarray:
        return np.full(self.domain.shape(clique), self.total / 2)

    def project_many(self, cliques: Iterable[tuple[str, ...]]) -> list[np.ndarray]:
        return [self.project(clique) for clique in cliques]

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(0, 2, size=(rows, 1))


def test_the_protocols_ask_for_their_members_and_no_more() -> None:
    assert isinstance(Uniform(), Model) and isinstance(Uniform(), Projectable)
    assert not isinstance(object(), Projectable)
