from __future__ import annotations

import pytest

from synth.bench.target_look import xor_block


@pytest.mark.parametrize("among", [2, 3, 4])
def test_an_xor_is_found_and_its_label_is_right_in_most_records(among: int) -> None:
    found, right = xor_block(among, seed=0)
    assert found and right > 0.95
