"""`python -m synth bench`: measure our methods, other libraries and non-private references on public tables.

A preset is a list of trials (`bench.presets`). Each trial appends its figures as rows to one CSV file. If the
command is run again with the same folder, it continues where it stopped. The report is written only from this
file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from synth.bench import inference
from synth.bench.metrics import ALL, NONE, USUAL, check_metrics
from synth.bench.peers import homes
from synth.bench.peers.catalogue import PEERS
from synth.bench.presets import PRESETS, Preset
from synth.bench.privacy.gate_verdict import KEPT, Gate, read
from synth.bench.report import report
from synth.bench.tables.tables import MADE, SETS, check_known
from synth.bench.trials.machine import keep_to, machine, typed
from synth.bench.trials.measure import measure_all, say
from synth.bench.trials.results import Record, Results, is_there, read_csv
from synth.bench.trials.trial import Part
from synth.core.errors import MarginaliaError, Mistake
from synth.core.options import options_typed
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import every_recipe

CSV, MACHINE, PAGE = "results.csv", "machine.json", "report.html"
_OVERRIDES = (
    *("sets", "epsilons", "methods", "peers", "repeats", "delta", "workload", "limit", "metrics"),
    "references",
)


class NotAllMeasured(MarginaliaError):
    """Raised if some trials of our own methods failed. All other figures have been measured and written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to the parser. Arguments that are not given are taken from the
    preset.
    """
    lines = " ".join(f"{name}: {preset.about}" for name, preset in PRESETS.items())
    methods = sorted({*MECHANISMS, *every_recipe()})

    def add(name: str, words: str, **kinds: Any) -> None:
        parser.add_argument(name, help=words, **kinds)

    add("--preset", f"default: quick. {lines}", choices=tuple(PRESETS), default="quick")
    add("--sets", f"benchmark tables: {', '.join((*SETS, *MADE))}", nargs="+", metavar="SET")
    add("--epsilons", "privacy budgets for the measurements", nargs="+", type=float)
    named_ours = f"our methods, as METHOD or METHOD+GENERATOR: {', '.join(methods)}"
    add("--methods", named_ours, nargs="*", choices=methods, metavar="METHOD")
    named_peers = "other libraries, installed on first use; --peers alone: none; none if --methods is given"
    add("--peers", named_peers, nargs="*", choices=tuple(PEERS))
    add("--repeats", "runs of each of our methods, with fresh noise", type=int)
    add("--delta", "default: from the preset", type=float)
    add("--workload", "columns per marginal", type=int, choices=(1, 2, 3))
    for name, whose in (("--option", "all our methods"), ("--generator-option", "all their generators")):
        add(name, f"an option of {whose}; repeatable", action="append", default=[], metavar="NAME=VALUE")
    add("--limit", "seconds after which a run is stopped", type=float)
    add("--metrics", f"{USUAL}, {ALL}, {NONE}, or names joined by +")
    add("--cores", "cores and threads (default: 1)", type=int, default=1)
    add("--references", "also measure results without any privacy", action=argparse.BooleanOptionalAction)
    add("--retry", "measure failed trials again", action="store_true")
    add("--out", "default: out/bench/PRESET", metavar="DIR")
    add("--report", "only write the report of a folder again", metavar="DIR")


def run(args: argparse.Namespace) -> int:
    """Measure missing trials, print a table, and write the report. Errors are raised only after all results
    have been printed and written.
    """
    if args.report is not None:
        return _report(Path(args.report), as_json=args.json)
    out = Path(args.out or f"out/bench/{args.preset}")
    preset = preset_of(args)
    keep_to(args.cores)
    out.mkdir(parents=True, exist_ok=True)
    if preset.asks:
        return inference.run(preset, out, as_json=args.json)
    trials = list(preset.trials())
    results = Results(out / CSV)
    if args.retry:
        results.forget(results.failed())
    tell: Callable[[str], object] = (lambda line: None) if args.json else say
    _note_session(out / MACHINE, args.preset)
    try:
        measure_all(trials, results, tell)
    finally:
        versions = {peer.library.name: homes.versions(peer.library) for peer in PEERS.values()}
        notes = _read(out / MACHINE) | {"peers": versions}
        _write(out / MACHINE, notes)
        _publish(results.records, notes, out, as_json=args.json)
    failed = {trial.key for trial in trials if trial.part is not Part.PEER} & results.failed()
    if failed:
        raise NotAllMeasured(f"{len(failed)} of our runs failed; the report has the reasons. Use --retry.")
    return 0


def preset_of(args: argparse.Namespace) -> Preset:
    """Return the preset, changed by the given arguments. Raises: `Mistake` for impossible numbers or
    names.
    """
    given: dict[str, Any] = {
        name: tuple(word) if isinstance(word, list) else word
        for name in _OVERRIDES
        if (word := getattr(args, name)) is not None
    }
    if given.get("methods"):
        given.setdefault("peers", ())
    if args.option:
        given["options"] = options_typed(args.option)
    if args.generator_option:
        given["generator_options"] = options_typed(args.generator_option)
    preset = replace(PRESETS[args.preset], **given)
    if preset.repeats < 1 or min(preset.epsilons) <= 0 or preset.limit <= 0 or args.cores < 1:
        raise Mistake("A benchmark needs at least one run and one core, and epsilons and limits above 0.")
    for name in preset.sets:
        inference.check_known(name) if preset.asks else check_known(name)
    check_metrics(preset.metrics)
    return preset


def _note_session(path: Path, preset: str) -> None:
    """Add an entry for this session to the machine file: the time, the command and the machine."""
    sessions = _read(path)["sessions"] if path.is_file() else []
    facts = {
        "started": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "preset": preset,
        "command": typed(["python", "-m", "synth", *sys.argv[1:]]),
    }
    _write(path, {"sessions": [*sessions, facts | machine()]})


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _write(path: Path, notes: dict[str, Any]) -> None:
    path.write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")


def _publish(records: Sequence[Record], notes: dict[str, Any], out: Path, *, as_json: bool) -> None:
    gate = Gate(read(KEPT))
    (out / PAGE).write_text(report.html(records, notes, gate=gate), encoding="utf-8")
    if as_json:
        for record in records:
            say(json.dumps(asdict(record)))
        return
    say(report.as_text(records, gate))
    say(f"Report: {out / PAGE}.")


def _report(folder: Path, *, as_json: bool) -> int:
    if not is_there(folder / CSV) or not (folder / MACHINE).is_file():
        raise Mistake(f"There is no benchmark in {str(folder)!r}: {CSV} or {MACHINE} is missing.")
    _publish(read_csv(folder / CSV), _read(folder / MACHINE), folder, as_json=as_json)
    return 0
