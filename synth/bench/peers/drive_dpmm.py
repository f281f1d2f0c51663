"""Run one method of dpmm on integer codes, in the library's environment, without imports from our code.

`python drive_dpmm.py REQUEST.json`; `bench.peers.exchange` describes the request and the result. The
library's preprocessing is switched off, because the table consists of codes and the number of codes of each
column is declared. There is only one worker process, because more processes were slower here. AIM uses two
rounds per column, because it does not finish with the library's default of sixteen.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pandas as pd
from dpmm.pipelines import AIMPipeline, MSTPipeline

ROUNDS_PER_COLUMN = 2


def main(arguments: list[str]) -> int:
    requested = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    table = pd.read_csv(requested["codes"], dtype="int64")
    domain = {name: requested["domain"][name] for name in table.columns}
    promise = {
        "epsilon": requested["epsilon"],
        "delta": requested["delta"],
        "n_jobs": 1,
        "disable_processing": True,
    }
    start, start_cpu = time.perf_counter(), time.process_time()
    if requested["method"] == "aim":
        rounds = {"rounds": ROUNDS_PER_COLUMN * table.shape[1]}
        pipeline = AIMPipeline(**promise, max_model_size=80, gen_kwargs=rounds)
    else:
        pipeline = MSTPipeline(**promise)
    pipeline.fit(table, domain=domain, random_state=requested["seed"])
    made = pipeline.generate(n_records=requested["rows"], random_state=requested["seed"])
    timed = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - start_cpu}
    made[list(table.columns)].to_csv(requested["made"], index=False)
    Path(requested["timed"]).write_text(json.dumps(timed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
