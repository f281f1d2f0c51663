"""Paths in a release package, and the format of its JSON files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

REHEARSAL = "REHEARSAL"
"""The watermark of a practice run, in file names, the report, the statement and the README."""

DATAPACKAGE = "datapackage.json"
README = "README.md"
LICENSE = "LICENSE.txt"
CITATION = "CITATION.cff"
CHECKSUMS = "CHECKSUMS.sha256"

LINE = 500
"""Maximum length of a list, or of an item of a list, on one line of a JSON file."""

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class _Place:
    """A path that contains the watermark if the run is a practice run."""

    path: str

    def __get__(self, layout: Layout | None, _: type[Layout]) -> str:
        place = PurePosixPath(self.path)
        return str(place.with_name(f"{REHEARSAL}-{place.name}")) if layout and layout.rehearsal else self.path


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The paths in a bundle, relative to its root. File names of a practice run contain the watermark.

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
    notebook = _Place("first_steps.ipynb")
    script = _Place("first_steps.R")

    @property
    def later(self) -> tuple[str, ...]:
        """Return the paths of documents that packages of earlier versions do not have."""
        return (self.notebook, self.script)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the paths of all files of a bundle except the list of checksums, sorted."""
        marked = (getattr(self, name) for name, place in vars(Layout).items() if isinstance(place, _Place))
        return tuple(sorted((*marked, DATAPACKAGE, README, LICENSE, CITATION)))

    def zip_name(self, release: str) -> str:
        return f"release-{REHEARSAL}-{release}.zip" if self.rehearsal else f"release-{release}.zip"


def json_text(value: Any) -> str:
    """Return a value as the JSON text of a file in a package.

    The text is UTF-8, with keys in the given order and with floats that are read back exactly. Each field of
    an object has its own line, and so has each item of a list. Lists and their items of at most `LINE`
    characters are not divided.
    """
    return _lines(value, "\n") + "\n"


def _lines(value: Any, end: str) -> str:
    """Return a value as JSON. `end` is the end of a line and the indentation of the next one."""
    inner = end + "  "
    if isinstance(value, dict) and value:
        fields = [f"{_JSON.encode(str(key))}: {_lines(part, inner)}" for key, part in value.items()]
        return "{" + inner + f",{inner}".join(fields) + end + "}"
    text = _JSON.encode(value)
    if len(text) <= LINE or not isinstance(value, list | tuple):
        return text
    items = [one if len(one := _JSON.encode(item)) <= LINE else _lines(item, inner) for item in value]
    return "[" + inner + f",{inner}".join(items) + end + "]"


def canonical(value: Any) -> bytes:
    """Return the bytes from which the digest of a value is computed: JSON with sorted keys and no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def marked(release: Mapping[str, Any], title: str) -> str:
    """Return the title of a release, for places that show no other details of it.

    `release` is the part of the statement with this name.
    """
    return f"{REHEARSAL}, not a release: {title}" if release["rehearsal"] else title
