"""Find public benchmark tables by name: in a folder, at public addresses, or drawn from a seed.

*Coded* tables are two files: integer codes with a header, and a JSON object with the number of codes of each
column (its order of columns can differ). *Raw* tables are files as published, with a schema in `assets`;
*drawn* tables are Gaussian (`bench.tables.gauss`). Raw and drawn tables are evaluated in values as well as in
codes. *Invented* tables are coded: tables drawn from a distribution (`bench.tables.laws`,
`bench.tables.separating`, `bench.tables.outcomes`, `bench.tables.unseen`), `TABLE-ROWS-rows` and
`chain-COLUMNS` (`bench.tables.invented`). `bank-ordered` and the tables of `bench.tables.surveys` are codes
of published files. A name can end in `-split` (a fifth of the rows is held out) or `-categories` (ordered
columns are declared as categories). Invented tables with a target always have held-out rows. The folder is
MARGINALIA_DATA, with files `NAME/FILE`. Missing files are downloaded to the user's cache, which also stores
drawn and split tables.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.bench.tables import bank_ordered, invented, surveys
from synth.bench.tables.gauss import GAUSSIANS, Equicorrelated
from synth.bench.tables.laws import LAWS, Law
from synth.bench.tables.outcomes import OUTCOMES
from synth.bench.tables.separating import SEPARATING
from synth.bench.tables.unseen import UNSEEN
from synth.core.axis import Axis, domain_of
from synth.core.discretisation import resolve_axes
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Provenance, Schema, Unit
from synth.core.system import places
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.dictionaries import load_schema
from synth.evaluate.report import load_real
from synth.rules import Rules, parse_rules

FOLDER = "MARGINALIA_DATA"
ASSETS = places.program() / "assets"
SECONDS = 60.0
_HELD_OUT = 5
"""Reciprocal of the share of rows that are held out if a table is split."""

ORDERED = 12
"""Number of codes from which an invented column is declared as ordered."""


@dataclass(frozen=True, kw_only=True)
class Home:
    """The source of a table: its file, its public address (empty if the table is not published in this form),
    and the column that papers predict.

    A coded table has a `domain` file with a separate address, and states which columns are ordered. A raw
    table has no such file: `folder` names its schema and rules in `assets`. `test` is a second published file
    about other people, whose first line must be skipped and whose target ends with a full stop.
    """

    csv: str
    csv_url: str | None = None
    domain: str = ""
    domain_url: str | None = None
    ordered: tuple[str, ...] = ()
    folder: str = ""
    target: str | None = None
    test: str | None = None
    test_url: str | None = None


_RAW = "https://raw.githubusercontent.com/ryan112358"
_STATSMODELS = "https://raw.githubusercontent.com/statsmodels/statsmodels/v0.14.4/statsmodels/datasets"
_GGPLOT2 = "https://raw.githubusercontent.com/tidyverse/ggplot2/v3.5.1/data-raw"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"

HOMES = {
    "adult": Home(
        csv="adult-discretized.csv",
        domain="adult-discretized-domain.json",
        csv_url=f"{_RAW}/private-pgm/HEAD/data/adult.csv",
        domain_url=f"{_RAW}/private-pgm/HEAD/data/adult-domain.json",
        ordered=("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"),
        target="income>50K",
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
        target="Survived",
    ),
    "adult-raw": Home(
        csv="adult.data",
        csv_url=f"{_UCI}/adult/adult.data",
        folder="adult",
        target="income",
        test="adult.test",
        test_url=f"{_UCI}/adult/adult.test",
    ),
    "bank": Home(csv="bank-full.csv", folder="bank", target="y"),
}

SURVEYS = {
    "insured": Home(csv="randhie.csv", csv_url=f"{_STATSMODELS}/randhie/randhie.csv"),
    "married": Home(csv="fair.csv", csv_url=f"{_STATSMODELS}/fair/fair.csv"),
    "diamonds": Home(csv="diamonds.csv", csv_url=f"{_GGPLOT2}/diamonds.csv", target="price"),
}

BANK_ORDERED = "bank-ordered"
INVENTED = {**LAWS, **SEPARATING, **OUTCOMES, **UNSEEN}

SETS = (*HOMES, *GAUSSIANS, *INVENTED, BANK_ORDERED, *SURVEYS)
"""All names that `find` knows, except names made from other names or numbers."""

MADE = ("TABLE-ROWS-rows", "TABLE-split", "TABLE-categories", "chain-COLUMNS")
"""Forms of the names that are made from other names or numbers."""

_ENDING = re.compile(r"(?P<base>.+)-(?:(?P<rows>\d{1,9})-rows|(?P<how>split|categories))")
_CHAIN = re.compile(r"chain-(\d{1,3})")


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """Rows of the same kind that no run uses, and the format of their file."""

    csv: Path
    schema: Schema


@dataclass(frozen=True, kw_only=True)
class BenchTable:
    """A public table with a schema that declares it private, one row per person.

    `as_values` is True if the columns have values as well as codes. `in_force` is True if a run receives the
    `rules`; violations can be counted in both cases.
    """

    name: str
    csv: Path
    schema: Schema
    as_values: bool = False
    target: str | None = None
    held_out: HeldOut | None = None
    rules: Rules | None = field(default=None, repr=False)
    in_force: bool = False

    def with_rules(self, wanted: bool) -> BenchTable:
        """Return the table with or without its rules in force. Raises: `Mistake` if rules are wanted but the
        table has none.
        """
        if wanted and self.rules is None:
            raise Mistake(f"The benchmark table {self.name!r} has no rules.")
        return replace(self, in_force=wanted)

    @cached_property
    def rules_in_force(self) -> Rules:
        return self.rules if self.rules is not None and self.in_force else parse_rules([], self.schema)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        return resolve_axes(self.schema, self.rules_in_force)

    @cached_property
    def domain(self) -> Domain:
        return domain_of(self.axes)

    @cached_property
    def zeros(self) -> tuple[Zero, ...]:
        return self.rules_in_force.zeros(self.axes)


def find(name: str) -> BenchTable:
    """Return a table by name. Raises: `Mistake` for an unknown name, or if a file is neither stored nor
    reachable.
    """
    check_known(name)
    if name in HOMES:
        home = HOMES[name]
        return _coded(name, home) if home.domain else _raw(name, home)
    if name in GAUSSIANS:
        return _drawn(name, GAUSSIANS[name])
    if law := INVENTED.get(name):
        return _by_law(name, law)
    if name == BANK_ORDERED:
        home = HOMES["bank"]
        return _invented(
            name,
            bank_ordered.SIZES,
            lambda: bank_ordered.blocks(_file(home.folder, home.csv, home.csv_url)),
        )
    if name in SURVEYS:
        home = SURVEYS[name]
        at = _file(name, home.csv, home.csv_url)
        coded = _invented(name, surveys.SIZES[name], lambda: surveys.blocks(name, at))
        return replace(coded, target=home.target)
    if chain := _CHAIN.fullmatch(name):
        return _chained(name, int(chain[1]))
    ending = _ENDING.fullmatch(name)
    assert ending is not None, "the name is known"
    base, rows, how = ending.group("base", "rows", "how")
    if rows:
        return _grown(name, base, int(rows))
    return _set_apart(name, find(base)) if how == "split" else _as_categories(name, find(base))


def check_known(name: str) -> None:
    """Check that `find` can make a table of this name. Raises: `Mistake` for an unknown name."""
    if not _is_known(name):
        raise Mistake(f"There is no benchmark table {name!r}. Choose one of: {', '.join((*SETS, *MADE))}.")


def target_of(name: str) -> str:
    """Return the target of a known table, empty if it has none."""
    while ending := _ENDING.fullmatch(name):
        name = ending["base"]
    known: dict[str, Home | Law] = {**HOMES, **SURVEYS, **INVENTED}
    return getattr(known.get(name), "target", None) or ""


def _is_known(name: str) -> bool:
    """Whether `find` can make the table. Only tables with a target can be split, and only coded tables can
    grow or have their columns declared as categories.
    """
    if name in SETS or _CHAIN.fullmatch(name):
        return True
    ending = _ENDING.fullmatch(name)
    if ending is None or not _is_known(ending["base"]):
        return False
    if ending["how"] == "split":
        return bool(target_of(name))
    root = ending["base"].removesuffix("-split")
    return root not in GAUSSIANS and not getattr(HOMES.get(root), "folder", "")


def schema_of(name: str, sizes: dict[str, int], ordered: Sequence[str]) -> Schema:
    """Return a schema with the codes 0 .. n-1 as declared values, without missing values."""
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
    """Return the public rows as codes, with columns in the order of the schema. No private session is
    used.
    """
    return load_real(table.csv, table.schema, table.axes)[0]


def read_held_out(table: BenchTable) -> CodeTable | None:
    """Return the held-out rows in the same codes, None if there are none."""
    apart = table.held_out
    if apart is None:
        return None
    return load_real(apart.csv, apart.schema, resolve_axes(apart.schema, table.rules_in_force))[0]


def read_values(table: BenchTable) -> pd.DataFrame:
    """Return the public rows as values: numbers if the schema declares numbers, otherwise text. Missing
    values are NA.
    """
    schema = table.schema
    form, names = schema.file, [c.name for c in schema.columns]
    texts: dict[Hashable, str] = {c.name: "string" for c in schema.columns if not c.kind.has_range}
    frame = pd.read_csv(
        table.csv,
        sep=form.delimiter,
        header=0 if form.header else None,
        names=None if form.header else names,
        skiprows=form.skip_lines,
        skipinitialspace=True,
        na_values=list(form.missing),
        keep_default_na=False,
        dtype=texts,
    )
    return frame[[c.name for c in schema.modelled]]


def _coded(name: str, home: Home) -> BenchTable:
    csv = _file(name, home.csv, home.csv_url)
    sizes = json.loads(_file(name, home.domain, home.domain_url).read_text(encoding="utf-8"))
    return BenchTable(name=name, csv=csv, schema=schema_of(name, sizes, home.ordered), target=home.target)


def _raw(name: str, home: Home) -> BenchTable:
    csv, held_out = _file(home.folder, home.csv, home.csv_url), None
    schema = load_schema(ASSETS / f"{home.folder}.schema.json")
    if home.test is not None:
        test = _file(home.folder, home.test, home.test_url)
        held_out = HeldOut(csv=test, schema=_with_full_stops(schema, home.target))
    rules = parse_rules(ASSETS / f"{home.folder}.rules.json", schema)
    return BenchTable(
        name=name, csv=csv, schema=schema, as_values=True, target=home.target, held_out=held_out, rules=rules
    )


def _with_full_stops(schema: Schema, target: str | None) -> Schema:
    """Read UCI's test file of Adult, which has a comment in the first line and a full stop after every
    label.
    """
    columns = tuple(
        replace(c, values=tuple(f"{v}." for v in c.values)) if c.name == target else c for c in schema.columns
    )
    return replace(schema, columns=columns, file=replace(schema.file, skip_lines=1))


def _parts(csv: Path, folder: str) -> tuple[Path, Path]:
    """Return the files of the training rows and of the held-out rows."""
    kept, apart = (
        _made(f"{folder}/{part}.csv", partial(_take, csv, apart=part == "apart"))
        for part in ("kept", "apart")
    )
    return kept, apart


def _set_apart(name: str, whole: BenchTable) -> BenchTable:
    """Return a table in which a part of the rows is held out."""
    kept, apart = _parts(whole.csv, whole.name)
    return replace(whole, name=name, csv=kept, held_out=HeldOut(csv=apart, schema=whole.schema))


def _as_categories(name: str, table: BenchTable) -> BenchTable:
    """Return a coded table whose ordered columns are declared as unordered categories."""
    columns = tuple(
        replace(c, kind=Kind.CATEGORY) if c.kind is Kind.ORDERED else c for c in table.schema.columns
    )
    schema, held_out = replace(table.schema, name=name, columns=columns), table.held_out
    if held_out is not None:
        held_out = replace(held_out, schema=schema)
    return replace(table, name=name, schema=schema, held_out=held_out)


def _take(csv: Path, to: Path, *, apart: bool) -> None:
    """Write a fixed fifth of the lines to a file, or the other lines."""
    header, *lines = csv.read_text(encoding="utf-8").splitlines(keepends=True)
    chosen = np.random.default_rng(0).permutation(len(lines)) % _HELD_OUT == 0
    kept = [line for line, is_chosen in zip(lines, chosen, strict=True) if is_chosen == apart]
    to.write_text(header + "".join(kept), encoding="utf-8")


def _drawn(name: str, gaussian: Equicorrelated) -> BenchTable:
    csv = _made(f"gauss/{name}.csv", gaussian.write)
    return BenchTable(name=name, csv=csv, schema=gaussian.schema(name), as_values=True)


def _grown(name: str, of: str, rows: int) -> BenchTable:
    base = find(of)

    def make(to: Path) -> None:
        names = [c.name for c in base.schema.columns]
        invented.write(invented.Grown(rows=rows).blocks(read(base).codes), names, to)

    csv = _made(f"invented/{name}.csv", make)
    return replace(base, name=name, csv=csv, schema=replace(base.schema, name=name))


def _chained(name: str, columns: int) -> BenchTable:
    chain = invented.Chain(columns=columns)
    csv = _made(f"invented/{name}.csv", lambda to: invented.write(chain.blocks(), list(chain.sizes), to))
    ordered = [column for column, size in chain.sizes.items() if size >= ORDERED]
    return BenchTable(name=name, csv=csv, schema=schema_of(name, chain.sizes, ordered))


def _by_law(name: str, law: Law) -> BenchTable:
    """Return a table drawn from a distribution. Its rules, if it has any, apply to codes as values."""
    table = _invented(name, law.sizes, law.blocks, ordered=law.ordered)
    if law.rules:
        table = replace(table, rules=parse_rules(list(law.rules), table.schema), as_values=True)
    return table if law.target is None else _set_apart(name, replace(table, target=law.target))


def _invented(
    name: str,
    sizes: dict[str, int],
    blocks: Callable[[], Iterator[NDArray[np.int64]]],
    *,
    ordered: Sequence[str] | None = None,
) -> BenchTable:
    """Return a coded table; all its columns are ordered by default."""
    csv = _made(f"invented/{name}.csv", lambda to: invented.write(blocks(), list(sizes), to))
    schema = schema_of(name, sizes, list(sizes) if ordered is None else ordered)
    return BenchTable(name=name, csv=csv, schema=schema)


def _cache() -> Path:
    return places.cache() / "bench"


def _made(name: str, make: Callable[[Path], None]) -> Path:
    """Return a file in the cache, which is written once by the first process that needs it."""
    at = _cache() / name
    if not at.is_file():
        at.parent.mkdir(parents=True, exist_ok=True)
        part = at.with_suffix(f".{os.getpid()}.part")
        make(part)
        part.replace(at)
    return at


def _file(name: str, file: str, url: str | None) -> Path:
    folders = [_cache()]
    if os.environ.get(FOLDER):
        folders.insert(0, Path(os.environ[FOLDER]))
    for folder in folders:
        if (folder / name / file).is_file():
            return folder / name / file
    if url is None:
        raise Mistake(
            f"{file} has no public address in this form. Put it into {name}/ where {FOLDER} points."
        )
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
