"""A figure on a page: a picture, a table and a text, all from one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

Writing = Mapping[str, Callable[[Any], object]]
"""The format of the cells under a heading."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Figure:
    """Numbers with their picture and their text.

    `frame` contains the numbers, one column per heading of the table; `written` formats the cells under a
    heading. `words` state the finding in a sentence, for screen readers. `marks` is None for a table without
    a picture. A `confidential` figure is NOT PRIVATE: its numbers are only for the steward, in the picture
    and in the table.
    """

    frame: pd.DataFrame
    words: str
    marks: go.Figure | None = None
    written: Writing = field(default_factory=dict)
    confidential: bool = False

    @property
    def table(self) -> pd.DataFrame:
        """Format the numbers for readers and screen readers."""
        read = {
            head: self.frame[head].map(write) for head, write in self.written.items() if head in self.frame
        }
        return self.frame.assign(**read)


def by_value(title: str, labels: Sequence[str], columns: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """Return a frame with a row per value of a column; if `title` is also another heading, it gets a
    suffix.
    """
    first = f"{title} (values)" if title in columns else title
    return pd.DataFrame({first: list(labels)} | {head: list(cells) for head, cells in columns.items()})
