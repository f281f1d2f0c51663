"""Open a finished package for reading.

This module is used by the report, the pages of the app, `verify`, and the generation of further tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.core.axis import domain_of
from synth.core.columns.published import Modelled, published_axes
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.request import MEANS_SHARE, PREPROCESS_SHARE, SHARES_PART, People
from synth.core.schema import Neighbours, Schema
from synth.core.system.device import AUTO
from synth.core.table import CodeTable
from synth.dictionaries import load_schema, stored
from synth.release import csv_text, parquet
from synth.release.checks.checks import Checks
from synth.release.codes import table_codes
from synth.release.documents import measurements
from synth.release.documents.statement import UNUSED, claimed_law
from synth.release.layout import Layout
from synth.release.plan import Plan
from synth.release.reading.files import files_of
from synth.release.synthesis import Privacy, Spend
from synth.rules import Rules, labelled, parse_rules


@dataclass(frozen=True, eq=False, kw_only=True)
class Bundle:
    """The files of a bundle by path, and its parts as objects.

    The class checks nothing; `release.verify` does. The report is made from such a bundle, so it contains
    only information from the files. Every property raises `Mistake` if a file is missing or has the wrong
    format.
    """

    files: Mapping[str, bytes]

    @property
    def layout(self) -> Layout:
        return Layout(rehearsal=Layout(rehearsal=True).statement in self.files)

    def json(self, path: str) -> dict[str, Any]:
        """Return the content of a JSON file."""
        try:
            document: dict[str, Any] = json.loads(self.files[path].decode("utf-8"))
        except KeyError:
            raise Mistake(f"{path} is missing.") from None
        except ValueError:
            raise Mistake(f"{path} is not JSON.") from None
        return document

    @cached_property
    def statement(self) -> dict[str, Any]:
        """Return the privacy statement, which `statement.schema.json` describes."""
        return self.json(self.layout.statement)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """Return the request that `bundle.spec` wrote."""
        return self.json(self.layout.spec)

    @cached_property
    def schema(self) -> Schema:
        """Return the schema as declared. In contrast, the schema of the evidence includes the estimated
        domains.
        """
        return load_schema(stored(self.spec["schema"]))

    @cached_property
    def rules(self) -> Rules:
        return parse_rules(self.spec["rules"], self.schema)

    @cached_property
    def checks(self) -> Checks:
        """Return the checks as they were written.

        Up to version 0.5.0, the sentences of rules contained codes instead of labels.
        """
        found = Checks.from_json(self.json(self.layout.checks))
        return replace(
            found,
            violations={labelled(rule, self.schema): rows for rule, rows in found.violations.items()},
            shares=tuple(replace(s, sentence=labelled(s.sentence, self.schema)) for s in found.shares),
        )

    @cached_property
    def evidence(self) -> Evidence:
        """Return the codes and the noisy tables, which are equal to the codes and tables of the run."""
        described = self.json(self.layout.measurements)
        return measurements.read(described, self.files.get(self.layout.marginals, b""))

    @cached_property
    def text(self) -> str:
        """Return the CSV text of the table."""
        try:
            return self.files[self.layout.csv].decode("utf-8")
        except (KeyError, UnicodeDecodeError):
            raise Mistake(f"{self.layout.csv} is missing, or is not UTF-8.") from None

    @cached_property
    def table(self) -> csv_text.Parsed:
        """Return the synthetic table, and the numbers of its cells that are outside the declared domain."""
        return csv_text.read(self.text, published_axes(self.evidence.codebook))

    @cached_property
    def values(self) -> pd.DataFrame:
        """Return the modelled columns of the rows in the CSV. If the CSV has band names, the values come from
        the Parquet file.
        """
        named = [axis for axis in self.evidence.codebook.axes if axis.column.holds_bands]
        frame = self.table.frame
        if named:
            precise = parquet.read(self.files[self.layout.parquet])
            frame = frame.assign(**{a.name: csv_text.as_read(precise[a.name], a) for a in named})
        schema = self.evidence.codebook.schema
        return frame if schema.published == schema.modelled else Modelled(frame, schema).frame()

    @cached_property
    def codes(self) -> NDArray[np.unsignedinteger[Any]]:
        """Return the synthetic rows in the codes of the evidence. Shapes: unsigned[rows, columns]."""
        codebook = self.evidence.codebook
        table = Modelled(parquet.ByColumn(self.files[self.layout.parquet]), codebook.schema)
        return table_codes(table, codebook.axes, codebook.groupings)

    def coded(self) -> CodeTable:
        """Return the synthetic rows in the codes of the axes, without groupings."""
        codebook = self.evidence.codebook
        table = Modelled(parquet.read(self.files[self.layout.parquet]), codebook.schema)
        return CodeTable(domain_of(codebook.axes), table_codes(table, codebook.axes, ()))

    def plan(
        self,
        *,
        generator: str | None = None,
        generator_options: Mapping[str, Any] | None = None,
        rows: int | None = None,
        seed: int = 0,
        device: str = AUTO,
    ) -> Plan:
        """Return the plan of the run for `pipeline.regenerate`.

        By default, the plan has the generator and the number of rows of the run. If the generator is the
        same, missing options are also taken from the run.
        """
        spec = self.spec
        own = self.statement["method"]["generator"]
        generator = generator or own
        if generator_options is None:
            generator_options = spec.get("generator_options", {}) if generator == own else {}
        return Plan(
            schema=self.schema,
            rules=self.rules,
            epsilon=spec["epsilon"],
            delta=spec["delta"],
            method=spec["method"],
            options=spec["options"],
            generator=generator,
            generator_options=dict(generator_options),
            compress=spec.get("compress", False),
            rows=spec["rows"] if rows is None else rows,
            workload=spec["workload"],
            confidence=spec["confidence"],
            preprocess_share=spec.get("preprocess_share", PREPROCESS_SHARE),
            verdict=spec.get("verdict", 0.0),
            shares_part=spec.get("shares_part", SHARES_PART),
            forecast=spec.get("forecast", {}),
            means=tuple(spec.get("means", ())),
            means_share=spec.get("means_share", MEANS_SHARE),
            people=People(spec.get("people", People.UNDECLARED)),
            new_to=tuple(spec.get("new_to", ())),
            seed=seed,
            device=device,
        )

    @cached_property
    def privacy(self) -> Privacy:
        """Return the privacy guarantee and its cost as stated in the statement."""
        statement = self.statement
        spends = tuple(
            Spend(
                part=part["part"],
                question=q["question"],
                cliques=tuple(tuple(clique) for clique in q["cliques"]),
                units=q["units"],
                step=q["step"],
            )
            for part in statement["spend"]
            if part["part"] != UNUSED
            for q in part["questions"]
        )
        return Privacy(
            epsilon=statement["epsilon"],
            delta=statement["delta"],
            delta_of_lists=statement["budget"]["delta_for_bought_lists"],
            units=statement["budget"]["reserved_units"],
            spent_units=statement["budget"]["spent_units"],
            neighbours=Neighbours(statement["neighbours"]),
            unit=self.schema.unit,
            population=statement["history"]["population"],
            spends=spends,
            receipt=statement["receipt"],
            rehearsal=statement["release"]["rehearsal"],
            law=claimed_law(statement),
        )


def open_bundle(path: str | Path) -> Bundle:
    """Return a bundle from its folder or its zip. Raises: `Mistake` if there is no bundle at `path`."""
    return Bundle(files=files_of(path))


def zip_of(folder: str | Path) -> Path:
    """Return the path of the zip in the folder of a bundle. Raises: `Mistake` if there is no zip."""
    archives = sorted(Path(folder).glob("release-*.zip"))
    if len(archives) != 1:
        raise Mistake(f"There is no release package at {str(folder)!r}: it has no release-<id>.zip.")
    return archives[0]


def is_zip(path: str) -> bool:
    """Whether a file of a package is the zip of the other files."""
    return fnmatch(path, "release-*.zip")
