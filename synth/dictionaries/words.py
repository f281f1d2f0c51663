"""Define the names of fields in messages about a declared table, as in a file or as the labels of a form."""

from __future__ import annotations

from dataclasses import dataclass

from synth.core.schema import Column


@dataclass(frozen=True, kw_only=True)
class Words:
    """The names of the fields that the steward enters, as in a schema document. A form replaces them with its
    labels.

    `open_kind` has the placeholder `must`, and `end_missing` has the placeholders `end` and `field`. If
    `by_title` is true, remarks use the titles of columns.
    """

    provenance: str = "'provenance'"
    open_kind: str = "'kind' is still to be filled in; it must be {must}"
    drop: str = " (kind 'drop')"
    id_place: str = "in the schema's 'unit'"
    values_missing: str = "the list of 'values' is missing"
    end_missing: str = "the {end} value {field!r} is missing"
    buy_list: str = "set 'buy' to true to estimate it with part of the budget"
    buy_range: str = "set 'buy' to true"
    buy_numbers: str = "set 'kind' to integer, decimal or date, and 'buy' to true"
    not_from_file: str = "estimate it, or set 'file_is_public' to true"
    bins: str = "'bins'"
    step: str = "'step'"
    cuts: str = "'cuts'"
    ask_bins: str = "say 'bins'"
    points_outside: str = "every number in 'points' must be between 'min' and 'max'"
    by_title: bool = False

    def called(self, column: Column) -> str:
        """Return the name of a column in a message: its name in the file, or the title that a form shows."""
        return column.heading if self.by_title else column.name


FIELD_NAMES = Words()
