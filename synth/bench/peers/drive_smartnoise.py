"""Run one method of smartnoise-synth on integer codes, in the library's environment, without imports from our
code.

`python drive_smartnoise.py REQUEST.json`; `bench.peers.exchange` describes the request and the result. The
library would learn the codes from the rows without spending budget; here, its transformer is fitted to a
public table that contains every declared code. AIM uses two rounds per column, because it does not finish
with the library's default of sixteen.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from snsynth.aim import AIMSynthesizer
from snsynth.mst import MSTSynthesizer
from snsynth.transform import LabelTransformer, TableTransformer

ROUNDS_PER_COLUMN = 2


def every_code(domain: dict[str, int]) -> pd.DataFrame:
    """Return a public table in which every declared code of every column occurs."""
    rows = max(domain.values())
    return pd.DataFrame({name: np.arange(rows) % size for name, size in domain.items()})


def main(arguments: list[str]) -> int:
    requested = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    table = pd.read_csv(requested["codes"], dtype="int64")
    domain = {name: requested["domain"][name] for name in table.columns}
    np.random.seed(requested["seed"])  # noqa: NPY002 - the library uses the global generator
    start, start_cpu = time.perf_counter(), time.process_time()
    labels = TableTransformer([LabelTransformer(nullable=False) for _ in domain])
    labels.fit(every_code(domain))
    promise = {"epsilon": requested["epsilon"], "delta": requested["delta"]}
    if requested["method"] == "aim":
        method = AIMSynthesizer(**promise, rounds=ROUNDS_PER_COLUMN * len(domain))
    else:
        method = MSTSynthesizer(**promise)
    method.fit(table, transformer=labels)
    made = method.sample(requested["rows"])
    timed = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - start_cpu}
    frame = pd.DataFrame(made)
    frame.columns = list(domain)
    frame.astype("int64").to_csv(requested["made"], index=False)
    Path(requested["timed"]).write_text(json.dumps(timed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
