"""The public benchmark tables, by name: from a folder, or from their public homes.

Each set is two files, integer codes with a header and a JSON object that gives every column its number of
codes. The folder is MARGINALIA_DATA, laid out as `NAME/FILE`; what it lacks is downloaded into the user's
cache. The JSON gives the order of columns, which need not be that of the CSV.
"""

from __future__ import annotations

import json
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs

from synth.domain import Domain
from synth.errors import Mistake
from synth.schema import Column, Kind, Provenance, Schema, Unit
from synth.table import CodeTable

FOLDER = "MARGINALIA_DATA"
SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Home:
    """Where a set lives: file names in the folder, their public addresses, and which columns are in order."""

    csv: str
    domain: str
    csv_url: str
    domain_url: str
    ordered: tuple[str, ...] = ()


_RAW = "https://raw.githubusercontent.com/ryan112358"

HOMES = {
    "adult": Home(
        csv="adult-discretized.csv",
        domain="adult-discretized-domain.json",
        csv_url=f"{_RAW}/private-pgm/HEAD/data/adult.csv",
        domain_url=f"{_RAW}/private-pgm/HEAD/data/adult-domain.json",
        ordered=("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"),
    ),
    "nltcs": Home(
        csv="nltcs.csv",
        domain="nltcs-domain.json",
        csv_url=f"{_RAW}/hd-datasets/HEAD/clean/nltcs.csv",
        domain_url=f"{_RAW}/hd-datasets/HEAD/clean/nltcs-domain.json",
    ),
    "titanic": Home(
        csv="titanic.csv",
        domain="titanic-domain.json",
        csv_url=f"{_RAW}/hd-datasets/HEAD/clean/titanic.csv",
        domain_url=f"{_RAW}/hd-datasets/HEAD/clean/titanic-domain.json",
        ordered=("Pclass", "Age", "SibSp", "Parch", "Fare"),
    ),
}


@dataclass(frozen=True, kw_only=True)
class BenchTable:
    """A public table with a schema that declares it private, one row per person."""

    name: str
    csv: Path
    schema: Schema


def find(name: str) -> BenchTable:
    """A set by name. Errors: Mistake for an unknown name, or when a file is neither here nor reachable."""
    home = HOMES.get(name)
    if home is None:
        raise Mistake(f"There is no benchmark table {name!r}. Choose one of: {', '.join(HOMES)}.")
    csv = _file(name, home.csv, home.csv_url)
    domain = json.loads(_file(name, home.domain, home.domain_url).read_text(encoding="utf-8"))
    return BenchTable(name=name, csv=csv, schema=schema_of(name, domain, home.ordered))


def schema_of(name: str, sizes: dict[str, int], ordered: Sequence[str]) -> Schema:
    """Codes 0 .. n-1 as declared values; no blanks."""
    columns = tuple(
        Column(
            name=column,
            kind=Kind.ORDERED if column in ordered else Kind.CATEGORY,
            values=tuple(range(size)),
            blank=False,
            provenance=Provenance.PUBLIC_DOCUMENT,
        )
        for column, size in sizes.items()
    )
    return Schema(name=name, population=f"bench-{name}", unit=Unit(max_rows=1), columns=columns)


def read(table: BenchTable) -> CodeTable:
    """The public rows as codes in the order of the schema, by the header's names. Not through the room."""
    with table.csv.open(encoding="utf-8") as lines:
        header = lines.readline().rstrip("\n").split(",")
        rows = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2)
    names = tuple(c.name for c in table.schema.columns)
    sizes = tuple(len(c.values) + 1 for c in table.schema.columns)
    return CodeTable(Domain(names, sizes), rows[:, [header.index(n) for n in names]])


def _file(name: str, file: str, url: str) -> Path:
    folders = [Path(platformdirs.user_cache_dir("marginalia")) / "bench"]
    if os.environ.get(FOLDER):
        folders.insert(0, Path(os.environ[FOLDER]))
    for folder in folders:
        if (folder / name / file).is_file():
            return folder / name / file
    return _download(url, folders[-1] / name / file)


def _download(url: str, to: Path) -> Path:
    to.parent.mkdir(parents=True, exist_ok=True)
    part = to.with_suffix(".part")
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer, part.open("wb") as out:
            shutil.copyfileobj(answer, out)
    except (urllib.error.URLError, OSError):
        part.unlink(missing_ok=True)
        raise Mistake(
            f"{to.name} is not in the folder that {FOLDER} names, and {url} cannot be reached. "
            f"Put the file into a folder NAME/{to.name} and set {FOLDER}."
        ) from None
    part.replace(to)
    return to
