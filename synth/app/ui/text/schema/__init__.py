"""Texts of the Columns page. Each panel has its own module."""

from __future__ import annotations

LEAD = (
    "Define the possible values of each column. Use public documentation, not the file: values read from "
    "the file would reveal private information."
)

NEXT_UNSAVED = "Correct the line of the grid that cannot be saved."
