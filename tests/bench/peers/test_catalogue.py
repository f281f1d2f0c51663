from __future__ import annotations

import pytest

from synth.bench.peers.catalogue import PEERS


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_has_a_driver_pinned_versions_and_a_word_on_privacy(name: str) -> None:
    library = PEERS[name].library
    assert library.driver.is_file() and PEERS[name].name == name
    assert len(library.pinned) == len(library.installs)
    assert library.neighbours and library.caveats and all(c.endswith(".") for c in library.caveats)
