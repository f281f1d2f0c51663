"""Schemas in and out: our JSON, Frictionless Table Schema, SDV metadata, a CSV dictionary, a skeleton."""

from __future__ import annotations

from synth.schema_io.check import check_schema, problems
from synth.schema_io.dictionary import from_csv_dictionary, starter, starter_notes
from synth.schema_io.document import dump_schema, load_schema
from synth.schema_io.drafts import Draft, Format, read_draft, tables_in
from synth.schema_io.frictionless import from_frictionless, to_frictionless
from synth.schema_io.remarks import warnings
from synth.schema_io.sdv import from_sdv

__all__ = [
    "Draft",
    "Format",
    "check_schema",
    "dump_schema",
    "from_csv_dictionary",
    "from_frictionless",
    "from_sdv",
    "load_schema",
    "problems",
    "read_draft",
    "starter",
    "starter_notes",
    "tables_in",
    "to_frictionless",
    "warnings",
]
