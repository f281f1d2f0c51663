"""Where things lie in a bundle, and how its texts are written: names, JSON, fixed order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

REHEARSAL = "REHEARSAL"
"""The watermark: it stands in file names, the report, the statement and the README of a practice run."""

DATAPACKAGE = "datapackage.json"
README = "README.md"
LICENSE = "LICENSE.txt"
CITATION = "CITATION.cff"
CHECKSUMS = "CHECKSUMS.sha256"


@dataclass(frozen=True)
class _Place:
    """A path that carries the watermark in a practice run."""

    path: str

    def __get__(self, layout: Layout | None, _: type[Layout]) -> str:
        place = PurePosixPath(self.path)
        return str(place.with_name(f"{REHEARSAL}-{place.name}")) if layout and layout.rehearsal else self.path


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The paths of a bundle, relative to its root; a practice run's carry the watermark in their names.

    >>> Layout(rehearsal=True).csv
    'data/REHEARSAL-synthetic.csv'
    """

    rehearsal: bool = False

    csv = _Place("data/synthetic.csv")
    parquet = _Place("data/synthetic.parquet")
    marginals = _Place("measurements/marginals.parquet")
    measurements = _Place("measurements/measurements.json")
    statement = _Place("privacy/statement.json")
    report = _Place("report/privacy_report.html")
    plain_report = _Place("report/privacy_report.md")
    spec = _Place("config/spec.json")
    checks = _Place("checks/checks.json")
    dictionary = _Place("dictionary.csv")
    registry = _Place("privacy/registry.yaml")
    sdv = _Place("metadata/sdv_metadata.json")
    croissant = _Place("metadata/croissant.json")

    @property
    def files(self) -> tuple[str, ...]:
        """Every file of a bundle but the list of checksums, sorted."""
        marked = (getattr(self, name) for name, place in vars(Layout).items() if isinstance(place, _Place))
        return tuple(sorted((*marked, DATAPACKAGE, README, LICENSE, CITATION)))

    def zip_name(self, release: str) -> str:
        return f"release-{REHEARSAL}-{release}.zip" if self.rehearsal else f"release-{release}.zip"


def json_text(value: Any) -> str:
    """JSON as it lies in a bundle: UTF-8, two spaces, keys in the order given, floats that round-trip."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def canonical(value: Any) -> bytes:
    """One byte string per value: sorted keys, no blanks. What digests are taken of."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def marked(release: Mapping[str, Any], title: str) -> str:
    """The title of a release where it is named alone; `release` is the statement's part of that name."""
    return f"{REHEARSAL}, not a release: {title}" if release["rehearsal"] else title
