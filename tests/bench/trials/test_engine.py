from __future__ import annotations

import pytest

from synth.bench.trials import engine
from synth.core.graphs.triangulation import cells_of


@pytest.mark.parametrize("cells", [3_000, 100_000])
def test_a_structure_holds_nearly_as_many_cells_as_it_may(cells: int) -> None:
    graph, masks = engine.structure(cells)
    assert 0.5 * cells < graph.cells <= cells
    assert cells_of(graph.masks, engine.SIZES) == graph.cells
    assert len(set(masks)) == len(masks) > len(engine.SIZES)
    assert all(any(mask & clique == mask for clique in graph.masks) for mask in masks)


def test_a_sweep_is_timed_at_the_size_it_came_out_at() -> None:
    found = engine.sweep(20_000, repeats=2)
    assert found["cells"] == engine.structure(20_000)[0].cells
    assert found["sweep_seconds"] > 0.0 and found["plan_seconds"] > 0.0


@pytest.mark.parametrize("kind", engine.NOISE)
def test_noise_is_timed_per_draw_and_per_sigma(kind: str) -> None:
    found = engine.noise(kind, 5.0, draws=20_000, repeats=2)
    assert found["draw_nanoseconds"] > 1.0 and found["new_sigma_seconds"] > 0.0
