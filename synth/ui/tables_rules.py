"""The picture of a rule as a table to read or to hear."""

from __future__ import annotations

import pandas as pd

from synth.project.rules import Picture
from synth.ui.charts_rules import state_of
from synth.ui.text import rules as text


def blocks(picture: Picture) -> pd.DataFrame:
    """One row per value (of the column drawn downwards), with the values of the other in three lists."""
    rows = []
    for label, parts in zip(picture.labels_down, picture.removed, strict=True):
        by_state: dict[str, list[str]] = {state: [] for state in text.STATES}
        for name, removed in zip(picture.labels_across, parts, strict=True):
            by_state[state_of(removed)].append(name)
        first = {picture.down: label} if picture.down else {}
        lists = zip(text.TABLE_HEADS, by_state.values(), strict=True)
        rows.append(first | {head: ", ".join(names) for head, names in lists})
    return pd.DataFrame(rows)
