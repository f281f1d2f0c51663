"""Where things lie in a bundle, and how its texts are written: names, JSON, fixed order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

REHEARSAL = "REHEARSAL"
"""The watermark: it stands in file names, the report, the statement and the README of a rehearsal."""

DATAPACKAGE = "datapackage.json"
README = "README.md"
LICENSE = "LICENSE.txt"
CITATION = "CITATION.cff"
CHECKSUMS = "CHECKSUMS.sha256"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The paths of a bundle, relative to its root; a rehearsal's carry the watermark in their names.

    >>> Layout(rehearsal=True).csv
    'data/REHEARSAL-synthetic.csv'
    """

    rehearsal: bool = False

    def _marked(self, path: str) -> str:
        place = PurePosixPath(path)
        return str(place.with_name(f"{REHEARSAL}-{place.name}")) if self.rehearsal else path

    @property
    def csv(self) -> str:
        return self._marked("data/synthetic.csv")

    @property
    def parquet(self) -> str:
        return self._marked("data/synthetic.parquet")

    @property
    def marginals(self) -> str:
        return self._marked("measurements/marginals.parquet")

    @property
    def measurements(self) -> str:
        return self._marked("measurements/measurements.json")

    @property
    def statement(self) -> str:
        return self._marked("privacy/statement.json")

    @property
    def report(self) -> str:
        return self._marked("report/privacy_report.html")

    @property
    def spec(self) -> str:
        return self._marked("config/spec.json")

    @property
    def checks(self) -> str:
        return self._marked("checks/checks.json")

    @property
    def dictionary(self) -> str:
        return self._marked("dictionary.csv")

    @property
    def registry(self) -> str:
        return self._marked("privacy/registry.yaml")

    @property
    def sdv(self) -> str:
        return self._marked("metadata/sdv_metadata.json")

    @property
    def croissant(self) -> str:
        return self._marked("metadata/croissant.json")

    @property
    def plain_report(self) -> str:
        return self._marked("report/privacy_report.md")

    @property
    def files(self) -> tuple[str, ...]:
        """Every file of a bundle but the list of checksums, sorted."""
        data = (self.csv, self.parquet, self.marginals, self.measurements)
        papers = (self.statement, self.report, self.plain_report, self.spec, self.checks)
        told_again = (self.dictionary, self.registry, self.sdv, self.croissant)
        return tuple(sorted((*data, *papers, *told_again, DATAPACKAGE, README, LICENSE, CITATION)))

    def zip_name(self, release: str) -> str:
        return f"release-{REHEARSAL}-{release}.zip" if self.rehearsal else f"release-{release}.zip"


def json_text(value: Any) -> str:
    """JSON as it lies in a bundle: UTF-8, two spaces, keys in the order given, floats that round-trip."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def canonical(value: Any) -> bytes:
    """One byte string per value: sorted keys, no blanks. What digests are taken of."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
