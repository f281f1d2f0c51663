import numpy as np

from synth.core.domain import Domain
from synth.core.model import Model
from synth.models.records.record_table import WeightedRecords

DOMAIN = Domain(("a", "b"), (3, 2))
MODEL = WeightedRecords(DOMAIN, 10.0, np.array([[0, 0], [2, 1], [0, 1]]), np.array([5.0, 3.0, 2.0]))


def test_tables_are_sums_of_weights() -> None:
    assert isinstance(MODEL, Model) and MODEL.cliques == (("a", "b"),) and MODEL.cells == 9
    assert MODEL.project(("a", "b")).tolist() == [[5, 2], [0, 0], [0, 3]]
    assert MODEL.project(("a",)).tolist() == [7, 0, 3] and MODEL.project(()).tolist() == 10
    assert [t.tolist() for t in MODEL.project_many([("b",), ("b", "a")])] == [[5, 5], [[5, 0, 0], [2, 0, 3]]]


def test_records_come_as_often_as_they_weigh() -> None:
    codes = MODEL.sample(100, np.random.default_rng(0))
    assert [(codes == record).all(axis=1).sum() for record in MODEL.codes] == [50, 30, 20]
    assert MODEL.sample(0, np.random.default_rng(0)).shape == (0, 2)
    seven = MODEL.sample(7, np.random.default_rng(1))
    often = np.array([(seven == record).all(axis=1).sum() for record in MODEL.codes])
    assert np.abs(often - [3.5, 2.1, 1.4]).max() < 1
