"""Run a peer in its own environment: record it on a table, or replay it on a neighbour."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from synth.bench.peers import homes, recorder
from synth.bench.peers.catalogue import Peer
from synth.bench.privacy.gate_tables import MIXED, Rows
from synth.bench.privacy.gate_transcript import Transcript, transcript_of
from synth.bench.trials.processes import timed

LIMIT = 900.0
SAME_ORDER = {"PYTHONHASHSEED": "0"}
"""Fix the iteration order of sets of names in all runs: this order is not randomness of the method."""

Tape = Mapping[str, Any]


def heard(
    peer: Peer,
    rows: Rows,
    declared: Mapping[str, int],
    *,
    epsilon: float,
    delta: float,
    recorded: Tape | None = None,
    seed: int = 0,
    limit: float = LIMIT,
) -> tuple[Transcript, Tape]:
    """Return one run; `recorded` is the tape to replay. The number of requested rows does not depend on the
    table, because it is public. Raises: `NotInstalled`, `RunFailed`.
    """
    python = homes.interpreter(peer.library)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {at: folder / at for at in ("codes", "made", "timed", "tape", "recorded", "notes", "request")}
        request = {
            "domain": dict(declared),
            "method": peer.method,
            "epsilon": epsilon,
            "delta": delta,
            "seed": seed,
            "rows": len(MIXED.rows),
            **{at: str(files[at]) for at in ("codes", "made", "timed")},
        }
        notes = {"tape": str(files["tape"]), "recorded": recorded and str(files["recorded"])}
        for at, told in (("request", request), ("notes", notes), ("recorded", recorded)):
            files[at].write_text(json.dumps(told), encoding="utf-8")
        header = ",".join(declared)
        np.savetxt(files["codes"], rows, fmt="%d", delimiter=",", header=header, comments="")
        driver = str(peer.library.driver)
        command = [str(python), recorder.__file__, str(files["notes"]), driver, str(files["request"])]
        timed(command, limit=limit, cwd=folder, variables=SAME_ORDER)
        tape = json.loads(files["tape"].read_text(encoding="utf-8"))
        made = files["made"].read_bytes() if files["made"].is_file() else b""
    return transcript_of(tape, made), tape
