"""`python -m synth.bench.against FOLDER PAGE`: the default of one benchmark against the others of a report.

What the default is costs little to measure again, and what it is held against costs hours. So its runs are
read from the figures of a folder, and those of other methods of ours from a page that `python -m synth bench`
wrote before: means and spreads, as they are printed there. That both are of the same tables, promises and
tasks is for the caller to see to.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from synth.bench.report.standing import PAIRS, held_in_all, standings, summary
from synth.bench.report.tally import Outcome, outcomes_of
from synth.bench.report.verdicts import DEFAULT
from synth.bench.run import CSV
from synth.bench.trials.measure import say
from synth.bench.trials.results import read_csv
from synth.bench.trials.trial import Part

FIGURES = {"TVD 2-way": "tvd2", "TVD 3-way": "tvd3"}
"""Headings of a page's tables, by what they head."""

OURS = " ours"
"""What stands behind the name of a method of ours."""

HALF = 5e-5
"""Of the last digit that errors are printed with."""

_PRINTED = re.compile(r"([0-9.]+)(?: \(([0-9.]+)\))?")


class _Page(HTMLParser):
    """The tables of a page by the heading above them."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._heading, self._inside = "", ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "h2":
            self._heading = ""
        if tag in ("h2", "td", "th"):
            self._inside = tag
        rows = self.tables.setdefault(self._heading, []) if tag in ("tr", "td", "th") else []
        if tag == "tr":
            rows.append([])
        elif tag in ("td", "th"):
            rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "h2":
            self._heading += data
        elif self._inside:
            self.tables[self._heading][-1][-1] += data


def printed(page: str) -> Iterator[Outcome]:
    """What a report prints of our methods in pairs and triples, but for the default: outcomes whose runs have
    the printed mean and spread."""
    found = _Page()
    found.feed(page)
    for table, (head, *rows) in found.tables.items():
        if head[:1] != ["method"]:
            continue
        for row in rows:
            if len(row) < len(head):  # a run that failed
                continue
            cells = dict(zip(head, row, strict=True))
            name = cells["method"].removesuffix(OURS)
            if name == cells["method"] or name == DEFAULT:
                continue
            runs = {figure: _runs(cells[title], int(cells["runs"])) for title, figure in FIGURES.items()}
            yield Outcome(
                table,
                PAIRS,
                "",
                Part.MECHANISM,
                name,
                float(cells["epsilon"]),
                {f: r for f, r in runs.items() if r},
            )


def _runs(cell: str, count: int) -> list[float]:
    """So many numbers of this mean and spread; none for a dash.

    >>> _runs("0.5000 (0.1000)", 3), _runs("0.5000", 1), _runs("-", 3)
    ([0.4, 0.5, 0.6], [0.5], [])
    """
    found = _PRINTED.fullmatch(cell)
    if found is None:
        return []
    mean, half = float(found[1]), count // 2
    away = float(found[2] or 0.0) * math.sqrt((count - 1) / (2 * half)) if half else 0.0
    return [mean - away] * half + [mean] * (count % 2) + [mean + away] * half


def against(ours: Sequence[Outcome], others: Sequence[Outcome]) -> list[str]:
    """Where the default is first or level with the first, how many cells hang on the last printed digit of
    another method, and every cell where it is behind."""
    mine = [one for one in ours if one.method == DEFAULT]
    found = list(standings([*mine, *others]))
    edges = [[replace(one, theirs=one.theirs + off) for one in found] for off in (-HALF, HALF)]
    least, most = (sum(held_in_all(edge).values()) for edge in edges)
    return [
        *summary(found),
        f"By the last printed digit of the best other both would hold in {least} to {most} of them.",
        *(str(one) for one in found if not one.holds),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m synth.bench.against", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the figures of the default are")
    parser.add_argument("page", type=Path, help="the report with the others")
    asked = parser.parse_args()
    ours = outcomes_of(read_csv(asked.folder / CSV))
    for line in against(ours, list(printed(asked.page.read_text(encoding="utf-8")))):
        say(line)


if __name__ == "__main__":
    main()
