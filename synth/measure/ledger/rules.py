"""What the ledger's database enforces by itself, whoever writes into it.

One append-only table of entries in one hash chain, and one table of stored answers. Kinds of entries, and
what `units` (1e-12 rho) and `delta_units` (1e-18 delta) mean in them:

* population  opens a budget line with this lifetime limit; `text` is the reason
* raise       adds to the limit; `text` is the reason
* run         reserves for a run; `text` is its label
* charge      a question, paid from its run's reservation before a row is looked at; `text` is the question
* answer      the answer to a charge was stored; `digest` is the SHA-256 of its bytes
* close       frees what a run reserved and never charged

So the limit of a population is sum(population + raise), what it has committed is sum(run) - sum(close), and
what a run has spent is sum(charge). The triggers below make these sums obey the limits, refuse every update
and deletion, and keep the chain in one piece.
"""

from __future__ import annotations

VERSION = 1
LARGEST = 10**18
"""Most units of one entry and of one limit (rho 1e6, delta 1): sums of two never overflow 64 bits."""

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
    "hash",
)
"""The columns of an entry; `hash` is the SHA-256 of the canonical JSON list of all the others."""

_TABLES = (
    f"""CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('population', 'raise', 'run', 'charge', 'answer', 'close')),
        population TEXT NOT NULL CHECK (population <> ''),
        run TEXT NOT NULL CHECK ((run = '') = (kind IN ('population', 'raise'))),
        part TEXT NOT NULL,
        step INTEGER NOT NULL CHECK (step >= 0),
        units INTEGER NOT NULL CHECK (units BETWEEN 0 AND {LARGEST}),
        delta_units INTEGER NOT NULL CHECK (delta_units BETWEEN 0 AND {LARGEST}),
        text TEXT NOT NULL,
        digest TEXT NOT NULL,
        at TEXT NOT NULL,
        previous TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64)
    ) STRICT""",
    """CREATE TABLE answer (
        seq INTEGER PRIMARY KEY REFERENCES entry (seq),
        blob BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX by_population ON entry (population, kind, units, delta_units)",
    "CREATE INDEX by_run ON entry (run, kind, units, delta_units)",
    "CREATE UNIQUE INDEX one_line ON entry (population) WHERE kind = 'population'",
    "CREATE UNIQUE INDEX one_run ON entry (run) WHERE kind = 'run'",
    "CREATE UNIQUE INDEX one_close ON entry (run) WHERE kind = 'close'",
    "CREATE UNIQUE INDEX one_charge ON entry (run, part, step) WHERE kind = 'charge'",
    "CREATE UNIQUE INDEX one_answer ON entry (run, part, step) WHERE kind = 'answer'",
)


def _sum(column: str, kinds: str, key: str) -> str:
    return f"(SELECT coalesce(sum({column}), 0) FROM entry WHERE {key} = NEW.{key} AND kind IN ({kinds}))"


def _over_limit(column: str) -> str:
    limit, reserved, freed = (
        _sum(column, kinds, "population") for kinds in ("'population', 'raise'", "'run'", "'close'")
    )
    return f"{reserved} - {freed} + NEW.{column} > {limit}"


def _over_reservation(column: str) -> str:
    return f"{_sum(column, repr('charge'), 'run')} + NEW.{column} > {_sum(column, repr('run'), 'run')}"


def _not_the_rest(column: str) -> str:
    return f"NEW.{column} <> {_sum(column, repr('run'), 'run')} - {_sum(column, repr('charge'), 'run')}"


def _exists(kind: str, *keys: str) -> str:
    same = " AND ".join(f"{key} = NEW.{key}" for key in keys)
    return f"EXISTS (SELECT 1 FROM entry WHERE kind = '{kind}' AND {same})"


_QUESTION = ("run", "part", "step")
_RULES = {
    "in order": "NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entry)",
    "in one chain": "NEW.previous <> coalesce((SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), '')",
    "one line for a population": f"NEW.kind = 'population' AND {_exists('population', 'population')}",
    "a line before anything else": "NEW.kind <> 'population' AND NOT " + _exists("population", "population"),
    "limits have reasons": "NEW.kind IN ('population', 'raise') AND NEW.text = ''",
    "limits have a limit": "NEW.kind = 'raise' AND max("
    + ", ".join(
        f"{_sum(c, repr('population') + ', ' + repr('raise'), 'population')} + NEW.{c}"
        for c in ("units", "delta_units")
    )
    + f") > {LARGEST}",
    "one reservation for a run": f"NEW.kind = 'run' AND {_exists('run', 'run')}",
    "within the limit": f"NEW.kind = 'run' AND ({_over_limit('units')} OR {_over_limit('delta_units')})",
    "a reservation before a question": "NEW.kind IN ('charge', 'answer', 'close') AND NOT "
    + _exists("run", "run", "population"),
    "nothing after the close": f"NEW.kind IN ('charge', 'answer', 'close') AND {_exists('close', 'run')}",
    "one charge for a question": f"NEW.kind = 'charge' AND {_exists('charge', *_QUESTION)}",
    "no question for nothing": "NEW.kind = 'charge' AND NEW.units + NEW.delta_units = 0",
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


def _trigger(name: str, event: str, table: str, when: str = "1") -> str:
    return (
        f'CREATE TRIGGER "{name}" BEFORE {event} ON {table} WHEN {when} '
        f"BEGIN SELECT RAISE(ABORT, '{name}'); END"
    )


STATEMENTS = (
    *_TABLES,
    *(_trigger(name, "INSERT", "entry", when) for name, when in _RULES.items()),
    _trigger("answers belong to entries", "INSERT", "answer", _BLOBS),
    *(
        _trigger(f"no {event.lower()} of {table}", event, table)
        for table in ("entry", "answer")
        for event in ("UPDATE", "DELETE")
    ),
    f"PRAGMA user_version = {VERSION}",
)
