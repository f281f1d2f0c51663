"""Run MST with the library mbi, in the library's environment, without imports from our code.

`python drive_mbi.py REQUEST.json`; `bench.peers.exchange` describes the request and the result. The library
fits and samples graphical models but has no mechanisms, so this file has a short implementation of MST
(McKenna et al. 2021), without merging rare codes. Use it only for comparisons and never for a release: the
noise is a NumPy float.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import combinations
from math import exp, sqrt
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from mbi import Dataset, Domain, LinearMeasurement
from mbi.estimation import MirrorDescent


def rho_of(epsilon: float, delta: float) -> float:
    """Return the largest rho that guarantees (epsilon, delta) (Canonne, Kamath, Steinke 2020, Cor. 13)."""

    def lowest(rho: float) -> float:
        grid = 1.0 + np.geomspace(1e-3, 1e4, 4000)
        exponents = (grid - 1) * (grid * rho - epsilon) + grid * np.log1p(-1 / grid)
        return exp(float(np.min(exponents - np.log(grid - 1))))

    low, high = 0.0, epsilon + 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if lowest(middle) <= delta else (low, middle)
    return low


class Measured:
    """A table, its measurements, and the model fitted to them."""

    def __init__(self, data: Dataset, seed: int) -> None:
        self.data = data
        self.rng = np.random.default_rng(seed)
        self.measured: list[LinearMeasurement] = []
        self.model: Any = None

    def true(self, clique: tuple[str, ...]) -> Any:
        return np.asarray(self.data.project(clique).datavector())

    def measure(self, clique: tuple[str, ...], sigma: float) -> None:
        exact = self.true(clique)
        self.measured.append(
            LinearMeasurement(exact + self.rng.normal(0.0, sigma, exact.size), clique, sigma)
        )

    def fit(self, iterations: int) -> None:
        self.model = MirrorDescent().estimate(
            self.data.domain, self.measured, iters=iterations, warm_start=self.model
        )

    def error(self, clique: tuple[str, ...]) -> float:
        return float(np.abs(self.true(clique) - np.asarray(self.model.project(clique).datavector())).sum())

    def choose(self, scores: dict[Any, float], epsilon: float, sensitivity: float) -> Any:
        keys = list(scores)
        logits = 0.5 * epsilon / sensitivity * np.array([scores[key] for key in keys])
        weights = np.exp(logits - logits.max())
        return keys[self.rng.choice(len(keys), p=weights / weights.sum())]


def mst(run: Measured, names: list[str], rho: float) -> None:
    """Run MST with a third of rho for the columns, a third for the spanning tree, and a third for its
    pairs.
    """
    for name in names:
        run.measure((name,), sqrt(len(names) / (2 * rho / 3)))
    run.fit(1000)
    scores = {pair: run.error(pair) for pair in combinations(names, 2)}
    tree = nx.Graph()
    tree.add_nodes_from(names)
    epsilon = sqrt(8 * rho / 3 / (len(names) - 1))
    for _ in range(len(names) - 1):
        left = {(a, b): s for (a, b), s in scores.items() if not nx.has_path(tree, a, b)}
        tree.add_edge(*run.choose(left, epsilon, 1.0))
    for a, b in tree.edges:
        run.measure((a, b), sqrt((len(names) - 1) / (2 * rho / 3)))
    run.fit(5000)


def main(arguments: list[str]) -> int:
    requested = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    with Path(requested["codes"]).open(encoding="utf-8") as lines:
        names = lines.readline().strip().split(",")
        rows = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2)
    domain = Domain(names, [requested["domain"][name] for name in names])
    np.random.seed(requested["seed"])  # noqa: NPY002 - the library uses the global generator
    start, start_cpu = time.perf_counter(), time.process_time()
    run = Measured(Dataset(dict(zip(names, rows.T, strict=True)), domain), requested["seed"])
    mst(run, names, rho_of(requested["epsilon"], requested["delta"]))
    made = run.model.synthetic_data(requested["rows"])
    timed = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - start_cpu}
    columns = np.stack([np.asarray(made.data[name]) for name in names], axis=1)
    np.savetxt(requested["made"], columns, fmt="%d", delimiter=",", header=",".join(names), comments="")
    Path(requested["timed"]).write_text(json.dumps(timed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
