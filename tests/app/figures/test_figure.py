"""A table is written from the frame that the picture is drawn from."""

from __future__ import annotations

import pandas as pd

from synth.app.figures.figure import Figure, by_value


def test_a_table_writes_the_cells_of_its_frame_and_keeps_the_numbers() -> None:
    frame = pd.DataFrame({"Part": ["a", "b"], "Share": [0.25, None]})
    figure = Figure(frame=frame, words="w", written={"Share": lambda v: "-" if pd.isna(v) else f"{v:.0%}"})
    assert figure.table.to_dict("list") == {"Part": ["a", "b"], "Share": ["25%", "-"]}
    assert figure.frame["Share"][0] == 0.25


def test_a_column_that_is_called_like_a_heading_keeps_its_values() -> None:
    frame = by_value("Synthetic", ["a", "b"], {"Synthetic": [3.0, 1.0]})
    assert frame.to_dict("list") == {"Synthetic (values)": ["a", "b"], "Synthetic": [3.0, 1.0]}
