"""`python -m synth.bench.measured FOLDER ...`: collect from benchmark folders the results on which the advice
of the app is based.

The program reads the results of our own methods with default settings (all marginals of the given number of
columns, no options, the default generator) on the tables in `TITLES`: means and spreads over runs, with
sessions, versions and commits. If two folders have the same cell, the folder with more runs is used, or the
later folder if the numbers are equal. The output file is overwritten, or extended with --keep.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.bench.report.tally import outcomes_of
from synth.bench.run import CSV, MACHINE
from synth.bench.tables.tables import HOMES, BenchTable, find, read
from synth.bench.trials.machine import typed
from synth.bench.trials.measure import say
from synth.bench.trials.results import Record, is_there, read_csv
from synth.bench.trials.trial import Part
from synth.core.errors import Mistake
from synth.mechanisms import MECHANISMS

TO = Path(__file__).resolve().parents[1] / "app" / "project" / "spend" / "measured.json"

TITLES = {
    "adult": "Adult",
    "nltcs": "NLTCS",
    "titanic": "Titanic",
    "bank-ordered": "Bank Marketing",
    "survey": "a survey",
    "thresholds": "thresholds of one latent cause",
    "factor-mixture": "a mixture of factors",
    "heavy-tails": "numbers with heavy tails",
    "zero-inflated": "numbers that are often zero",
    "chain-20": "a sparse chain of 20 columns",
    "gauss50": "50 normal numbers",
    "gauss50-32-bins": "50 normal numbers in 32 steps",
}
"""Tables on which the app reports results, with their titles."""

_MADE_OF_REAL = ("bank-ordered",)
_FIGURES = {"columns": "tvd1", "pairs": "tvd2", "triples": "tvd3", "seconds": "cpu_seconds"}
_SPREADS = {f"{name}_spread": figure for name, figure in _FIGURES.items() if figure != "cpu_seconds"}
_TASKS = {"all-2way": 2, "all-3way": 3}

Cell = tuple[str, float, float, str, int]
"""A table, epsilon, delta, a method, and the number of columns per marginal."""


@dataclass(frozen=True, kw_only=True)
class Folder:
    """The records of one benchmark and its sessions, in the order of their start times."""

    records: list[Record]
    sessions: tuple[dict[str, Any], ...]

    @property
    def newest(self) -> str:
        return max(str(session["started"]) for session in self.sessions)

    @property
    def source(self) -> dict[str, Any]:
        """Return a description of the source of the figures, without the local path of the results.

        Records do not name their session, so the source lists everything in which the sessions differ: the
        first and last time, and every machine, version and commit. The command is the command of the last
        session.
        """
        sessions = sorted(self.sessions, key=lambda session: str(session["started"]))
        names = {"version": "marginalia"}
        fields = ("machine", "cores", "version", "commit")
        source: dict[str, Any] = {
            "started": str(sessions[0]["started"]),
            "command": typed(shlex.split(str(sessions[-1]["command"]))),
        }
        for name in fields:
            source[name] = ", ".join(dict.fromkeys(str(s[names.get(name, name)]) for s in sessions))
        if len(sessions) > 1:
            source |= {"sessions": len(sessions), "until": self.newest}
        return source


def opened(path: Path) -> Folder:
    """Return the folder of a benchmark. Raises: `Mistake` if `path` is not such a folder."""
    if not is_there(path / CSV) or not (path / MACHINE).is_file():
        raise Mistake(f"There is no benchmark in {str(path)!r}: {CSV} or {MACHINE} is missing.")
    notes = json.loads((path / MACHINE).read_text(encoding="utf-8"))
    return Folder(records=read_csv(path / CSV), sessions=tuple(notes["sessions"]))


def cells_of(records: Iterable[Record]) -> dict[Cell, dict[str, Any]]:
    """Return the means over the runs of every cell, with the spreads of errors. Cells with failed runs or
    without figures are excluded.
    """
    cells: dict[Cell, dict[str, Any]] = {}
    for one in outcomes_of(records):
        method = alone(one.method) if one.kind is Part.MECHANISM else None
        is_whole = not one.failures and one.figures.keys() >= {*_FIGURES.values()}
        if method is None or one.variant or one.task not in _TASKS or one.table not in TITLES or not is_whole:
            continue
        found = {name: one.mean(figure) for name, figure in _FIGURES.items()}
        found |= {name: one.spread(figure) for name, figure in _SPREADS.items()}
        cell = (one.table, one.epsilon or 0.0, one.delta or 0.0, method, _TASKS[one.task])
        cells[cell] = {"runs": one.runs} | {name: _short(v) for name, v in found.items() if v is not None}
    return cells


def _short(figure: float) -> float:
    return float(f"{figure:.4g}")


def alone(method: str) -> str | None:
    """Return the method of a recipe with default settings, None if the recipe names another generator or
    merges values.
    """
    if method.isalnum():
        return method
    selection, _, generator = method.partition("+")
    return selection if generator == MECHANISMS[selection].generator else None


def document(
    folders: Sequence[Folder],
    *,
    kept: Mapping[str, Any] | None = None,
    find: Callable[[str], BenchTable] = find,
) -> dict[str, Any]:
    """Return the contents of the file: sources, and comparisons by table and guarantee. `kept` is the content
    of an earlier file. Its cells are included as if its folders still existed.
    """
    best = dict(_cells_in(kept)) if kept is not None else {}
    for folder in sorted(folders, key=lambda folder: folder.newest):
        for cell, figures in cells_of(folder.records).items():
            if cell not in best or figures["runs"] >= best[cell][1]["runs"]:
                best[cell] = (folder.source, figures)
    sources: list[dict[str, Any]] = []
    places: dict[tuple[str, float, float], list[dict[str, Any]]] = {}
    for source, _ in best.values():
        if source not in sources:
            sources.append(source)
    for (table, epsilon, delta, method, workload), (source, figures) in sorted(
        best.items(), key=lambda item: item[0]
    ):
        finding = {"method": method, "workload": workload, **figures, "source": sources.index(source)}
        places.setdefault((table, epsilon, delta), []).append(finding)
    shapes = {name: _shape(find(name)) for name in {table for table, *_ in places}}
    comparisons = [
        {
            "title": TITLES[table],
            "is_invented": table not in HOMES and table not in _MADE_OF_REAL,
            "shape": shapes[table],
            "epsilon": epsilon,
            "delta": delta,
            "findings": findings,
        }
        for (table, epsilon, delta), findings in places.items()
    ]
    return {"sources": sources, "comparisons": comparisons}


def _cells_in(kept: Mapping[str, Any]) -> Iterator[tuple[Cell, tuple[dict[str, Any], dict[str, Any]]]]:
    """Return the cells of an earlier file, each with its source."""
    named = {title: table for table, title in TITLES.items()}
    for comparison in kept["comparisons"]:
        for finding in comparison["findings"]:
            table, epsilon, delta = named[comparison["title"]], comparison["epsilon"], comparison["delta"]
            figures = {name: finding[name] for name in ("runs", *_FIGURES, *_SPREADS) if name in finding}
            cell = (table, epsilon, delta, finding["method"], finding["workload"])
            yield cell, (dict(kept["sources"][finding["source"]]), figures)


def _shape(table: BenchTable) -> dict[str, int]:
    columns = table.schema.modelled
    ordered = sum(column.kind.is_ordered for column in columns)
    return {"columns": len(columns), "ordered": ordered, "rows": read(table).rows}


def text_of(document: Mapping[str, Any]) -> str:
    """Return the text of the file, with one source or finding per line."""
    sources = ",\n".join(map(json.dumps, document["sources"]))
    comparisons = []
    for comparison in document["comparisons"]:
        head = json.dumps({name: part for name, part in comparison.items() if name != "findings"})
        findings = ",\n  ".join(map(json.dumps, comparison["findings"]))
        comparisons.append(f'{head[:-1]}, "findings": [\n  {findings}]}}')
    return f'{{"sources": [\n{sources}],\n"comparisons": [\n{",".join(comparisons)}]}}\n'


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth.bench.measured", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="results of the benchmark")
    parser.add_argument(
        "--out", type=Path, default=TO, metavar="FILE", help="default: the file that the app reads"
    )
    parser.add_argument("--keep", action="store_true", help="keep the contents of the file and add to them")
    requested = parser.parse_args(arguments)
    kept = json.loads(requested.out.read_text(encoding="utf-8")) if requested.keep else None
    found = document([opened(path) for path in requested.folders], kept=kept)
    requested.out.write_text(text_of(found), encoding="utf-8")
    findings = sum(len(c["findings"]) for c in found["comparisons"])
    say(f"{findings} findings in {len(found['comparisons'])} comparisons: {requested.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
