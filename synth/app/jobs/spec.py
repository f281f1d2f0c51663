"""Define the orders of runs and studies. An order contains all inputs of a worker and never changes.

A `RunSpec` is plain JSON. It contains the path of the private file and the seed of the modelling randomness,
so it stays in the job folder (mode 0600), and no bundle includes it. With the seed, a resumed run makes the
same queries as before. The seed is never used for privacy noise.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.core.documents import read_as
from synth.core.errors import Mistake
from synth.core.request import Request
from synth.core.system.address import address_of
from synth.release.layout import CHECKSUMS, canonical

if TYPE_CHECKING:
    from synth.release.plan import Plan
    from synth.release.reading.starting import StartingTable

RUN_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
ELSEWHERE = (
    "Fix that and resume the run, or choose another folder: marginalia release --resume {run} --out DIR. "
    "No budget is spent twice."
)
"""The advice for a run whose package cannot be written to its folder."""


_OF_EARLIER_VERSIONS = ("held_back",)
"""Fields of earlier versions that are ignored. For example, the accuracy check has replaced hold-out
measurements.
"""


def fresh_run() -> str:
    """Return a new run ID, which consists of the day and eight random hex digits."""
    return f"{dt.datetime.now(dt.UTC):%Y%m%d}-{secrets.token_hex(4)}"


def fresh_seed() -> int:
    """Return a seed for the modelling randomness of a run (63 bits from the operating system)."""
    return secrets.randbits(63)


@dataclass(frozen=True, kw_only=True)
class RunSpec(Request):
    """The order of a run, with its run ID, its seed and the paths of its files.

    `schema` and `rules` are the documents as JSON. `data` is the full address of the table
    (`synth.core.system.address`). `out` and `ledger` are absolute paths. `extras` are generators that make
    further tables from the same measurements. `lifetime_epsilon` is the limit of the lifetime budget that the
    run opens if the population has none, or None if the steward did not agree to open one. `rehearsal` is the
    noise seed of a practice run on a public file, or None for a real release. `start` is the path of a public
    table from which the release starts, or empty. `start_source` describes the origin of this table, and
    `start_digest` is its SHA-256 (`release.starting`). `since` is the path of an earlier release package. The
    statement lists what has changed since then. `also` names further formats of the synthetic table
    (`release.formats.forms`).

    Raises: `Mistake` for an invalid value.
    """

    run: str
    data: str
    schema: dict[str, Any]
    rules: Any = None
    population: str
    extras: tuple[str, ...] = ()
    lifetime_epsilon: float | None = None
    rehearsal: int | None = None
    start: str = ""
    start_source: str = ""
    start_digest: str = ""
    since: str = ""
    also: tuple[str, ...] = ()
    seed: int
    out: str
    ledger: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not RUN_ID.fullmatch(self.run):
            raise Mistake(
                f"{self.run!r} is not a run ID. Use up to 64 lower-case letters, digits and dashes."
            )
        for name in ("data", "out", "ledger", *(n for n in ("start", "since") if getattr(self, n))):
            if not address_of(getattr(self, name)).is_full:
                raise Mistake(
                    f"The path of {name} must be absolute inside a run; {getattr(self, name)!r} is not."
                )

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the canonical JSON."""
        return _digest(asdict(self))

    def plan(self) -> Plan:
        """Return the public part of the order, for the pipeline. It contains no path, ledger or noise.

        Raises: `Mistake` for an invalid schema, rules, method or options.
        """
        from synth.dictionaries import load_schema, stored
        from synth.release.plan import Plan
        from synth.rules import parse_rules

        schema = load_schema(stored(self.schema))
        rules = parse_rules(self.rules or [], schema)
        return Plan(schema=schema, rules=rules, seed=self.seed, **self.terms())

    def started(self) -> StartingTable | None:
        """Return the public table from which the release starts, or None.

        Raises: `Mistake` if it cannot be read, or if it has changed since the steward chose it.
        """
        from synth.dictionaries import load_schema, stored
        from synth.release.reading.starting import read_start

        if not self.start:
            return None
        schema = load_schema(stored(self.schema))
        return read_start(self.start, schema, source=self.start_source, digest=self.start_digest)

    def to_json(self) -> str:
        """Return the JSON document for the job folder, which contains the fields and their digest."""
        return json.dumps({"digest": self.digest, "spec": asdict(self)}, indent=1, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> RunSpec:
        """Return the run described by a document from `to_json`.

        Raises: `Mistake` if the text is not such a document, or was edited after the run was created.
        """
        try:
            document = json.loads(text)
            spec = RunSpec.of(document["spec"])
            is_unchanged = document["digest"] == _digest(document["spec"])
        except (ValueError, KeyError, TypeError):
            raise Mistake("spec.json in the job folder is not a run. Start a new run.") from None
        if not is_unchanged:
            raise Mistake(
                "spec.json in the job folder was changed after the run was created. Start a new run."
            )
        return spec

    @staticmethod
    def of(document: Mapping[str, Any]) -> RunSpec:
        """Return the run with these fields.

        Raises: `Mistake` with the name of an unknown field, and `TypeError` for a missing field.
        """
        document = {name: value for name, value in document.items() if name not in _OF_EARLIER_VERSIONS}
        names = {f.name for f in fields(RunSpec)}
        for name in document:
            if name not in names:
                raise Mistake(f"A run has no field {name!r}. It has: {', '.join(sorted(names))}.")
        return read_as(RunSpec, document)


def place_of(spec: RunSpec, generator: str) -> Path:
    """Return the folder for the bundle of a further table, which is next to the release."""
    out = Path(spec.out)
    return out.with_name(f"{out.name}-{generator}")


def is_made(spec: RunSpec, generator: str) -> bool:
    """Return True if a further table of a run exists."""
    return (place_of(spec, generator) / CHECKSUMS).is_file()


def _digest(document: Any) -> str:
    return hashlib.sha256(canonical(document)).hexdigest()


MOST_RUNS = 8
"""Maximum number of tables in a study."""

MAP_ROWS, FEWEST_MAP_ROWS, MOST_MAP_ROWS = 2_000, 100, 10_000
"""Number of rows of each table on a map: the default, the minimum and the maximum."""

REAL = "real"
"""The name of the private table on a map."""


class StudyKind(StrEnum):
    """The kind of a study. Only a steward study may read the private table."""

    STEWARD = "steward"
    ATLAS = "atlas"


@dataclass(frozen=True, kw_only=True)
class StudyOrder:
    """The order of a study. `runs` contains the IDs of finished runs, oldest first. The name of a further
    table consists of the ID of its run, a dash and its generator.

    Three fields are only for a steward study: `targets` contains the columns to predict, `held_out` is the
    path of a file of real rows that were never used in a run ("" for none), and `mapped` states whether to
    draw the map. `rows` is the number of rows of each table on a map.

    Raises: `Mistake` for an invalid order.
    """

    kind: StudyKind
    runs: tuple[str, ...]
    targets: tuple[str, ...] = ()
    held_out: str = ""
    mapped: bool = True
    rows: int = MAP_ROWS

    def __post_init__(self) -> None:
        least = 1 if self.kind is StudyKind.STEWARD else 2
        if not least <= len(self.runs) <= MOST_RUNS:
            raise Mistake(f"Choose {least} to {MOST_RUNS} runs; you chose {len(self.runs)}.")
        if not FEWEST_MAP_ROWS <= self.rows <= MOST_MAP_ROWS:
            raise Mistake(
                f"A map shows {FEWEST_MAP_ROWS} to {MOST_MAP_ROWS:,} rows of each table; you requested "
                f"{self.rows:,}."
            )
        if self.held_out and not self.targets:
            raise Mistake("A file of held-out rows needs a column to predict.")
