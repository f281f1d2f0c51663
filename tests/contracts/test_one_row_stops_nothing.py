"""From file to table: files that differ by one record end alike, ask alike and report alike."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.core.progress import Progress
from synth.dictionaries import load_schema
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.release.plan import Plan
from synth.rules import parse_rules

AGE = {"name": "age", "kind": "integer", "min": 0, "max": 3}
DAY = {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2020-12-31", "bins": 4}
WHO = {"name": "who", "kind": "drop"}
JOB = {"name": "job", "kind": "category", "values": ["x", "y"]}
PLAIN: dict[str, Any] = {"columns": [AGE, JOB], "unit": {"max_rows": 1}}
HEADLESS = {**PLAIN, "file": {"header": False}}
LINES = {**PLAIN, "file": {"line_breaks": "split"}}
OWNED = {"columns": [AGE, WHO], "unit": {"max_rows": 2, "id_column": "who"}}
PUBLIC = {**OWNED, "rows_public": 300}
DAYS = {"columns": [DAY], "unit": {"max_rows": 1}}


def moments(*seconds: int, unit: str = "s") -> pa.Table:
    column = pa.timestamp("us") if unit == "us" else pa.time32("s")
    whole = pa.int64() if unit == "us" else pa.int32()
    return pa.table({"day": pa.array(seconds, whole).view(column)})


NEIGHBOURS: dict[str, tuple[dict[str, Any], list[str | pa.Table]]] = {
    "without header": (HEADLESS, ["", "1\n", "1\n1,x\n"]),
    "a stray quote": (LINES, ["age,job\n1,x\n", 'age,job\n1,"\n1,x\n', 'age,job\n1,"\n1,x\n2,"\n']),
    "a row of nobody": (OWNED, ["age,who\n1,a\n", "age,who\n1,a\n1,\n", "age,who\n1,a\n1,\n2,NA\n"]),
    "a public number": (PUBLIC, ["age,who\n" + "1,a\n" * most for most in (0, 1, 5)]),
    "a timestamp": (DAYS, [moments(*[0] * 5, *bad, unit="us") for bad in ([], [2**63 - 1], [-(2**63)])]),
    "a time of day": (DAYS, [moments(0, 1), moments(0, 1, -1), moments(0, 1, 2**31 - 1)]),
}


@pytest.mark.parametrize("what", NEIGHBOURS)
def test_files_that_differ_by_one_record_ask_and_report_the_same(tmp_path: Path, what: str) -> None:
    document, contents = NEIGHBOURS[what]
    schema = load_schema({"name": "t", "population": "t", **document})
    plan = Plan(
        schema=schema,
        rules=parse_rules([], schema),
        epsilon=1,
        delta=1e-9,
        method="independent",
        rows=20,
        most_unfit=1.0,
    )
    stated = []
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("t", units=10**15, protects=plan.schema.protects, reason="test")
    for number, content in enumerate(contents):
        path = tmp_path / ("t.csv" if isinstance(content, str) else "t.parquet")
        if isinstance(content, str):
            path.write_text(content)
        else:
            pq.write_table(content, path)
        heard: list[Progress] = []
        made = release(plan, data=path, ledger=ledger, run=str(number), report=heard.append)
        requested = [(a.part, a.step, a.units, json.dumps(a.query)) for a in ledger.answers(str(number))]
        stated.append((requested, [(h.stage, h.fact) for h in heard], len(made.table)))
    assert stated == stated[:1] * len(contents)
