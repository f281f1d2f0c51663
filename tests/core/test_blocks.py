"""Test blocks of columns: each clique is in one, none is too large, and there are few of them."""

import math
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.blocks import MOST_COLUMNS, blocks


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(st.sampled_from([1, 2, 3, 20, 300, 70_000]), min_size=1, max_size=8),
    cells=st.sampled_from([0, 10, 1000, 65_535]),
    data=st.data(),
)
def test_every_clique_is_held_once_by_a_block(sizes: list[int], cells: int, data: st.DataObject) -> None:
    every = [c for k in (1, 2, 3) for c in combinations(range(len(sizes)), k)]
    cliques = data.draw(st.lists(st.sampled_from(every), max_size=12))
    found = blocks(cliques, dict(enumerate(sizes)), cells=cells)
    held = [clique for block in found.values() for clique in block]
    assert sorted(held) == sorted(set(cliques))
    for block, inside in found.items():
        assert list(block) == sorted(set(block)) and len(block) <= MOST_COLUMNS
        assert inside and all(set(clique) <= set(block) for clique in inside)
        assert math.prod(sizes[column] for column in block) <= cells or inside == (block,)


def test_pairs_of_columns_of_two_codes_need_few_passes() -> None:
    pairs = list(combinations(range(16), 2))
    assert list(blocks(pairs, dict.fromkeys(range(16), 2), cells=1 << 16)) == [tuple(range(16))]
    assert len(blocks(pairs, dict.fromkeys(range(16), 2), cells=1 << 8)) < len(pairs) / 8
