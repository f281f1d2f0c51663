from pathlib import Path

import pytest

from synth.analyst.kit import open_release
from synth.app.project.results.released import read
from synth.release.documents.panels import panels
from synth.release.opened import open_bundle


def test_a_report_shows_the_counts_that_results_and_the_kit_show(written: Path) -> None:
    shown, view = panels(open_bundle(written)), read(written)
    kit = open_release(written)
    for panel, column in zip(shown, view.columns, strict=True):
        assert panel.noisy is not None and panel.noisy == column.noisy and panel.margins == column.whisker
        table = kit.table([column.name])
        if len(table.cells) == len(panel.noisy):  # the kit names groups that cannot be told apart
            for count, margin, cell in zip(panel.noisy, panel.margins, table.cells, strict=True):
                assert cell.estimate == pytest.approx(max(count, 0.0), abs=1e-6)
                assert cell.interval[1] == pytest.approx(max(count + margin, 0.0), abs=1e-6) or count < 0
