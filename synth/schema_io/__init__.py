"""Schemas in and out: our JSON, Frictionless Table Schema, a dictionary written as CSV, a skeleton."""

from __future__ import annotations

from synth.schema_io.check import check_schema, problems, warnings
from synth.schema_io.dictionary import from_csv_dictionary, starter, starter_notes
from synth.schema_io.document import dump_schema, load_schema
from synth.schema_io.frictionless import from_frictionless, to_frictionless

__all__ = [
    "check_schema",
    "dump_schema",
    "from_csv_dictionary",
    "from_frictionless",
    "load_schema",
    "problems",
    "starter",
    "starter_notes",
    "to_frictionless",
    "warnings",
]
