from __future__ import annotations

import os
from collections.abc import Callable

import pytest

PEER = "smartnoise-mst"


def test_the_driver_imports_nothing_of_ours(imports: Callable[[str], list[str]]) -> None:
    names = imports(PEER)
    assert names and not any(name.startswith("synth") for name in names)


@pytest.mark.long
@pytest.mark.skipif(
    "MARGINALIA_PEERS" not in os.environ, reason="installs another library: set MARGINALIA_PEERS=1"
)
@pytest.mark.parametrize("method", ["mst", "aim"])
def test_the_library_keeps_a_strong_relation(
    keeps_a_strong_relation: Callable[[str, str], None], method: str
) -> None:
    keeps_a_strong_relation(PEER, method)
