"""Compute one joint t-SNE map of several tables.

Each table contributes the same number of rows, drawn without replacement. The method does not know which
table a row comes from (van der Maaten & Hinton 2008; openTSNE, Policar et al. 2024, initialised by principal
components; forces of many points are interpolated, Linderman et al. 2019). Rows are compared column by
column: ordered codes by their distance on a scale of length 1, and any two different codes of other columns
with distance 1.

Unlike a usual t-SNE plot, the map shows a table by the density of its points on a grid. The points themselves
are kept only for the tables in `points_of`, because a point of a private table represents a record.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from openTSNE import TSNE
from scipy.ndimage import gaussian_filter

from synth.app.maps.atlas import CROWD, Atlas, Depth, Sheet
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter, silent
from synth.core.table import CodeTable

FEWEST = 50
"""Minimum number of rows per table for a meaningful map."""

CELLS = 56
"""Number of cells along each side of the density grid."""

BLUR = 2.0
"""Standard deviation of the smoothing, in cells."""

PERPLEXITY = 30.0
EARLY, LATE, TELL_EVERY = 250, 500, 25
"""Number of gradient steps with and without exaggeration, and of steps between two progress reports."""


def draw(
    tables: Mapping[str, CodeTable],
    *,
    ordered: Mapping[str, int],
    points_of: frozenset[str],
    rows: int,
    seed: int = 0,
    report: Reporter = silent,
) -> Atlas:
    """Return a joint map of these tables.

    The same tables and seed give the same map. `ordered` has the number of ordered codes for each ordered
    column (`axis.ordered_codes`). `rows` is the maximum number of rows from each table. Raises: `Mistake` if
    a table is too small. An error from `report` stops the computation.
    """
    rows = min(rows, *(table.rows for table in tables.values()))
    if rows < FEWEST:
        raise Mistake(f"A map needs at least {FEWEST} rows from every table.")
    rng = np.random.default_rng(seed)
    taken = [table.codes[rng.choice(table.rows, rows, replace=False)] for table in tables.values()]
    domain = next(iter(tables.values())).domain
    features = _features(CodeTable(domain, np.concatenate(taken)), ordered)
    if features.shape[1] == 0:
        raise Mistake("A map needs rows that differ, but all rows of these tables are equal.")
    places = _fit(features, seed=seed, report=report)
    clouds = dict(zip(tables, np.split(places, len(tables)), strict=True))
    low, high = places.min(axis=0), places.max(axis=0)
    margin = 0.06 * (high - low) + 1e-9
    x, y = (np.linspace(a, b, CELLS + 1) for a, b in zip(low - margin, high + margin, strict=True))
    return Atlas(
        x=_rounded((x[1:] + x[:-1]) / 2),
        y=_rounded((y[1:] + y[:-1]) / 2),
        rows=rows,
        sheets=tuple(
            Sheet(
                name=name,
                depth=depth(cloud, x, y),
                points=_points(cloud) if name in points_of else (),
            )
            for name, cloud in clouds.items()
        ),
    )


def depth(points: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> Depth:
    """Return the share of points in denser cells, rounded to hundredths, for each cell between the edges `x`
    and `y`.

    Shapes: `points: float64[n, 2]`, result [len(y) - 1][len(x) - 1].
    """
    counts = np.histogram2d(points[:, 1], points[:, 0], bins=[y, x])[0]
    density = gaussian_filter(counts, BLUR, mode="constant")
    order = np.argsort(-density, axis=None, kind="stable")
    inside = np.empty(density.size)
    inside[order] = np.cumsum(density.ravel()[order]) - density.ravel()[order]
    return tuple(_rounded(line) for line in (inside / density.sum()).reshape(density.shape))


def _points(cloud: NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in cloud)


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(v), 2) for v in values)


def _features(table: CodeTable, ordered: Mapping[str, int]) -> NDArray[np.float64]:
    """Return rows as points whose squared distance is the sum over the columns. Shape: float64[rows,
    features].
    """
    blocks = []
    for name, column in zip(table.domain.names, table.codes.T, strict=True):
        in_order = ordered.get(name, 0)
        if in_order > 1:
            blocks.append(np.where(column < in_order, column / (in_order - 1), 0.5)[:, None])
        loose = np.unique(column[column >= in_order])
        blocks.append((column[:, None] == loose) / np.sqrt(2.0))
    features = np.concatenate(blocks, axis=1)
    return np.asarray(features[:, np.ptp(features, axis=0) > 0.0])


def _fit(features: NDArray[np.float64], *, seed: int, report: Reporter) -> NDArray[np.float64]:
    """Return the positions of rows on the map. Shape: float64[rows, 2]."""
    steps = 0

    def tell(iteration: int, error: float, embedding: NDArray[np.float64]) -> None:
        nonlocal steps
        steps += TELL_EVERY
        done = min(steps / (EARLY + LATE), 1.0)
        report(Progress(stage="map", done=done, fact=f"step {steps} of {EARLY + LATE}"))

    report(Progress(stage="map", done=0.0, fact="finding nearest neighbours"))
    fitted = TSNE(
        perplexity=min(PERPLEXITY, (len(features) - 1) / 3),
        early_exaggeration_iter=EARLY,
        n_iter=LATE,
        initialization="pca" if features.shape[1] > 1 else "random",
        negative_gradient_method="bh" if len(features) < CROWD else "fft",
        n_jobs=1,
        random_state=seed,
        callbacks=tell,
        callbacks_every_iters=TELL_EVERY,
    ).fit(features)
    return np.asarray(fitted, dtype=np.float64)
