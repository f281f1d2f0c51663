import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.mixture import mixture_blocks
from synth.models.mixture.mixture_blocks import Blocks


def corner() -> Zero:
    forbidden = np.zeros((6, 5), dtype=bool)
    forbidden[:3, :2] = True
    return Zero(("a", "b"), forbidden)


DOMAIN = Domain(tuple("abcd"), (6, 5, 4, 3))


def test_connected_zeros_share_a_block_while_it_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden = np.eye(5, 4, dtype=bool)
    zeros = [corner(), Zero(("b", "c"), forbidden)]
    assert [b.columns for b in Blocks.of(DOMAIN, zeros).blocks] == [(0, 1, 2), (3,)]
    monkeypatch.setattr(mixture_blocks, "BLOCK_CELLS", 30)
    parted = Blocks.of(DOMAIN, zeros)
    assert [b.columns for b in parted.blocks] == [(0,), (1, 2), (3,)]
    assert [z.clique for z in parted.left] == [("a", "b")]


def test_zeros_that_leave_nothing_are_an_error() -> None:
    with pytest.raises(ValueError, match="no possible value"):
        Blocks.of(DOMAIN, [Zero(("a",), np.ones(6, dtype=bool))])


def test_codes_are_sums_of_cells_and_slopes_go_the_other_way() -> None:
    blocks = Blocks.of(DOMAIN, [corner()])
    shares = np.random.default_rng(0).random((blocks.size, 3)).astype(np.float32)
    codes, slopes = blocks.codes(shares), np.random.default_rng(1).random((18, 3)).astype(np.float32)
    own = shares[blocks.span(0)]
    np.testing.assert_allclose(codes[4], own[blocks.blocks[0].cells[:, 0] == 4].sum(axis=0), rtol=1e-5)
    assert np.vdot(codes, slopes) == pytest.approx(np.vdot(shares, blocks.cells(slopes)), rel=1e-4)


def test_a_pair_of_one_block_is_found_in_it_and_no_other() -> None:
    blocks = Blocks.of(DOMAIN, [corner()])
    found = blocks.inner(0, 1)
    assert found is not None and blocks.inner(1, 2) is None
    assert sorted(found[1].tolist()) == np.flatnonzero(~corner().forbidden.reshape(-1)).tolist()


@pytest.mark.parametrize("most", [1, 7, 8, 1000])
def test_batches_hold_every_cell_once_in_chunks(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture_blocks, "CACHED", 3 * most)
    blocks = Blocks.of(DOMAIN, [corner()])
    shares = np.random.default_rng(0).random((blocks.size, 3)).astype(np.float32)
    batches = blocks.batches(3)
    assert [len(batch.starts) for batch in batches] == {1: [1, 1, 1], 7: [1, 2], 8: [1, 2], 1000: [3]}[most]
    chunks = [chunk for batch in batches for chunk in batch.chunks]
    assert [cell for chunk in chunks for cell in range(blocks.size)[chunk]] == list(range(blocks.size))
    assert max(chunk.stop - chunk.start for chunk in chunks) <= most
    for batch in batches:
        whole = sum((batch.gathered(np.add, shares[chunk]) for chunk in batch.chunks), batch.nothing(shares))
        spread = np.broadcast_to(batch.spread(whole), shares[batch.span].shape)
        expected = [shares[blocks.block_of == block].sum(axis=0) for block in blocks.block_of[batch.span]]
        np.testing.assert_allclose(spread, expected, rtol=1e-5)
