"""What the report is drawn from: the public facts of a run, as the run has them or as its files say them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.check.checks import Checks
from synth.evidence import Evidence
from synth.release import parquet
from synth.release.codes import table_codes
from synth.release.opened import Opened
from synth.rules import Rules, parse_rules
from synth.schema import Schema
from synth.schema_io import load_schema
from synth.synthesis import Privacy


class Reported(Protocol):
    """The part of a `pipeline.Synthesis` that the report shows.

    Shapes: `codes: int64[rows, columns]`, the synthetic rows in the codes of the evidence.
    """

    @property
    def schema(self) -> Schema: ...
    @property
    def evidence(self) -> Evidence: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def privacy(self) -> Privacy: ...
    @property
    def codes(self) -> NDArray[np.int64]: ...
    @property
    def checks(self) -> Checks: ...


@dataclass(frozen=True, eq=False)
class PublishedRun:
    """A `Reported` read from a bundle's own files, so that a report says nothing that they do not.

    Raises, in every part: `Mistake` where a file is missing or does not fit its form.
    """

    opened: Opened

    @property
    def evidence(self) -> Evidence:
        return self.opened.evidence

    @cached_property
    def schema(self) -> Schema:
        return load_schema(self.opened.spec["schema"])

    @cached_property
    def rules(self) -> Rules:
        return parse_rules(self.opened.spec["rules"], self.schema)

    @cached_property
    def privacy(self) -> Privacy:
        return self.opened.privacy()

    @cached_property
    def checks(self) -> Checks:
        return Checks.from_json(self.opened.checks)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        frame = parquet.read(self.opened.files[self.opened.layout.parquet])
        return table_codes(frame, self.evidence.codebook.axes, self.evidence.codebook.groupings)
