import json
import zlib
from typing import Any

import numpy as np
import pytest

from synth.private.scores.base import packed, unpacked


@pytest.mark.parametrize("largest", [0, 5, 2**31 - 1, 2**31, 2**60])
def test_numbers_come_back_as_they_were_packed(largest: int) -> None:
    tables = [np.array([[1, -largest], [largest, 0]]), np.array([], dtype=np.int64), np.arange(3)]
    stated, found = unpacked(packed({"cliques": [["a", "b"]]}, tables))
    assert stated["cliques"] == [["a", "b"]] and len(found) == 3
    assert all(np.array_equal(one, other) for one, other in zip(tables, found, strict=True))


@pytest.mark.parametrize("state", [b"", b"{}", b"nonsense", packed({}, [np.arange(9)])[:-4]])
def test_what_was_not_packed_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError):
        unpacked(state)


@pytest.mark.parametrize(
    "stated", [{"shapes": [[-5]]}, {"shapes": [[1 << 60]]}, {"kind": "<f8"}, {"shapes": 3}]
)
def test_an_impossible_state_is_refused_before_memory_is_taken(stated: dict[str, Any]) -> None:
    line, _, body = packed({}, [np.arange(9)]).partition(b"\n")
    with pytest.raises(ValueError):
        unpacked(json.dumps(json.loads(line) | stated).encode() + b"\n" + body)


def test_a_state_of_an_earlier_version_is_still_read() -> None:
    table = np.arange(6).reshape(2, 3)
    line = json.dumps({"a": 1, "shapes": [[2, 3]], "kind": "<i4"}).encode()
    stated, (found,) = unpacked(line + b"\n" + zlib.compress(table.astype("<i4").tobytes(), 1))
    assert stated["a"] == 1 and (found == table).all()
