"""Read and write schemas and data dictionaries in common formats."""

from __future__ import annotations

from synth.dictionaries.check import check_schema, problems
from synth.dictionaries.dictionary import starter, starter_notes
from synth.dictionaries.document import dump_schema, explicit, load_schema, stored
from synth.dictionaries.drafts import Draft, Format, labels_in, read_draft, tables_in
from synth.dictionaries.frictionless import to_frictionless
from synth.dictionaries.remarks import warnings

__all__ = [
    "Draft",
    "Format",
    "check_schema",
    "dump_schema",
    "explicit",
    "labels_in",
    "load_schema",
    "problems",
    "read_draft",
    "starter",
    "starter_notes",
    "stored",
    "tables_in",
    "to_frictionless",
    "warnings",
]
