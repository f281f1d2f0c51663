"""`python -m synth.bench.tuning TABLE ...`: hyper-parameters of the learners, tuned once on real public rows.

The benchmark papers tune every learner on the real rows of every table and teach it with what came out on all
synthetic ones. So does this: of the makers' own values and of DRAWS points drawn at random from the paper's
space, the one with the best mean macro-F1 on held-back parts of the *training* rows is kept in `tuned.json`
beside the command that found it. The rows that score a benchmark are never looked at.

Differs from the papers in: points are drawn at random, not by Optuna's sampler; parts are set aside of the
training rows alone, each with other rows (their code gives XGBoost and the forest the same part five times);
CatBoost's number of trees is tuned with the rest, where theirs stops early on real rows even when it is
taught on synthetic ones; the space of the network, which is not stated, is ours.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from synth.bench.tables.tables import find, read, read_held_out
from synth.bench.trials.machine import keep_to
from synth.core.axis import ordered_codes
from synth.core.errors import Mistake
from synth.core.table import CodeTable
from synth.evaluate.learners import check_learner
from synth.evaluate.utility import utility

LEARNERS = ("catboost", "xgboost", "forest", "mlp")
"""Those of the benchmark paper."""

TITLES = {"catboost": "CatBoost", "xgboost": "XGBoost", "forest": "random forest", "mlp": "MLP"}

KEPT = Path(__file__).with_name("tuned.json")
DRAWS, PARTS = 10, 3
_HELD_BACK = 5
"""One training row in so many is set aside of a part."""

Options = dict[str, Any]


def _logarithmic(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{np.exp(rng.uniform(np.log(low), np.log(high))):.3g}")


def _even(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{rng.uniform(low, high):.3g}")


def _whole(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


SPACES: dict[str, Callable[[np.random.Generator], Options]] = {
    "catboost": lambda rng: {
        "learning_rate": _logarithmic(rng, 0.01, 1.0),
        "depth": _whole(rng, 3, 10),
        "l2_leaf_reg": _even(rng, 0.1, 10.0),
        "bagging_temperature": _even(rng, 0.0, 1.0),
        "leaf_estimation_iterations": _whole(rng, 1, 10),
        "iterations": _whole(rng, 50, 400),
    },
    "xgboost": lambda rng: {
        "learning_rate": _even(rng, 0.01, 0.2),
        "min_child_weight": _whole(rng, 1, 10),
        "max_depth": _whole(rng, 3, 20),
        "gamma": _even(rng, 0.0, 1.0),
        "n_estimators": 100,
    },
    "forest": lambda rng: {
        "n_estimators": _whole(rng, 10, 200),
        "max_depth": _whole(rng, 4, 64),
        "min_samples_split": _whole(rng, 2, 8),
        "min_samples_leaf": _whole(rng, 1, 8),
    },
    "mlp": lambda rng: {
        "hidden_layer_sizes": [_whole(rng, 32, 256)] * _whole(rng, 1, 2),
        "learning_rate_init": _logarithmic(rng, 1e-4, 1e-2),
        "alpha": _logarithmic(rng, 1e-6, 1e-2),
    },
}
"""The paper's, by the names that the learners' makers use; CatBoost's least rate is ten times the paper's, as
it has fewer trees."""


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What was found for a learner on a table: macro-F1 on the parts set aside, of it and of the defaults
    (`options` is empty where nothing was better than those)."""

    table: str
    learner: str
    options: Options
    f1: float
    f1_by_default: float
    draws: int
    parts: int
    command: str


def options_of(table: str, learner: str) -> Options | None:
    """What a learner was tuned to on a table; None where it was not."""
    found = kept().get((table, learner))
    return None if found is None else found.options


@lru_cache(maxsize=1)
def kept() -> Mapping[tuple[str, str], Tuned]:
    """Everything that was found, by table and learner."""
    return {(one.table, one.learner): one for one in read_kept(KEPT)}


def read_kept(path: Path) -> list[Tuned]:
    if not path.is_file():
        return []
    return [Tuned(**told) for told in json.loads(path.read_text(encoding="utf-8"))]


def tuned(
    rows: CodeTable,
    learner: str,
    *,
    table: str,
    target: str,
    ordered: frozenset[str],
    draws: int = DRAWS,
    parts: int = PARTS,
    seed: int = 0,
) -> Tuned:
    """Tune on these rows alone. Raises: `Mistake` for an unknown learner or one that is not installed."""
    check_learner(learner)
    if learner not in SPACES:
        raise Mistake(f"The learner {learner!r} has nothing to tune. Choose among: {', '.join(SPACES)}.")
    rng = np.random.default_rng(seed)
    points: list[Options] = [{}, *(SPACES[learner](rng) for _ in range(draws))]
    sides = [_divided(rows, part) for part in range(parts)]

    def score(options: Options) -> float:
        return fmean(
            utility(
                target, synthetic=taught, held_out=back, ordered=ordered, learner=learner, options=options
            ).synthetic["f1"]
            for taught, back in sides
        )

    scores = [score(options) for options in points]
    best = int(np.argmax(scores))
    return Tuned(
        table=table,
        learner=learner,
        options=points[best],
        f1=round(scores[best], 4),
        f1_by_default=round(scores[0], 4),
        draws=draws,
        parts=parts,
        command=f"python -m synth.bench.tuning {table} --learners {learner} --draws {draws} --parts {parts}",
    )


def _divided(rows: CodeTable, part: int) -> tuple[CodeTable, CodeTable]:
    """Rows to teach with, and a fifth set aside, another fifth for every part (up to five)."""
    place = np.random.default_rng(0).permutation(rows.rows) % _HELD_BACK
    back = place == part % _HELD_BACK
    return CodeTable(rows.domain, rows.codes[~back]), CodeTable(rows.domain, rows.codes[back])


def main(arguments: Sequence[str]) -> int:
    """Tune, print, and keep."""
    parser = argparse.ArgumentParser(prog="python -m synth.bench.tuning", description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", metavar="TABLE", help="with a target and rows held out")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=LEARNERS, help="default: all")
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"points tried (default: {DRAWS})")
    parser.add_argument("--parts", type=int, default=PARTS, help=f"1 to 5 parts held back (default: {PARTS})")
    parser.add_argument("--out", type=Path, default=KEPT, metavar="FILE", help="default: where it is read")
    asked = parser.parse_args(arguments)
    keep_to(1)
    for name in asked.tables:
        table = find(name)
        if table.target is None or read_held_out(table) is None:
            raise Mistake(f"The benchmark table {name!r} has no target, or no rows held out. Choose another.")
        rows, ordered = read(table), frozenset(ordered_codes(table.axes))
        for learner in asked.learners:
            one = tuned(
                rows,
                learner,
                table=name,
                target=table.target,
                ordered=ordered,
                draws=asked.draws,
                parts=asked.parts,
            )
            write([one], asked.out)
            sys.stdout.write(f"{name}, {learner}: {one.f1:.4f} ({one.f1_by_default:.4f}) {one.options}\n")
            sys.stdout.flush()
    return 0


def write(found: Sequence[Tuned], path: Path) -> None:
    """Take up what is there of other tables and learners."""
    told = {(one.table, one.learner): one for one in (*read_kept(path), *found)}
    lines = [asdict(told[place]) for place in sorted(told)]
    path.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
