"""What the driver of every other library must do."""

import ast
import os
from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers import exchange
from synth.bench.peers.catalogue import PEERS
from synth.bench.tables.tables import BenchTable, read, schema_of


@pytest.mark.parametrize("name", PEERS)
def test_a_driver_imports_nothing_of_ours_and_its_versions_are_pinned(name: str) -> None:
    library = PEERS[name].library
    assert len(library.pinned) == len(library.installs) and library.neighbours and library.caveats
    nodes = list(ast.walk(ast.parse(library.driver.read_text())))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    assert names and not any(one.startswith("synth") for one in names)


@pytest.mark.long
@pytest.mark.skipif(
    "MARGINALIA_PEERS" not in os.environ, reason="installs other libraries: set MARGINALIA_PEERS=1"
)
@pytest.mark.parametrize("peer", PEERS)
def test_a_library_keeps_a_strong_relation(peer: str, tmp_path: Path) -> None:
    rows = "".join(f"{i % 3},{i % 3},{i % 2}\n" for i in range(6000))
    (tmp_path / "twins.csv").write_text("a,b,c\n" + rows)
    sizes = {"a": 3, "b": 3, "c": 2}
    table = BenchTable(name="twins", csv=tmp_path / "twins.csv", schema=schema_of("twins", sizes, ()))
    synthetic, figures = exchange.run(
        PEERS[peer], table, read(table), epsilon=20.0, delta=1e-9, seed=0, limit=600
    )
    codes = synthetic.codes
    assert np.mean(codes[:, 0] == codes[:, 1]) > 0.9 and figures["seconds"] < figures["process_seconds"]
