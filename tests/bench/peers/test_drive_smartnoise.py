from __future__ import annotations

import ast
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers import exchange
from synth.bench.peers.catalogue import PEERS
from synth.bench.tables import BenchTable, read, schema_of

PEER = PEERS["smartnoise-mst"]


def test_the_driver_imports_nothing_of_ours() -> None:
    tree = ast.parse(PEER.library.driver.read_text())
    names = [
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    ]
    assert names and not any(str(name).startswith("synth") for name in names)


@pytest.mark.slow
@pytest.mark.skipif(
    "MARGINALIA_PEERS" not in os.environ, reason="installs another library: set MARGINALIA_PEERS=1"
)
@pytest.mark.parametrize("method", ["mst", "aim"])
def test_the_library_keeps_a_strong_relation(tmp_path: Path, method: str) -> None:
    rows = "".join(f"{i % 3},{i % 3},{i % 2}\n" for i in range(6000))
    (tmp_path / "twins.csv").write_text("a,b,c\n" + rows)
    sizes = {"a": 3, "b": 3, "c": 2}
    table = BenchTable(name="twins", csv=tmp_path / "twins.csv", schema=schema_of("twins", sizes, ()))
    peer = replace(PEER, method=method)
    synthetic, figures = exchange.run(peer, table, read(table), epsilon=20.0, delta=1e-9, seed=0, limit=600)
    codes = synthetic.codes
    assert np.mean(codes[:, 0] == codes[:, 1]) > 0.9 and figures["seconds"] < figures["process_seconds"]
