"""`python -m synth bench`: ours, other libraries and no privacy at all on public tables, side by side.

A preset is a list of trials (`bench.presets`); what is measured of each becomes rows of one CSV file, which
grows trial by trial. Run again with the same folder, a benchmark goes on where it was interrupted. Report and
summary are written from the file alone.
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

from synth.app.jobs.elsewhere.choice import HERE, named
from synth.bench import scale, scaling
from synth.bench.metrics import ALL, EXTENTS, NONE, USUAL, check_metrics
from synth.bench.peers import homes
from synth.bench.peers.catalogue import PEERS
from synth.bench.presets import PRESETS, Preset
from synth.bench.privacy.gate_verdict import KEPT, Gate, read
from synth.bench.report import report, summary
from synth.bench.tables.prepared import WAYS
from synth.bench.tables.tables import SETS, SIZED, check_known
from synth.bench.trials.elsewhere import AT_ONCE
from synth.bench.trials.machine import keep_to, machine, typed
from synth.bench.trials.measure import measure_all, say
from synth.bench.trials.results import Record, Results, is_there, read_csv
from synth.bench.trials.trial import Part
from synth.bench.tuning import LEARNERS
from synth.core.errors import MarginaliaError, Mistake
from synth.core.options import options_typed
from synth.evaluate.learners import missing_package
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import every_recipe

SCALING = "scaling"
"""A preset that is no grid: see `bench.scaling`, which has arguments of its own for parts of it."""

SCALE = "scale"
"""No grid either: see `bench.scale`."""

ANSWERS = "answers"
CSV, MACHINE, PAGE = "results.csv", "machine.json", "report.html"
_OVERRIDES = (
    "sets",
    "epsilons",
    "methods",
    "peers",
    "repeats",
    "delta",
    "limit",
    "metrics",
    "command",
    "references",
)


class NotAllMeasured(MarginaliaError):
    """Some of our own trials failed; everything else is measured and written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments; what is not given comes from the preset."""
    abouts = {name: preset.about for name, preset in PRESETS.items()}
    abouts |= {SCALING: scaling.ABOUT, SCALE: scale.ABOUT}
    lines = " ".join(f"{name}: {about}" for name, about in abouts.items())
    parser.add_argument("--preset", choices=tuple(abouts), default="quick", help=f"default: quick. {lines}")
    names = ", ".join((*SETS, *SIZED))
    parser.add_argument("--sets", nargs="+", metavar="SET", help=f"benchmark tables: {names}")
    parser.add_argument("--epsilons", nargs="+", type=float, help="promises to measure at")
    methods = sorted({*MECHANISMS, *every_recipe()})
    parser.add_argument(
        "--methods",
        nargs="*",
        choices=methods,
        metavar="METHOD",
        help=f"ours, a method or METHOD+GENERATOR: {', '.join(methods)}",
    )
    parser.add_argument(
        "--preprocessings",
        nargs="+",
        metavar="WAY",
        help=f"'' as declared, or joined by +: {', '.join(WAYS)}; default: the preset's",
    )
    parser.add_argument(
        "--peers",
        nargs="*",
        choices=tuple(PEERS),
        help="other libraries, installed where they are not yet; --peers alone: none; default: the preset's, "
        "and none where --methods names ours",
    )
    parser.add_argument("--repeats", type=int, help="runs of each of ours, with fresh noise")
    parser.add_argument("--delta", type=float, help="default: the preset's")
    parser.add_argument(
        "--workload",
        type=int,
        choices=(1, 2, 3),
        help="all marginals of so many columns; default: the preset's",
    )
    for name, whose in (("--option", "all methods of ours"), ("--generator-option", "all their generators")):
        words = f"an option of {whose}; repeatable"
        parser.add_argument(name, action="append", default=[], metavar="NAME=VALUE", help=words)
    parser.add_argument("--limit", type=float, help="seconds after which a run is given up")
    extents = ", ".join((USUAL, ALL, *EXTENTS, NONE))
    parser.add_argument("--metrics", help=f"{extents}, or names joined by +; default: the preset's")
    parser.add_argument(
        "--cores", type=int, help="cores and threads for all alike (default: 1; of scale: all there are)"
    )
    parser.add_argument(
        "--sizes",
        nargs="+",
        metavar="ROWSxCOLUMNS",
        default=scale.SIZES,
        help=f"of scale; default: {' '.join(scale.SIZES)}",
    )
    parser.add_argument(
        "--whole",
        choices=("parquet", "csv", "none"),
        default="parquet",
        help="of scale: the form in which as many rows as were read are written; default: parquet",
    )
    parser.add_argument(
        "--beside",
        type=int,
        metavar="PAIRS",
        help="of scale: how many of the pairs DuckDB counts, 0 for none; default: all",
    )
    parser.add_argument(
        "--command",
        dest="with_command",
        action=argparse.BooleanOptionalAction,
        help="time the whole release command too, or not; default: the preset's",
    )
    parser.add_argument(
        "--references",
        action=argparse.BooleanOptionalAction,
        help="measure what no privacy at all gives, or not; default: the preset's",
    )
    parser.add_argument(
        "--executor",
        metavar="WHERE",
        help="who measures: folder:/full/path (see: marginalia worker) or cluster:tcp://host:port; times are "
        "those of whoever measures (default: this machine, one trial after another)",
    )
    parser.add_argument(
        "--at-once", type=int, default=AT_ONCE, help=f"trials in others' hands at a time (default: {AT_ONCE})"
    )
    parser.add_argument("--retry", action="store_true", help="measure again what failed before")
    parser.add_argument("--out", metavar="DIR", help="default: out/bench/PRESET")
    parser.add_argument("--report", metavar="DIR", help="only write the report of a folder again")
    parser.add_argument("--markdown", action="store_true", help="with --report: print the README's table")


def run(asked: argparse.Namespace) -> int:
    """Measure what is not measured yet, print a table, write the report. Returns 0; errors are raised, but
    what was measured until then is printed and written all the same."""
    if asked.report is not None:
        return _report(Path(asked.report), as_markdown=asked.markdown, as_json=asked.json)
    out = Path(asked.out or f"out/bench/{asked.preset}")
    if asked.preset == SCALE:
        return _scale(asked, out)
    cores = 1 if asked.cores is None else asked.cores
    if asked.preset == SCALING:
        return _scaling(asked, out, cores=cores)
    preset = preset_of(asked)
    trials = list(preset.trials())
    executor = named(asked.executor) if asked.executor not in (None, HERE) else None
    keep_to(cores)
    out.mkdir(parents=True, exist_ok=True)
    results = Results(out / CSV)
    if preset.asks_once and executor is None:
        trials = [replace(trial, answers=str((out / ANSWERS).resolve())) for trial in trials]
    if asked.retry:
        results.forget(results.failed())
    tell: Callable[[str], object] = (lambda line: None) if asked.json else say
    _note_session(out / MACHINE, asked.preset)
    if any(trial.metrics in (ALL, *EXTENTS) or "f1" in trial.metrics for trial in trials):
        _say_what_is_missing(tell)
    try:
        measure_all(trials, results, tell, executor=executor, at_once=max(asked.at_once, 1))
    finally:
        versions = {peer.library.name: homes.versions(peer.library) for peer in PEERS.values()}
        notes = _read(out / MACHINE) | {"peers": versions}
        _write(out / MACHINE, notes)
        _publish(results.records, notes, out, as_json=asked.json)
    failed = {trial.key for trial in trials if trial.part is not Part.PEER} & results.failed()
    if failed:
        raise NotAllMeasured(
            f"{len(failed)} runs of ours failed; the report says which and why. Run again with --retry."
        )
    return 0


def preset_of(asked: argparse.Namespace) -> Preset:
    """The preset with what was typed in its place. Raises: `Mistake` for numbers that measure nothing."""
    words = vars(asked) | {"command": asked.with_command}
    given: dict[str, Any] = {
        name: tuple(word) if isinstance(word := words[name], list) else word
        for name in _OVERRIDES
        if words[name] is not None
    }
    if given.get("methods"):
        given.setdefault("peers", ())
    if asked.option:
        given["options"] = options_typed(asked.option)
    if asked.generator_option:
        given["generator_options"] = options_typed(asked.generator_option)
    if asked.workload is not None:
        given["tasks"] = (("all", asked.workload),)
    preset = replace(PRESETS[asked.preset], **given)
    cores = 1 if asked.cores is None else asked.cores
    if preset.repeats < 1 or min(preset.epsilons) <= 0 or preset.limit <= 0 or cores < 1:
        raise Mistake("A benchmark needs at least one run and one core, and epsilons and limits above 0.")
    for name in preset.sets:
        check_known(name)
    check_metrics(preset.metrics)
    return preset


def _say_what_is_missing(tell: Callable[[str], object]) -> None:
    absent = [package for package in map(missing_package, LEARNERS) if package is not None]
    if absent:
        tell(
            f"Not installed: {', '.join(absent)}. Their columns stay empty, and macro-F1 is the mean of the "
            "other learners (pip install 'marginalia[ml]' brings them)."
        )


def _scale(asked: argparse.Namespace, out: Path) -> int:
    """Invented tables, by the first of the methods at the first of the epsilons. Raises: `Mistake` for sizes
    that are none."""
    usual = scale.Scale()
    if (1 if asked.cores is None else asked.cores) < 1 or min(asked.epsilons or (1,)) <= 0:
        raise Mistake("A benchmark needs at least one core, and epsilons above 0.")
    if asked.cores is not None:
        keep_to(asked.cores)
    told = replace(
        usual,
        method=usual.method if asked.methods is None else next(iter(asked.methods), ""),
        epsilon=next(iter(asked.epsilons or ()), usual.epsilon),
        whole="" if asked.whole == "none" else asked.whole,
        beside=asked.beside,
    )
    return scale.run(scale.sizes_of(asked.sizes), told, out)


def _scaling(asked: argparse.Namespace, out: Path, *, cores: int) -> int:
    """Along every axis. Raises: `Mistake` for numbers that measure nothing."""
    words = [*scaling.SIZES, "--cores", str(cores)]
    words += ["--limit", str(asked.limit)] if asked.limit is not None else []
    words += ["--repeats", str(asked.repeats)] if asked.repeats is not None else []
    words += ["--methods", *asked.methods] if asked.methods else []
    growths, _ = scaling.growths_of(words)
    keep_to(cores)
    scaling.run(growths, out, command=typed(_words()))
    return 0


def _words() -> list[str]:
    return ["python", "-m", "synth", *sys.argv[1:]]


def _note_session(path: Path, preset: str) -> None:
    """Every start of the benchmark is one entry: when, what was typed, on what."""
    sessions = _read(path)["sessions"] if path.is_file() else []
    facts = {
        "started": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "preset": preset,
        "command": typed(_words()),
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
    for lines in (summary.as_text(records), *summary.verdicts(records, gate), *summary.papers(records, gate)):
        say(lines)
    say(f"All figures: {out / CSV}. With charts: {out / PAGE}.")


def _report(folder: Path, *, as_markdown: bool, as_json: bool) -> int:
    if not is_there(folder / CSV) or not (folder / MACHINE).is_file():
        raise Mistake(f"There is no benchmark in {str(folder)!r}: {CSV} or {MACHINE} is missing.")
    records, notes = read_csv(folder / CSV), _read(folder / MACHINE)
    (folder / PAGE).write_text(report.html(records, notes, gate=Gate(read(KEPT))), encoding="utf-8")
    if as_markdown:
        say(summary.as_markdown(records, notes, Gate(read(KEPT))))
    elif as_json:
        say(json.dumps({"report": str(folder / PAGE)}))
    else:
        say(summary.as_text(records))
        say(f"Written: {folder / PAGE}.")
    return 0
