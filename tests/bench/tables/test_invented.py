import numpy as np

from synth.bench.tables.invented import SIZES, Chain, Grown


def test_grown_rows_are_like_their_table_and_do_not_repeat() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 50, 400)
    codes = np.stack([a, a, rng.permutation(400)], axis=1)
    rows = np.concatenate(list(Grown(rows=200_000).blocks(codes)))
    assert rows.shape == (200_000, 3) and rows.max(axis=0).tolist() == codes.max(axis=0).tolist()
    # a row keeps both cells with probability .95^2, and one drawn anew agrees once in 50
    kept, share = 0.95**2 + (1 - 0.95**2) / 50, np.mean(rows[:, 0] == rows[:, 1])
    assert abs(share - kept) < 0.01
    assert len(np.unique(rows, axis=0)) > 10 * 400
    assert np.array_equal(rows, np.concatenate(list(Grown(rows=200_000).blocks(codes))))


def test_a_chain_leans_on_its_left_neighbour_only() -> None:
    chain = Chain(columns=12, rows=20_000)
    (rows,) = chain.blocks()
    sizes = list(chain.sizes.values())
    assert sizes[:10] == list(SIZES) and len(sizes) == 12 and list(chain.sizes)[11] == "c011"
    assert (rows.min(axis=0) == 0).all() and (rows.max(axis=0) == np.array(sizes) - 1).all()
    near = np.mean((rows[:, 0] * 5 // 2 + 1) % 5 == rows[:, 1])
    assert 0.7 < near < 0.95
