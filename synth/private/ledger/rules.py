"""The rules that the ledger's database enforces for every program that writes to it.

The database has one append-only table of entries in one hash chain, one table of stored results, one with the
ledger's key (`ledger.commitment`), and one with the sum of each run's charges. The unit of `units` is 1e-12
rho, and the unit of `delta_units` is 1e-18 delta. The entries have the following kinds:

* `population` opens a lifetime budget with this limit. `text` is the reason.
* `raise` adds to the limit. `text` is the reason.
* `declare` states the protected change if it was not declared before or if nothing is committed. `text` is
  the reason.
* `run` reserves budget for a run. `text` is its label.
* `charge` charges a query to the run's reservation before a row is read. `text` is the query.
* `answer` records that the result of a charge was stored. `digest` is the SHA-256 digest of its bytes.
* `close` releases the part of a run's reservation that was never charged.

So the limit of a population is sum(population + raise), its committed budget is sum(run) - sum(close), and
the budget spent by a run is sum(charge). The triggers below ensure that these sums obey the limits, refuse
every update and deletion, and keep the chain unbroken. Names of triggers are stored in the file and never
change.

The sum of a run's charges is stored in `spent`, so that a charge can be checked without adding up all earlier
charges. The statement that writes a charge also adds it to `spent`, by a trigger, so that either both are
written or neither. No other change of `spent` is possible: a row can only be updated to the last charge of
its run, once, and by the cost of this charge (`_IS_NEXT`). A charge is refused if the previous one is missing
from the sum, which could happen if a writer defines additional triggers. `sums_hold` compares `spent` with
the charges.

A budget states which change of the table it protects (`unit`, `max_rows` and `neighbours` of the latest
`population` or `declare` entry), and so does each run. A run is accepted only if the guarantee of the
budget covers that change (`schema.ProtectedChange.covers`). Budgets of ledgers before version 3 state no
change until it is declared.

A run is reserved under an accounting rule (`accounting`; NULL means zCDP) and may make only the queries that
this rule allows. The tables `law` and `law_ask` list the laws and the queries that each allows. They are
filled when the file is created or upgraded, and cannot be changed afterwards. If the law of a run is not
zCDP, its queries name the law in their text. Queries that are allowed only under a law that lists them
(`accounting.law.APART`) are refused in every other run. Training is also refused if its cost is not valid at
the order at which it is converted. This is `Sampled.covers` in SQL.

A budget may have been opened or raised with a guarantee (`epsilon`, `delta`); value lists may use
sum(delta_units) on top of that delta. It then has three limits (see `accounting.limit.Limit`). A law is
*Gaussian* (GDP) if its limit is `gaussian_units`:

* `gaussian_units` applies while only Gaussian runs are committed, if this was also true at the first query.
* `mixed_units` applies if something else is committed, but was not committed at the first query.
* `units` applies if something else was committed at the first query, or before any query was made.

Without a guarantee, all three are `units`. They are columns and not a separate table, because the hashes of
the chain cover columns.
"""

from __future__ import annotations

import math
import sqlite3

from synth.core.accounting import RUN_LAWS, UNITS_PER_RHO
from synth.core.accounting.law import APART, USUAL
from synth.core.accounting.sampled import SMALLEST_PART, TRAIN
from synth.core.schema import Neighbours
from synth.private.ledger.commitment import KEY_BYTES

VERSION = 5
LARGEST = 10**18
"""Maximum number of units in an entry and in a limit (rho 1e6, delta 1). The sum of two such numbers always
fits into 64 bits.
"""

KINDS = ("population", "raise", "declare", "run", "charge", "answer", "close")

LAW_TABLES = (
    tuple(sorted((law.name, law.limit) for law in RUN_LAWS)),
    tuple(sorted((law.name, ask) for law in RUN_LAWS for ask in law.asks or ())),
)
"""The rows of the tables `law` and `law_ask`. zCDP, which entries do not name, has no rows: it allows all
queries that are not in `APART`.
"""

COLUMNS = (
    "seq",
    "kind",
    "population",
    "run",
    "part",
    "step",
    "units",
    "delta_units",
    "text",
    "digest",
    "at",
    "previous",
    *(TERMS := ("law", "gaussian_units", "mixed_units", "epsilon", "delta")),
    *(CHANGE := ("unit", "max_rows", "neighbours", "is_capped")),
    "hash",
)
"""The columns of an entry. `hash` is the SHA-256 of the canonical JSON list of all other columns. `TERMS` and
`CHANGE` are included only if one of their columns is set, so that entries of versions 1 and 2, which had none
of these columns, keep their hashes.
"""

_TABLES = (
    f"""CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN {KINDS}),
        population TEXT NOT NULL CHECK (population <> ''),
        run TEXT NOT NULL CHECK ((run = '') = (kind IN ('population', 'raise', 'declare'))),
        part TEXT NOT NULL,
        step INTEGER NOT NULL CHECK (step >= 0),
        units INTEGER NOT NULL CHECK (units BETWEEN 0 AND {LARGEST}),
        delta_units INTEGER NOT NULL CHECK (delta_units BETWEEN 0 AND {LARGEST}),
        text TEXT NOT NULL,
        digest TEXT NOT NULL,
        at TEXT NOT NULL,
        previous TEXT NOT NULL,
        law TEXT CHECK (law IS NULL OR law <> '{USUAL}' AND kind IN ('run', 'close')),
        gaussian_units INTEGER CHECK (gaussian_units BETWEEN 0 AND {LARGEST}),
        mixed_units INTEGER CHECK (mixed_units BETWEEN -{LARGEST} AND {LARGEST}),
        epsilon REAL CHECK (epsilon > 0),
        delta REAL CHECK (delta > 0 AND delta < 1),
        unit TEXT CHECK (unit <> ''),
        max_rows INTEGER CHECK (max_rows BETWEEN 1 AND {LARGEST}),
        neighbours TEXT CHECK (neighbours IN {tuple(relation.value for relation in Neighbours)}),
        is_capped INTEGER CHECK (is_capped IN (0, 1)),
        hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
        CHECK ((epsilon IS NULL) = (gaussian_units IS NULL)),
        CHECK ((epsilon IS NULL) = (mixed_units IS NULL)),
        CHECK ((epsilon IS NULL) = (delta IS NULL)),
        CHECK (epsilon IS NULL OR kind IN ('population', 'raise')),
        CHECK ((unit IS NULL) = (max_rows IS NULL)),
        CHECK ((unit IS NULL) = (neighbours IS NULL)),
        CHECK ((unit IS NULL) = (is_capped IS NULL)),
        CHECK (unit IS NULL OR kind IN ('population', 'declare', 'run')),
        CHECK (kind <> 'declare' OR unit IS NOT NULL AND units + delta_units = 0)
    ) STRICT""",
    """CREATE TABLE answer (
        seq INTEGER PRIMARY KEY REFERENCES entry (seq),
        blob BLOB NOT NULL
    ) STRICT""",
    f"""CREATE TABLE secret (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        key BLOB NOT NULL CHECK (length(key) = {KEY_BYTES})
    ) STRICT""",
    """CREATE TABLE law (
        name TEXT PRIMARY KEY CHECK (name <> ''),
        own_limit TEXT NOT NULL CHECK (own_limit IN ('units', 'gaussian_units'))
    ) STRICT""",
    """CREATE TABLE law_ask (
        law TEXT NOT NULL REFERENCES law (name),
        ask TEXT NOT NULL,
        PRIMARY KEY (law, ask)
    ) STRICT""",
    """CREATE TABLE spent (
        run TEXT PRIMARY KEY,
        seq INTEGER NOT NULL,
        units INTEGER NOT NULL,
        delta_units INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    *(f"INSERT INTO law VALUES {row}" for row in LAW_TABLES[0]),
    *(f"INSERT INTO law_ask VALUES {row}" for row in LAW_TABLES[1]),
    "CREATE INDEX by_population ON entry (population, kind, units, delta_units)",
    "CREATE INDEX by_run ON entry (run, kind, units, delta_units)",
    "CREATE UNIQUE INDEX one_line ON entry (population) WHERE kind = 'population'",
    "CREATE UNIQUE INDEX one_run ON entry (run) WHERE kind = 'run'",
    "CREATE UNIQUE INDEX one_close ON entry (run) WHERE kind = 'close'",
    "CREATE UNIQUE INDEX one_charge ON entry (run, part, step) WHERE kind = 'charge'",
    "CREATE INDEX first_charge ON entry (population) WHERE kind = 'charge'",
    "CREATE INDEX last_charge ON entry (run, seq) WHERE kind IN ('run', 'charge')",
    "CREATE UNIQUE INDEX one_answer ON entry (run, part, step) WHERE kind = 'answer'",
)


def _sum(column: str, kinds: str, key: str, *, where: str = "1") -> str:
    return (
        f"(SELECT coalesce(sum({column}), 0) FROM entry "
        f"WHERE {key} = NEW.{key} AND kind IN ({kinds}) AND {where})"
    )


_LIMITS = "'population', 'raise'"
_FIRST = "(SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge')"


def _committed(column: str, *, where: str = "1") -> str:
    reserved, freed = (_sum(column, kind, "population", where=where) for kind in ("'run'", "'close'"))
    return f"({reserved} - {freed})"


def _over_limit(column: str, limit: str) -> str:
    return f"{_committed(column)} + NEW.{column} > {limit}"


def _is_gaussian(entry: str = "") -> str:
    """Whether an entry belongs to a run under GDP."""
    return f"coalesce({entry}law IN (SELECT name FROM law WHERE own_limit = 'gaussian_units'), 0)"


def _in_force() -> str:
    """Return the SQL for the limit of a new run (see the docstring of this module)."""
    plain, gaussian, mixed = (
        _sum(f"coalesce({column}, units)", _LIMITS, "population")
        for column in ("units", "gaussian_units", "mixed_units")
    )
    other = f"NOT {_is_gaussian()}"
    others = f"({_committed('units', where=other)} > 0 OR NOT {_is_gaussian('NEW.')})"
    others_first = (
        f"({_FIRST} IS NOT NULL AND {_committed('units', where=f'{other} AND seq < {_FIRST}')} > 0)"
    )
    return (
        f"CASE WHEN {others_first} THEN {plain} WHEN NOT {others} THEN {gaussian} "
        f"WHEN {_FIRST} IS NULL THEN {plain} ELSE {mixed} END"
    )


def _spent(column: str) -> str:
    return f"coalesce((SELECT {column} FROM spent WHERE run = NEW.run), 0)"


def _over_reservation(column: str) -> str:
    return f"{_spent(column)} + NEW.{column} > {_sum(column, repr('run'), 'run')}"


def _not_the_rest(column: str) -> str:
    return f"NEW.{column} <> {_sum(column, repr('run'), 'run')} - {_spent(column)}"


def _exists(kind: str, *keys: str) -> str:
    same = " AND ".join(f"{key} = NEW.{key}" for key in keys)
    return f"EXISTS (SELECT 1 FROM entry WHERE kind = '{kind}' AND {same})"


def _line(column: str) -> str:
    """Return the SQL for the budget's value of a column of `CHANGE`, which is NULL if there is none."""
    return (
        f"(SELECT {column} FROM entry WHERE population = NEW.population "
        "AND kind IN ('population', 'declare') ORDER BY seq DESC LIMIT 1)"
    )


_COVERED = (
    f"NEW.unit IS {_line('unit')} AND NEW.neighbours IS {_line('neighbours')} "
    f"AND (NEW.max_rows IS {_line('max_rows')} OR NEW.is_capped = 1 "
    f"AND NEW.max_rows < {_line('max_rows')} AND NEW.neighbours = '{Neighbours.ADD_REMOVE}')"
)
_QUESTION = ("run", "part", "step")
_LAW = "(SELECT law FROM entry WHERE kind = 'run' AND run = NEW.run)"
_ASK = "json_extract(NEW.text, '$.ask')"


def _allows(law: str, ask: str) -> str:
    return f"EXISTS (SELECT 1 FROM law_ask WHERE law = {law} AND ask = {ask})"


_APART = f"({', '.join(repr(ask) for ask in sorted(APART))})"
_ASK_IF_JSON = f"CASE WHEN json_valid(NEW.text) THEN {_ASK} END"
_MOST = "json_extract(NEW.text, '$.most')"
_POWERS = ", ".join(f"({2**k}, {k * math.log(2)!r})" for k in range(62))


def _logarithm(number: str) -> str:
    """Return the SQL for the natural logarithm of an integer >= 1, to thirteen digits.

    SQLite may be built without a logarithm. It is computed from the power of two below the number and 2
    artanh((x - 1) / (x + 1)). The result is too small for numbers above 2^63.
    """
    series = "1.0 / 27"
    for k in range(25, 0, -2):
        series = f"1.0 / {k} + y * y * ({series})"
    ratio = f"(({number}) * 1.0 - column1) / (({number}) * 1.0 + column1) AS y"
    powers = f"(VALUES {_POWERS})"
    nearest = f"SELECT column2, {ratio} FROM {powers} WHERE column1 <= {number} ORDER BY column1 DESC LIMIT 1"
    return f"(SELECT column2 + 2 * y * ({series}) FROM ({nearest}))"


_COVERED_ORDER = (
    f"({_MOST} - 1.0) * ({_MOST} - 1.0) * ({_spent('units')} + NEW.units) / {UNITS_PER_RHO}.0 "
    f"+ {_logarithm(_MOST)} >= {math.log(1 / SMALLEST_PART) - 1e-9!r}"
)
"""The inverse of `sampled.order_for`: the required order is at most the order up to which the cost is valid.
Because floats may differ in the last digits, the smallest delta is increased by a factor of 1 + 1e-9.
"""

_RULES = {
    "in order": "NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entry)",
    "every hash once": "EXISTS (SELECT 1 FROM entry WHERE hash = NEW.hash)",
    "in one chain": "NEW.previous <> coalesce((SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), '')",
    "one line for a population": f"NEW.kind = 'population' AND {_exists('population', 'population')}",
    "a line before anything else": "NEW.kind <> 'population' AND NOT " + _exists("population", "population"),
    "limits have reasons": "NEW.kind IN ('population', 'raise', 'declare') AND NEW.text = ''",
    "a line protects one change": "NEW.kind = 'declare' AND "
    f"{_line('unit')} IS NOT NULL AND {_committed('units')} + {_committed('delta_units')} > 0",
    "a run is within what its line protects": f"NEW.kind = 'run' AND NOT ({_COVERED})",
    "limits have a limit": "NEW.kind = 'raise' AND max("
    f"{_sum('units', _LIMITS, 'population')} + NEW.units, "
    f"{_sum('delta_units', _LIMITS, 'population')} + NEW.delta_units, "
    f"{_sum('coalesce(gaussian_units, units)', _LIMITS, 'population')} "
    f"+ coalesce(NEW.gaussian_units, NEW.units)) > {LARGEST}",
    "the Gaussian limit is the largest": "NEW.kind = 'population' AND NEW.epsilon IS NOT NULL "
    "AND NOT (0 < NEW.mixed_units AND NEW.mixed_units <= NEW.units AND NEW.units <= NEW.gaussian_units)",
    "one reservation for a run": f"NEW.kind = 'run' AND {_exists('run', 'run')}",
    "within the limit": f"NEW.kind = 'run' AND ({_over_limit('units', _in_force())} "
    f"OR {_over_limit('delta_units', _sum('delta_units', _LIMITS, 'population'))})",
    "a run under a known law": "NEW.law IS NOT NULL AND NOT EXISTS (SELECT 1 FROM law WHERE name = NEW.law)",
    "lists only where the law allows them": "NEW.kind = 'run' AND NEW.law IS NOT NULL "
    f"AND NEW.delta_units > 0 AND NOT {_allows('NEW.law', repr('values'))}",
    "a run asks what its law allows": f"NEW.kind = 'charge' AND {_LAW} IS NOT NULL AND ("
    "NOT json_valid(NEW.text) "
    f"OR json_extract(NEW.text, '$.law') IS NOT {_LAW} "
    f"OR NOT {_allows(_LAW, _ASK)})",
    "only a law that names them allows these": f"NEW.kind = 'charge' AND {_ASK_IF_JSON} IN {_APART} "
    f"AND NOT {_allows(_LAW, _ASK)}",
    "training is priced up to the order at which it is read": "NEW.kind = 'charge' "
    f"AND {_ASK_IF_JSON} = '{TRAIN}' AND (json_type(NEW.text, '$.most') IS NOT 'integer' "
    f"OR {_MOST} < 2 OR NOT {_COVERED_ORDER})",
    "a close is under the law of its run": f"NEW.kind = 'close' AND NEW.law IS NOT {_LAW}",
    "a reservation before a question": "NEW.kind IN ('charge', 'answer', 'close') AND NOT "
    + _exists("run", "run", "population"),
    "nothing after the close": f"NEW.kind IN ('charge', 'answer', 'close') AND {_exists('close', 'run')}",
    "one charge for a question": f"NEW.kind = 'charge' AND {_exists('charge', *_QUESTION)}",
    "no question for nothing": "NEW.kind = 'charge' AND NEW.units = 0",
    "the sum holds the charge before": "NEW.kind IN ('charge', 'close') AND "
    "(SELECT seq FROM spent WHERE run = NEW.run) IS NOT "
    "(SELECT max(seq) FROM entry WHERE run = NEW.run AND kind IN ('run', 'charge'))",
    "within the reservation": "NEW.kind = 'charge' AND "
    f"({_over_reservation('units')} OR {_over_reservation('delta_units')})",
    "a charge before an answer": f"NEW.kind = 'answer' AND NOT {_exists('charge', *_QUESTION)}",
    "one answer for a question": f"NEW.kind = 'answer' AND {_exists('answer', *_QUESTION)}",
    "answers are paid already": "NEW.kind = 'answer' AND NEW.units + NEW.delta_units > 0",
    "a close frees the rest": "NEW.kind = 'close' AND "
    f"({_not_the_rest('units')} OR {_not_the_rest('delta_units')})",
}
_BLOBS = (
    "NOT EXISTS (SELECT 1 FROM entry WHERE seq = NEW.seq AND kind = 'answer') "
    "OR EXISTS (SELECT 1 FROM answer WHERE seq = NEW.seq)"
)

_IS_OPENED = (
    "NEW.units = 0 AND NEW.delta_units = 0 AND NOT EXISTS (SELECT 1 FROM spent WHERE run = NEW.run) "
    "AND EXISTS (SELECT 1 FROM entry WHERE seq = NEW.seq AND kind = 'run' AND run = NEW.run)"
)
_IS_NEXT = (
    "NEW.run = OLD.run AND NEW.seq > OLD.seq "
    "AND EXISTS (SELECT 1 FROM entry WHERE seq = NEW.seq AND kind = 'charge' AND run = NEW.run "
    "AND NEW.units = OLD.units + units AND NEW.delta_units = OLD.delta_units + delta_units)"
)
"""Between two statements, the row refers to the last charge of its run, so no other charge can match."""

_COUNTED = (
    """CREATE TRIGGER "a run has spent nothing yet" AFTER INSERT ON entry WHEN NEW.kind = 'run' BEGIN
        INSERT INTO spent VALUES (NEW.run, NEW.seq, 0, 0);
        SELECT RAISE(ABORT, 'every run has a sum') WHERE NOT EXISTS (
            SELECT 1 FROM spent WHERE run = NEW.run AND seq = NEW.seq);
    END""",
    """CREATE TRIGGER "a charge is added up" AFTER INSERT ON entry WHEN NEW.kind = 'charge' BEGIN
        UPDATE spent SET seq = NEW.seq, units = units + NEW.units, delta_units = delta_units + NEW.delta_units
            WHERE run = NEW.run;
        SELECT RAISE(ABORT, 'every charge is in the sum') WHERE NOT EXISTS (
            SELECT 1 FROM spent WHERE run = NEW.run AND seq = NEW.seq);
    END""",
)
"""The second statement of each trigger guards against writers whose ON CONFLICT clause would skip the first.
"""


def _trigger(name: str, event: str, table: str, when: str = "1") -> str:
    return (
        f'CREATE TRIGGER "{name}" BEFORE {event} ON {table} WHEN {when} '
        f"BEGIN SELECT RAISE(ABORT, '{name}'); END"
    )


STATEMENTS = (
    *_TABLES,
    *(_trigger(name, "INSERT", "entry", when) for name, when in _RULES.items()),
    _trigger("answers belong to entries", "INSERT", "answer", _BLOBS),
    _trigger("sums begin at nothing", "INSERT", "spent", f"NOT ({_IS_OPENED})"),
    _trigger("sums follow the charges", "UPDATE", "spent", f"NOT coalesce({_IS_NEXT}, 0)"),
    _trigger("no delete of spent", "DELETE", "spent"),
    *_COUNTED,
    _trigger("one key for good", "INSERT", "secret", "EXISTS (SELECT 1 FROM secret)"),
    *(
        _trigger(f"no {event.lower()} of {table}", event, table)
        for table in ("entry", "answer", "secret", "law", "law_ask")
        for event in ("UPDATE", "DELETE")
    ),
    *(_trigger(f"no insert of {table}", "INSERT", table) for table in ("law", "law_ask")),
    f"PRAGMA user_version = {VERSION}",
)


def laws_in(db: sqlite3.Connection) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Return the laws in a ledger of this version, in the form of `LAW_TABLES`."""
    tables = (db.execute(f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("law", "law_ask"))
    return tuple(tuple((row[0], row[1]) for row in rows) for rows in tables)


def sums_hold(db: sqlite3.Connection) -> bool:
    """Return whether `spent` contains the exact sum of each run's charges and the number of its last
    charge.
    """
    counted = (
        "SELECT run, max(seq), sum(units * (kind = 'charge')), sum(delta_units * (kind = 'charge')) "
        "FROM entry WHERE kind IN ('run', 'charge') GROUP BY run"
    )
    fields = "SELECT run, seq, units, delta_units FROM spent"
    differ = f"EXISTS (SELECT * FROM ({fields}) EXCEPT {counted}) OR EXISTS ({counted} EXCEPT {fields})"
    return not db.execute(f"SELECT {differ}").fetchone()[0]
