"""Read, write and check the ledger's chain, inside the caller's transaction.

Every function takes an open connection that returns rows as `sqlite3.Row`. See `ledger.rules` for the kinds
of entries.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from synth.core.accounting import GAUSSIAN, ZCDP, Law, law_facts, law_named
from synth.core.errors import Code, Refusal
from synth.core.schema import ProtectedChange
from synth.private.ledger.blobs import Blobs
from synth.private.ledger.commitment import NAME as COMMITMENT
from synth.private.ledger.commitment import commitment_of, has_key
from synth.private.ledger.guarantees import as_columns
from synth.private.ledger.limits import balance_of, follows_from_guarantee
from synth.private.ledger.rules import CHANGE, COLUMNS, LAW_TABLES, STATEMENTS, TERMS, laws_in, sums_hold

BLANK: Mapping[str, Any] = {
    **dict.fromkeys(("run", "part", "text", "digest"), ""),
    **dict.fromkeys(("step", "units", "delta_units"), 0),
    **dict.fromkeys((*TERMS, *CHANGE)),
}
"""The default values of the columns that an entry does not use."""

_PLAIN = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, kw_only=True)
class Run:
    """The reservation of one run, and what it has spent. `opened` and `closed` are UTC times."""

    run: str
    population: str
    label: str
    units: int
    delta_units: int
    spent: int
    delta_spent: int
    opened: str
    closed: str | None
    law: Law = ZCDP

    def facts(self) -> dict[str, Any]:
        """Return the run as plain JSON."""
        fields = {name: value for name, value in vars(self).items() if name != "law"}
        return fields | law_facts(self.law)


@dataclass(frozen=True, eq=False, kw_only=True)
class Stored:
    """An answered query of a run."""

    part: str
    step: int
    query: dict[str, Any]
    units: int
    delta_units: int
    blob: bytes


@dataclass(frozen=True, eq=False, kw_only=True)
class Charged:
    """A charged query of a run, answered or not, with its facts as JSON text, its cost and its batch.

    `state` reads the public numbers of the query and returns None if they are unknown.
    """

    text: str
    units: int
    batch: int
    state: Callable[[], bytes | None]

    @property
    def query(self) -> dict[str, Any]:
        return dict(json.loads(self.text))


def canonical(value: Any) -> str:
    """Return the canonical text of a JSON value. Raises: `Refusal` if it is not plain JSON."""
    try:
        return _PLAIN.encode(value)
    except (TypeError, ValueError):
        raise Refusal(Code.QUERY_INVALID) from None


def state_name(digest: str) -> str:
    """Return the name of the file for a query's state, which contains the digest of its charge."""
    return f"{digest}.state"


def answer_name(run: str, part: str, step: int) -> str:
    """Return the name of the file for a large result, which depends only on its charge."""
    return f"{digest_of(canonical([run, part, step]).encode())}.answer"


def digest_of(content: bytes) -> str:
    """Return the SHA-256 digest of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def append(
    db: sqlite3.Connection,
    kind: str,
    population: str,
    *,
    run: str = "",
    units: int = 0,
    delta_units: int = 0,
    text: str = "",
    law: Law = ZCDP,
    terms: Sequence[float | None] = (None,) * 4,
    protects: ProtectedChange | None = None,
) -> None:
    """Add an entry to the end of the chain. `terms` contains the values of `rules.TERMS` without the law."""
    fields: dict[str, Any] = {"units": units, "delta_units": delta_units, "text": text}
    fields |= zip(TERMS, (law.written, *terms), strict=True)
    fields |= zip(CHANGE, as_columns(protects), strict=True)
    append_all(db, kind, population, run, [fields])


def append_all(
    db: sqlite3.Connection, kind: str, population: str, run: str, fields: Sequence[Mapping[str, Any]]
) -> range:
    """Add entries of one kind to the end of the chain, each given by its non-empty columns.

    Returns their numbers.
    """
    last = db.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    first, previous = (last["seq"] + 1, last["hash"]) if last else (1, "")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    common = {**BLANK, "kind": kind, "population": population, "run": run, "at": at}
    rows = []
    for seq, more in enumerate(fields, start=first):
        entry = {**common, **more, "seq": seq, "previous": previous}
        row = [entry[column] for column in COLUMNS[:-1]]
        previous = hash_of(row)
        rows.append([*row, previous])
    _insert(db, rows)
    return range(first, first + len(rows))


def hash_of(entry: Sequence[Any]) -> str:
    """Return the hash of an entry over all its columns except the hash itself; see `rules.COLUMNS`."""
    fields = dict(zip(COLUMNS, entry, strict=False))
    for group in (TERMS, CHANGE):
        if all(fields[column] is None for column in group):
            fields = {column: value for column, value in fields.items() if column not in group}
    return digest_of(canonical(list(fields.values())).encode())


def _insert(db: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> None:
    places = ", ".join("?" * len(COLUMNS))
    db.executemany(f"INSERT INTO entry ({', '.join(COLUMNS)}) VALUES ({places})", rows)


def find(db: sqlite3.Connection, kind: str, **key: str | int) -> list[sqlite3.Row]:
    """Return the entries of this kind with these column values, oldest first."""
    where = " AND ".join(f"{column} = ?" for column in ("kind", *key))
    return db.execute(f"SELECT * FROM entry WHERE {where} ORDER BY seq", (kind, *key.values())).fetchall()


def find_one(db: sqlite3.Connection, kind: str, **key: str | int) -> sqlite3.Row | None:
    """Return the only entry of this kind with these column values, or None if there is none."""
    found = find(db, kind, **key)
    return found[0] if found else None


def spent_by(db: sqlite3.Connection, run: str) -> tuple[int, int]:
    """Return the amount charged to a run so far, in units and delta units."""
    row = db.execute("SELECT units, delta_units FROM spent WHERE run = ?", (run,)).fetchone()
    return row[0], row[1]


def charges_at(db: sqlite3.Connection, run: str, part: str, steps: range) -> dict[int, sqlite3.Row]:
    """Return the charges of a part at consecutive steps, by step."""
    rows = db.execute(
        "SELECT * FROM entry WHERE kind = 'charge' AND run = ? AND part = ? AND step BETWEEN ? AND ?",
        (run, part, steps[0], steps[-1]),
    )
    return {row["step"]: row for row in rows}


def charged_by(db: sqlite3.Connection, run: str, part: str, *, blobs: Blobs) -> tuple[Charged, ...]:
    """Return the charges of a part, in the order of their steps.

    Entries that were written together are consecutive, and results come between two batches.
    """
    rows = db.execute(
        "SELECT seq, step, units, text, digest FROM entry "
        "WHERE kind = 'charge' AND run = ? AND part = ? ORDER BY step",
        (run, part),
    )
    return tuple(
        Charged(
            text=row["text"],
            units=row["units"],
            batch=row["seq"] - row["step"],
            state=partial(blobs.read, state_name(row["digest"])),
        )
        for row in rows
    )


def answers_at(
    db: sqlite3.Connection, run: str, part: str, steps: range, *, blobs: Blobs
) -> dict[int, bytes]:
    """Return the stored results of a part at consecutive steps, by step.

    Raises: `Refusal(LEDGER_BROKEN)` if a result has been changed.
    """
    where = "run = ? AND part = ? AND step BETWEEN ? AND ?"
    found = _stored(db, where, (run, part, steps[0], steps[-1]), blobs)
    return {step: blob for (_, step), blob in found.items()}


def _stored(
    db: sqlite3.Connection, where: str, values: Sequence[str | int], blobs: Blobs
) -> dict[tuple[str, int], bytes]:
    """Return stored results by part and step, from the ledger's file or the folder beside it."""
    found = {}
    for row in db.execute(
        "SELECT run, part, step, digest, blob FROM entry LEFT JOIN answer USING (seq) "
        f"WHERE kind = 'answer' AND {where}",
        values,
    ):
        name = answer_name(row["run"], row["part"], row["step"])
        blob = blobs.read(name) if row["blob"] is None else row["blob"]
        if blob is None or digest_of(blob) != row["digest"]:
            raise Refusal(Code.LEDGER_BROKEN)
        found[row["part"], row["step"]] = bytes(blob)
    return found


def run_of(db: sqlite3.Connection, opened: sqlite3.Row) -> Run:
    """Return a run from the entry that opened it."""
    spent, delta_spent = spent_by(db, opened["run"])
    closed = find_one(db, "close", run=opened["run"])
    return Run(
        run=opened["run"],
        population=opened["population"],
        label=opened["text"],
        units=opened["units"],
        delta_units=opened["delta_units"],
        spent=spent,
        delta_spent=delta_spent,
        opened=opened["at"],
        closed=None if closed is None else closed["at"],
        law=law_named(opened["law"]),
    )


def answers_of(db: sqlite3.Connection, run: str, *, blobs: Blobs) -> tuple[Stored, ...]:
    """Return all answered queries of a run, in the order of their charges."""
    stored = _stored(db, "run = ?", (run,), blobs)
    return tuple(
        Stored(
            part=row["part"],
            step=row["step"],
            query=json.loads(row["text"]),
            units=row["units"],
            delta_units=row["delta_units"],
            blob=stored[row["part"], row["step"]],
        )
        for row in find(db, "charge", run=run)
        if (row["part"], row["step"]) in stored
    )


def receipt_of(db: sqlite3.Connection, opened: sqlite3.Row) -> dict[str, Any]:
    """Return a run's receipt as plain JSON; see `Ledger.receipt`."""
    run, population = opened["run"], opened["population"]
    last = db.execute("SELECT * FROM entry WHERE run = ? ORDER BY seq DESC LIMIT 1", (run,)).fetchone()
    parts: dict[str, dict[str, int]] = {}
    for row in find(db, "charge", run=run):
        part = parts.setdefault(row["part"], {"units": 0, "delta_units": 0, "questions": 0})
        part["units"] += row["units"]
        part["delta_units"] += row["delta_units"]
        part["questions"] += 1
    balance, (spent, delta_spent) = balance_of(db, population, until=last["seq"]), spent_by(db, run)
    receipt = {
        "run": run,
        "population": population,
        "date": opened["at"][:10],
        "reserved_units": opened["units"],
        "reserved_delta_units": opened["delta_units"],
        "spent_units": spent,
        "spent_delta_units": delta_spent,
        "parts": parts,
        "is_closed": last["kind"] == "close",
        **law_facts(law_named(opened["law"])),
        "population_limit_units": balance.limit,
        "population_reserved_units": balance.reserved,
        "population_spent_units": balance.spent,
        "population_is_gaussian": balance.law == GAUSSIAN,
        "population_lifetime": list(balance.lifetime),
        "population_protects": None if balance.protects is None else asdict(balance.protects),
        "population_lapsed": [asdict(claim) for claim in balance.lapsed],
        "entry": last["seq"],
    }
    if balance.lost:
        receipt |= {"population_whole_units": balance.whole, "population_law": balance.law.name}
    return receipt | {COMMITMENT: commitment_of(db, receipt, head=last["hash"])}


def is_sound(db: sqlite3.Connection, *, blobs: Blobs) -> bool:
    """Return whether the ledger is valid.

    A ledger is valid if its rules are in place, if every entry passes them again when it is written into an
    empty ledger, and if every result is present.
    """
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    for statement in STATEMENTS:
        fresh.execute(statement)
    declared = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    if [tuple(row) for row in db.execute(declared)] != fresh.execute(declared).fetchall():
        return False
    if laws_in(db) != LAW_TABLES or not sums_hold(db):
        return False
    if db.execute("PRAGMA integrity_check").fetchone()[0] != "ok" or not has_key(db):
        return False
    answers, names = {}, {}
    for row in db.execute(f"SELECT {', '.join(COLUMNS)} FROM entry ORDER BY seq"):
        if row["hash"] != hash_of(list(row)[:-1]) or not follows_from_guarantee(db, row):
            return False
        if row["kind"] == "charge" and row["digest"] != digest_of(row["text"].encode()):
            return False
        if row["kind"] == "answer":
            answers[row["seq"]] = row["digest"]
            names[row["seq"]] = answer_name(row["run"], row["part"], row["step"])
        _insert(fresh, [list(row)])
    fresh.close()
    inside = {row["seq"]: digest_of(row["blob"]) for row in db.execute("SELECT * FROM answer")}
    beside = ((blobs.read(names[seq]), digest) for seq, digest in answers.items() if seq not in inside)
    is_kept = all(blob is not None and digest_of(blob) == digest for blob, digest in beside)
    return is_kept and inside == {seq: digest for seq, digest in answers.items() if seq in inside}


def is_on_record(db: sqlite3.Connection, receipt: Mapping[str, Any]) -> bool:
    """Whether a receipt is unchanged and its link is in the chain.

    Receipts of ledgers before version 3 contain the link itself (`head`), which covers no other field.
    """
    row = db.execute("SELECT hash FROM entry WHERE seq = ?", (receipt["entry"],)).fetchone()
    if row is None:
        return False
    if COMMITMENT not in receipt:
        return bool(row["hash"] == receipt["head"])
    return bool(commitment_of(db, receipt, head=row["hash"]) == receipt[COMMITMENT])
