"""What may be asked of a study, a look at finished runs in a process of its own (`kinds.study`).

Two kinds. A *steward* study compares the runs with the private table: NOT PRIVATE, so its answer stays in a
folder only the owner can open, and nothing of it is told as progress. An *atlas* maps the synthetic tables of
the runs and reads nothing else. A study spends no budget and holds no place in the queue of runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from synth.core.errors import Mistake

MOST_RUNS = 8
"""Tables one study looks at, at most."""

MAP_ROWS, FEWEST_MAP_ROWS, MOST_MAP_ROWS = 2_000, 100, 10_000
"""Rows that every table gives to a map: unless asked for otherwise, and the limits of what can be asked."""

REAL = "real"
"""The name of the private table on a map."""


class StudyKind(StrEnum):
    """What a study may look at."""

    STEWARD = "steward"
    ATLAS = "atlas"


@dataclass(frozen=True, kw_only=True)
class StudyOrder:
    """What a study is to do: `runs` are ids of finished runs, oldest first; a further table made from a run's
    answers is called by the id, a dash and its generator.

    For a steward study only: `targets` are columns to predict, `held_out` the path of a file of real rows
    that never entered a run ("" for none), `mapped` says whether to draw the map. `rows` is how many rows of
    each table are drawn on a map.

    Raises: `Mistake` for an order no study could have.
    """

    kind: StudyKind
    runs: tuple[str, ...]
    targets: tuple[str, ...] = ()
    held_out: str = ""
    mapped: bool = True
    rows: int = MAP_ROWS

    def __post_init__(self) -> None:
        least = 1 if self.kind is StudyKind.STEWARD else 2
        if not least <= len(self.runs) <= MOST_RUNS:
            raise Mistake(f"Choose {least} to {MOST_RUNS} runs; you chose {len(self.runs)}.")
        if not FEWEST_MAP_ROWS <= self.rows <= MOST_MAP_ROWS:
            raise Mistake(
                f"A map takes {FEWEST_MAP_ROWS} to {MOST_MAP_ROWS:,} rows of each table; you asked for "
                f"{self.rows:,}."
            )
        if self.held_out and not self.targets:
            raise Mistake("A file of held-out rows needs a column to predict.")

    @staticmethod
    def of(document: Mapping[str, Any]) -> StudyOrder:
        """From plain types, as `asdict` gives them."""
        lists = {name: tuple(document[name]) for name in ("runs", "targets")}
        return StudyOrder(**{**document, "kind": StudyKind(document["kind"]), **lists})
