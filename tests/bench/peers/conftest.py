"""What every driver of another library is held to: each `test_drive_<library>.py` names its peer."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers import exchange
from synth.bench.peers.catalogue import PEERS
from synth.bench.tables.tables import BenchTable, read, schema_of


@pytest.fixture
def imports() -> Callable[[str], list[str]]:
    """The modules that a peer's driver imports."""

    def names(peer: str) -> list[str]:
        tree = ast.parse(PEERS[peer].library.driver.read_text())
        return [
            str(name)
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        ]

    return names


@pytest.fixture
def keeps_a_strong_relation(tmp_path: Path) -> Callable[[str, str], None]:
    """Two columns that are equal stay so under a method of the library, within the time of its process."""

    def check(peer: str, method: str) -> None:
        rows = "".join(f"{i % 3},{i % 3},{i % 2}\n" for i in range(6000))
        (tmp_path / "twins.csv").write_text("a,b,c\n" + rows)
        sizes = {"a": 3, "b": 3, "c": 2}
        table = BenchTable(name="twins", csv=tmp_path / "twins.csv", schema=schema_of("twins", sizes, ()))
        driven = replace(PEERS[peer], method=method)
        synthetic, figures = exchange.run(
            driven, table, read(table), epsilon=20.0, delta=1e-9, seed=0, limit=600
        )
        codes = synthetic.codes
        assert np.mean(codes[:, 0] == codes[:, 1]) > 0.9 and figures["seconds"] < figures["process_seconds"]

    return check
