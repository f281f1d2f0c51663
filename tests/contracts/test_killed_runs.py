"""Kill a run at every point between opening its file and storing an answer, and resume it with another file.

A run that was charged accepts only its own file. Before that, it has learned nothing from the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synth.core.errors import Code, Refusal
from synth.dictionaries import load_schema
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.private.ledger.batch import Batch
from synth.private.queries import Marginal
from synth.private.reading import vault
from synth.private.reading.vault import Vault, Watch, WatchedFile
from synth.release.plan import Plan
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules

SCHEMA = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [{"name": "town", "kind": "category", "values": ["a", "b"]}],
}
OURS, THEIRS = ("town\n" + f"{town}\n" * 300 for town in "ab")


class Killed(BaseException):
    """The process is gone."""


BEFORE, AFTER = False, True
POINTS: dict[str, tuple[Any, str, bool]] = {
    "before the reservation": (Ledger, "open_run", BEFORE),
    "after the reservation": (Ledger, "open_run", AFTER),
    "file opened": (WatchedFile, "__init__", AFTER),
    "some bytes read": (WatchedFile, "readinto", AFTER),
    "all bytes read": (WatchedFile, "close", AFTER),
    "all rows read": (Watch, "check", BEFORE),
    "fingerprint in a draft": (os, "fsync", AFTER),
    "fingerprint stored": (vault, "sync_folder", BEFORE),
    "fingerprint on the disk": (Watch, "check", AFTER),
    "before the charge": (Ledger, "ask_all", BEFORE),
    "charge written": (Batch, "charge", AFTER),
    "charge on the disk": (Batch, "answered", BEFORE),
    "rows counted": (Marginal, "exact", AFTER),
    "noise added": (Marginal, "answer", AFTER),
    "before the answer is stored": (Batch, "store", BEFORE),
    "answer written": (Batch, "store", AFTER),
    "answer on the disk": (Ledger, "ask_all", AFTER),
}
"""The functions at which a process may end, in the order of their calls."""
FIRST_KNOWN, FIRST_CHARGED = map(list(POINTS).index, ("fingerprint stored", "charge on the disk"))


def killed_at(patch: pytest.MonkeyPatch, point: str) -> None:
    place, name, is_after = POINTS[point]
    original: Callable[..., Any] = getattr(place, name)

    def last(*args: Any, **named: Any) -> Any:
        if is_after:
            original(*args, **named)
        raise Killed

    patch.setattr(place, name, last)


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_run_accepts_another_file_only_if_it_has_learned_nothing(point: str, tmp_path: Path) -> None:
    schema, path, secrets = load_schema(SCHEMA), tmp_path / "t.csv", tmp_path / "vault.json"
    rules = parse_rules([], schema)
    plan = Plan(
        schema=schema,
        rules=rules,
        epsilon=8,
        delta=1e-9,
        method="independent",
        rows=40,
        verdict=0.1,
    )
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("p", units=10**13, protects=schema.protects, reason="test")

    def run(content: str) -> Synthesis:
        path.write_text(content)
        return release(plan, data=path, ledger=ledger, run="r", vault=Vault(secrets))

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        killed_at(patch, point)
        run(OURS)
    at, spent = list(POINTS).index(point), ledger.balance("p").spent
    assert Vault(secrets).knows_file is (at >= FIRST_KNOWN) and bool(spent) is (at >= FIRST_CHARGED)
    if at < FIRST_KNOWN:
        assert (run(THEIRS).table["town"] == "b").mean() > 0.9, "all of it is the other file's"
        assert ledger.runs("p")[0].closed
        return
    with pytest.raises(Refusal) as caught:
        run(THEIRS)
    assert caught.value.code is Code.FILE_CHANGED and ledger.balance("p").spent == spent
    kept = secrets.read_bytes()
    secrets.unlink()
    for content in (THEIRS, OURS) if spent else ():
        with pytest.raises(Refusal) as caught:
            run(content)
        assert caught.value.code is Code.FILE_UNKNOWN and not secrets.exists()
    secrets.write_bytes(kept)
    assert (run(OURS).table["town"] == "a").mean() > 0.9
    assert ledger.balance("p").spent <= plan.units and ledger.runs("p")[0].closed and ledger.verify()
