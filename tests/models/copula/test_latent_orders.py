"""An estimated order for the codes of unordered columns."""

import numpy as np

from synth.core.domain import Domain
from synth.models.coarse import Coarsening
from synth.models.copula.latent_orders import latent_orders
from synth.models.targets import NoisyTable, Targets


def targets(table: np.ndarray, sigma: float, ordered: dict[str, int]) -> Targets:
    domain = Domain(("a", "b"), table.shape)
    return Targets(
        coarsening=Coarsening(domain, ()),
        total=float(table.sum()),
        columns=(table.sum(axis=1), table.sum(axis=0)),
        sigmas=(1.0, 1.0),
        pairs={(0, 1): NoisyTable(table, sigma)},
        zeros=(),
        ordered=ordered,
    )


BAND = np.exp(-0.5 * np.subtract.outer(np.arange(6.0), np.arange(6.0)) ** 2) * 1000


def test_codes_that_others_tell_apart_most_lie_at_the_ends() -> None:
    shuffle = np.array([2, 5, 0, 3, 1, 4])
    orders = latent_orders(targets(BAND[shuffle], 1.0, {"b": 6}))
    along = shuffle[orders[0]].tolist()
    assert along in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0])
    assert orders[1].tolist() == list(range(6)), "a declared order stays"


def test_a_rare_code_whose_relations_are_lost_in_noise_is_not_put_at_an_end() -> None:
    table = np.vstack([BAND, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 2.0])])
    order = latent_orders(targets(table, 30.0, {"b": 6}))[0].tolist()
    assert 0 < order.index(6) < 6


def test_two_codes_and_columns_without_a_pair_keep_theirs() -> None:
    assert latent_orders(targets(BAND[:2], 1.0, {}))[0].tolist() == [0, 1]
    alone = targets(BAND, 1.0, {})
    bare = Targets(**{**vars(alone), "pairs": {}})
    assert [o.tolist() for o in latent_orders(bare)] == [list(range(6))] * 2
