import numpy as np
import pytest

from synth.core.measurements import nearest as module
from synth.core.measurements.nearest import LONGEST, nearest, points_of


@pytest.mark.parametrize(
    "columns", [3, 40, 90], ids=["single floats", "single floats, many", "double floats"]
)
def test_distances_are_exact_and_the_first_of_equals_wins(columns: int) -> None:
    """Test the far corner, where floats would round first, with candidates that differ from it by one
    step.
    """
    places = tuple(range(LONGEST + 1))
    points = [points_of(places, LONGEST + 1)] * columns
    corner = np.full((columns, 1), LONGEST)
    one_off = np.repeat(corner, columns, axis=1) - np.eye(columns, dtype=int)
    two_off = np.repeat(corner, columns, axis=1) - 2 * np.eye(columns, dtype=int)
    assert nearest(corner, np.concatenate([two_off, one_off], axis=1), points).tolist() == [columns]
    assert nearest(corner, np.concatenate([two_off, one_off, corner], axis=1), points).tolist() == [
        2 * columns
    ]


def test_no_record_decides_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    points = [points_of(tuple(range(0, 240, 8)), 30), points_of((), 7), points_of(tuple(range(50)), 50)]
    sizes = (30, 7, 50)
    records = np.stack([rng.integers(0, n, 500) for n in sizes])
    candidates = np.stack([rng.integers(0, n, 60) for n in sizes])
    found = nearest(records, candidates, points)
    monkeypatch.setattr(module, "AT_A_TIME", 7)
    order = rng.permutation(500)
    np.testing.assert_array_equal(nearest(records[:, order], candidates, points), found[order])
    alone = [int(nearest(records[:, [i]], candidates, points)[0]) for i in range(50)]
    assert alone == found[:50].tolist() and nearest(records[:, :0], candidates, points).shape == (0,)
