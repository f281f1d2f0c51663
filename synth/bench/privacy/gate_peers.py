"""Run a peer in its environment: record it on a table, or replay it on a neighbouring table."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from synth.bench.peers import exchange, recorder
from synth.bench.peers.catalogue import Peer
from synth.bench.privacy.gate_draws import CHOICE, Draw, Transcript
from synth.bench.privacy.gate_tables import ROWS, SIZES, Rows

LIMIT = 900.0
SAME_ORDER = {"PYTHONHASHSEED": "0"}
"""Environment variables that fix the iteration order of sets of names in all runs.

This order is not part of the randomness of the method.
"""

Tape = Mapping[str, Any]


def heard(
    peer: Peer, rows: Rows, *, epsilon: float, delta: float, recorded: Tape | None = None, seed: int = 0
) -> tuple[Transcript, Tape]:
    """Return one run; `recorded` is the tape to replay. The number of requested rows does not depend on the
    table, because it is public. Raises: `NotInstalled` or `RunFailed`.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        notes = {"tape": str(folder / "tape"), "recorded": recorded and str(folder / "recorded")}
        (folder / "notes").write_text(json.dumps(notes), encoding="utf-8")
        (folder / "recorded").write_text(json.dumps(recorded), encoding="utf-8")
        exchange.drive(
            peer,
            folder,
            rows,
            SIZES,
            wanted=len(ROWS),
            epsilon=epsilon,
            delta=delta,
            seed=seed,
            limit=LIMIT,
            through=(recorder.__file__, str(folder / "notes")),
            variables=SAME_ORDER,
        )
        tape = json.loads((folder / "tape").read_text(encoding="utf-8"))
        made = (folder / "made").read_bytes() if (folder / "made").is_file() else b""
    return transcript_of(tape, made), tape


def transcript_of(tape: Tape, made: bytes) -> Transcript:
    """Return the transcript of a tape that `peers.recorder` wrote."""
    draws = tuple(_known(tape["draws"]))
    return Transcript(
        draws=draws,
        made=made,
        broken=_broken_in_words(tape["broken"]),
        unheard=len(tape["draws"]) - len(draws),
    )


def _known(draws: Sequence[Tape]) -> Iterator[Draw]:
    for draw in draws:
        if draw["kind"] == CHOICE:
            with np.errstate(divide="ignore"):
                yield Draw(kind=CHOICE, exact=np.log(np.array(draw["weights"], dtype=float)))
        elif "exact" in draw:
            exact, noisy = (np.array(draw[name], dtype=float).ravel() for name in ("exact", "told"))
            yield Draw(kind=draw["kind"], exact=exact, scale=draw["scale"], noisy=noisy)


def _broken_in_words(broken: Tape | None) -> str:
    if broken is None:
        return ""
    then, now = (_in_words(broken[name]) for name in ("then", "now"))
    return f"draw {broken['at'] + 1} was {then} and became {now}"


def _in_words(draw: Tape | None) -> str:
    if draw is None:
        return "none"
    scale = f" at scale {draw['scale']:.6g}" if "scale" in draw else ""
    return f"a {draw['kind']} draw over {math.prod(draw['size'])} numbers{scale}"
