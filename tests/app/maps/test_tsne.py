import numpy as np
import pytest

from synth.app.maps import tsne
from synth.app.maps.tsne import draw
from synth.core.domain import Domain
from synth.core.table import CodeTable

DOMAIN = Domain(("age", "ward", "work"), (12, 4, 3))
ORDERED = {"age": 11}


def town(seed: int, rows: int = 150, *, wards: tuple[int, ...] = (0, 1)) -> CodeTable:
    """Two groups of people that differ in every column."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, rows)
    codes = [group * 6 + rng.integers(0, 3, rows), np.array(wards)[group], group]
    return CodeTable(DOMAIN, np.stack(codes, axis=1))


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tsne, "EARLY", 50)
    monkeypatch.setattr(tsne, "LATE", 100)


def drawn(**tables: CodeTable) -> tsne.Atlas:
    return draw(tables, ordered=ORDERED, points_of=frozenset({"synthetic", "other"}), rows=120)


@pytest.mark.parametrize("crowd", [2, tsne.CROWD])
def test_different_groups_lie_apart_and_equal_do_not(crowd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether forces are interpolated or summed."""
    monkeypatch.setattr(tsne, "CROWD", crowd)
    atlas = drawn(synthetic=town(0), other=town(1))
    one, other = (np.array(sheet.depth) < 0.9 for sheet in atlas.sheets)
    assert (one & other).sum() > 0.6 * (one | other).sum()
    away = drawn(synthetic=town(0), other=town(1, wards=(2, 3)))
    one, other = (np.array(sheet.depth) < 0.9 for sheet in away.sheets)
    assert (one & other).sum() < 0.3 * (one | other).sum()


def test_a_table_that_was_not_named_leaves_no_point_of_its_rows() -> None:
    atlas = drawn(real=town(0), synthetic=town(1, rows=400))
    assert [len(sheet.points) for sheet in atlas.sheets] == [0, 120]
    assert atlas.rows == 120
