"""A figure on a page: a picture, a table and a text, all made from one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

Writing = Mapping[str, Callable[[Any], object]]
"""Functions that format the cells under each heading."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Figure:
    """Numbers with a picture and a text.

    `frame` contains the numbers, with one column per heading of the table. `written` formats the cells under
    each heading. `words` states the main finding for screen readers. `marks` is None for a table without a
    picture. A `confidential` figure is NOT PRIVATE: only the steward may see its numbers.
    """

    frame: pd.DataFrame
    words: str
    marks: go.Figure | None = None
    written: Writing = field(default_factory=dict)
    confidential: bool = False

    @property
    def table(self) -> pd.DataFrame:
        """Return the numbers as formatted text, which also suits screen readers."""
        read = {
            head: self.frame[head].map(write) for head, write in self.written.items() if head in self.frame
        }
        return self.frame.assign(**read)


def by_value(title: str, labels: Sequence[str], columns: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """Return a frame with a row per value of a column. If another heading equals `title`, `title` gets a
    suffix.
    """
    first = f"{title} (values)" if title in columns else title
    return pd.DataFrame({first: list(labels)} | {head: list(cells) for head, cells in columns.items()})
