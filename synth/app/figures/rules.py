"""The figure of a rule: which combinations it takes away."""

from __future__ import annotations

import pandas as pd

from synth.app.figures.figure import Figure, by_value
from synth.app.figures.marks import NEUTRAL, NOISY, REST, blocks, finish
from synth.app.project.describe.rules import Picture
from synth.core.numbers import TIMES

_STATES = {
    "impossible": ("impossible", NOISY, "x"),
    "partly": ("partly impossible", NEUTRAL, "/"),
    "possible": ("possible", REST, ""),
}
"""Word, colour and pattern of a block of combinations; no two share both."""

_LINE, _MARGIN = 26, 130


def combinations(picture: Picture) -> Figure:
    """One block per combination: crossed where the rule excludes it, hatched where it excludes a part.

    The table has one row per value (of the column drawn downwards), with the values of the other in three
    lists.
    """
    across, down = picture.labels_across, picture.labels_down
    blocked = [(x, y, _state(gone)) for y, row in enumerate(picture.removed) for x, gone in enumerate(row)]
    spots = pd.DataFrame(blocked, columns=["x", "y", "state"])
    upper = [f"{picture.down}: {label}<br>" if picture.down else "" for label in down]
    spots["hover"] = [f"{upper[y]}{picture.across}: {across[x]}" for x, y, _ in blocked]
    marks = blocks(spots, _STATES, across=across, down=down, size=0.92, solidity=0.3)
    is_tilted = sum(map(len, across)) > 70
    finish(marks, height=_MARGIN + _LINE * len(down) + 70 * is_tilted)
    marks.update_xaxes(tickangle=-40 if is_tilted else 0, title=picture.across)
    marks.update_yaxes(title=picture.down)
    lists = {
        name.capitalize(): [
            ", ".join(across[x] for x, y, state in blocked if (y, state) == (line, wanted))
            for line in range(len(down))
        ]
        for wanted, (name, _, _) in _STATES.items()
    }
    rest = f" Averaged over {', '.join(picture.also)}." if picture.also else ""
    if picture.cells > picture.blocks:
        rest += f" They stand for {picture.cells:,} combinations."
    number, names = picture.counts(), TIMES.join(filter(None, (picture.down, picture.across)))
    blocks_in_words = (
        f"{number['impossible']} blocks impossible, {number['partly']} partly, {number['possible']} possible"
    )
    frame = by_value(picture.down, down, lists) if picture.down else pd.DataFrame(lists)
    return Figure(frame=frame, marks=marks, words=f"Grid of {names}: {blocks_in_words}.{rest}")


def _state(removed: float) -> str:
    """The state of a block of combinations, given which part of it a rule removes."""
    return "impossible" if removed >= 1 else "possible" if removed <= 0 else "partly"
