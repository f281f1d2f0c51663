"""What the published forms are timed by, on a table of four people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.bench import literal_pace, literal_particles
from synth.bench.tables import BenchTable, schema_of


def small(at: Path, rows: int) -> BenchTable:
    codes = np.random.default_rng(0).integers(0, 3, (rows, 3))
    np.savetxt(at / "small.csv", codes, fmt="%d", delimiter=",", header="a,b,c", comments="")
    return BenchTable(
        name="small", csv=at / "small.csv", schema=schema_of("small", dict.fromkeys("abc", 3), "abc")
    )


def test_a_step_is_the_difference_of_two_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that counts the steps of the network: one step is one tick, whatever a fit costs besides."""
    ticks = 0.0

    class Clock:
        @staticmethod
        def process_time() -> float:
            return ticks

    class Network:
        def __init__(self, *, as_published: bool, steps: int, batch: int) -> None:
            assert as_published and batch == 7
            self.steps = steps

        def fit(self, evidence: object, *, device: str) -> None:
            nonlocal ticks
            ticks += 100 + self.steps

    monkeypatch.setattr(literal_pace, "time", Clock)
    monkeypatch.setattr(literal_pace, "NetworkGenerator", Network)
    monkeypatch.setattr(literal_pace, "find", lambda name: small(tmp_path, 40))
    literal_pace.network_pace.cache_clear()
    assert literal_pace.network_pace("small", 7) == 1.0
    literal_pace.network_pace.cache_clear()


def test_particles_are_paced_on_all_pairs_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {}

    def pace(tables: dict[tuple[int, int], np.ndarray], columns: int, **more: int) -> literal_particles.Pace:
        asked.update(tables)
        assert columns == 3 and set(more) == {"epochs", "iterations"}
        return literal_particles.Pace(epoch=1.0, projection=2.0, whole=3.0)

    monkeypatch.setattr(literal_pace, "pace", pace)
    monkeypatch.setattr(literal_pace, "find", lambda name: small(tmp_path, 40))
    literal_pace.particle_pace.cache_clear()
    assert literal_pace.particle_pace("small").whole == 3.0
    literal_pace.particle_pace.cache_clear()
    assert set(asked) == {(0, 1), (0, 2), (1, 2)}
    assert all(table.shape == (3, 3) and table.sum() == pytest.approx(1.0) for table in asked.values())
