"""Fit a Gaussian copula to noisy pairs. Each column has a latent normal variable, whose range is divided into
intervals for the column's codes.

If the latent variables of two columns have the correlation rho, their table is, by Mehler's formula,

    T_ij = N sum_k rho^k h_k(i) h_k(j),    h_k(i) = integral of He_k(x) phi(x) / sqrt(k!) over bin i.

Its margins are exact for every rho. The squared distance from a noisy table is a polynomial in rho whose
coefficients depend on `TERMS` numbers per pair (tetrachoric series; Pearson 1900, Olsson 1979). A factor
model of the measured correlations, weighted by their noise, then estimates the matrix of all correlations,
and the residuals are shrunk. This estimates unmeasured pairs and averages noise over columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from synth.models.copula.latent_orders import latent_orders
from synth.models.estimates.proportional import with_margins
from synth.models.targets import Pair, Targets

TERMS = 72
"""Number of terms of the series in addition to the constant term."""

STRONGEST = 0.98
"""Largest correlation in absolute value. Larger correlations would need many more terms."""

STEPS = 93
"""Number of trial correlations, spaced evenly in Fisher's atanh(rho)."""

FISHER = np.linspace(-math.atanh(STRONGEST), math.atanh(STRONGEST), STEPS)
TRIED = np.tanh(FISHER)[:, None] ** np.arange(2 * TERMS + 1)
"""Powers 0 .. 2 TERMS of the trial correlations."""

DEGREES = np.add.outer(np.arange(1, TERMS + 1), np.arange(1, TERMS + 1)).reshape(-1)
"""The degree k + l of the product of terms k and l."""

FACTORS_ABOVE = 2.0
"""Minimum ratio between the eigenvalue of a significant factor and the eigenvalue of noise alone."""

ROUNDS = 150
"""Maximum number of imputation steps of the factor model."""

LOWERING = 0.9
"""Factor by which the threshold for factors decreases in each step, starting at the largest eigenvalue.
Strong factors thus determine the unmeasured pairs before weak factors are included, because the missing pairs
themselves could cause weak factors.
"""

SETTLED = 1e-3
"""Maximum change of any correlation in the last step."""

LEAST_EIGENVALUE = 1e-3
"""Minimum eigenvalue of the matrix of correlations, so that records can be drawn from it."""

COMMUNALITY = 0.995
"""Maximum fraction of a column's variance that factors may explain."""

ROUNDS_OF_MARGINS = 2
"""Number of rounds that restore the margins after negative cells are set to zero. Cells can be negative
because the series is truncated.
"""

Table = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlations:
    """Correlations of the columns' latent normal variables.

    Shapes: `matrix` float64[d, d], positive definite with a diagonal of ones. `sigmas` float64[d, d], the
    noise of each measured correlation, infinite for unmeasured pairs. `orders[i]`: int[sizes[i]], the codes
    of column i in the order of its latent variable.
    """

    matrix: NDArray[np.float64]
    sigmas: NDArray[np.float64]
    orders: tuple[NDArray[np.intp], ...]


def fit_correlations(targets: Targets) -> Correlations:
    """Estimate the correlations from the measured pairs. Deterministic."""
    orders = latent_orders(targets)
    functions = _functions(targets, orders)
    grams = [(h.T @ h).reshape(-1) for h in functions]
    d = len(targets.domain)
    seen, sigmas = np.zeros((d, d)), np.full((d, d), np.inf)
    for a, b in targets.pairs:
        gram = grams[a] * grams[b]
        rho, sigma = _correlation(targets, (a, b), functions[a], functions[b], gram)
        seen[a, b] = seen[b, a] = rho
        sigmas[a, b] = sigmas[b, a] = sigma
    return Correlations(matrix=_smoothed(seen, sigmas), sigmas=sigmas, orders=orders)


def copula_tables(
    targets: Targets, correlations: Correlations, pairs: Iterable[Pair] | None = None
) -> dict[Pair, Table]:
    """Return the copula's expected counts of pairs of columns, measured or not. By default, return all pairs.

    Shapes: float64[sizes of the pair], each summing to `targets.total`. The margins equal the columns.
    """
    functions = _functions(targets, correlations.orders)
    powers = np.arange(1, TERMS + 1)
    tables: dict[Pair, Table] = {}
    for a, b in pairs if pairs is not None else combinations(range(len(functions)), 2):
        rho = float(np.clip(correlations.matrix[a, b], -STRONGEST, STRONGEST))
        p, q = targets.columns[a] / targets.total, targets.columns[b] / targets.total
        table = np.outer(p, q) + (functions[a] * rho**powers) @ functions[b].T
        if table.min() < 0:
            table = with_margins(np.maximum(table, 0.0), p, q, rounds=ROUNDS_OF_MARGINS)
        tables[a, b] = targets.total * table
    return tables


def _functions(targets: Targets, orders: tuple[NDArray[np.intp], ...]) -> list[NDArray[np.float64]]:
    """Return h_1 .. h_TERMS of every column. Shapes: float64[sizes[i], TERMS]."""
    functions = []
    for counts, order in zip(targets.columns, orders, strict=True):
        p = counts[order] / targets.total
        cuts = ndtri(np.clip(np.cumsum(p)[:-1], 0.0, 1.0))
        ends = np.vstack([np.zeros(TERMS), _hermite(cuts), np.zeros(TERMS)])
        h = np.empty((len(counts), TERMS))
        h[order] = -np.diff(ends, axis=0) / np.sqrt(np.arange(1, TERMS + 1))
        functions.append(h)
    return functions


def _hermite(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return He_k(x) phi(x) / sqrt(k!) for all k < TERMS. The result is zero at infinity. Shapes:
    float64[len(x), TERMS].
    """
    finite = np.where(np.isfinite(x), x, 0.0)
    values = np.zeros((len(x), TERMS))
    values[:, 0] = np.where(np.isfinite(x), np.exp(-0.5 * finite**2) / math.sqrt(2 * math.pi), 0.0)
    before = np.zeros(len(x))
    for k in range(1, TERMS):
        older = before
        before = values[:, k - 1]
        values[:, k] = (finite * before - math.sqrt(k - 1) * older) / math.sqrt(k)
    return values


def _correlation(
    targets: Targets, pair: Pair, one: Table, other: Table, gram: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the correlation whose table has the smallest squared distance from the noisy table, and its
    noise. The correlation is 0 if the columns do not determine it.

    `gram`: the inner products of the tables of terms k and l. Shapes: float64[TERMS^2]. The squared norm of
    the copula's table is a polynomial in which the coefficient of rho^n is the sum of the products with k + l
    = n.
    """
    noisy, (a, b), total = targets.pairs[pair], pair, targets.total
    p, q = targets.columns[a] / total, targets.columns[b] / total
    residual = centred(noisy.counts / total - np.outer(p, q), p, q)
    wanted = np.einsum("ik,ik->k", one, residual @ other)
    loss = TRIED @ np.bincount(DEGREES, gram) - 2 * TRIED[:, 1 : TERMS + 1] @ wanted
    best = int(np.clip(loss.argmin(), 1, STEPS - 2))
    left, middle, right = loss[best - 1 : best + 2].tolist()
    bend = left - 2 * middle + right
    shift = float(np.clip(0.5 * (left - right) / bend, -1, 1)) if bend > 0 else 0.0
    rho = math.tanh(FISHER[best] + shift * (FISHER[1] - FISHER[0]))
    k = np.arange(1, TERMS + 1)
    slope = k * rho ** (k - 1.0)
    information = float(np.outer(slope, slope).reshape(-1) @ gram)
    if information < 1e-12:
        return 0.0, math.inf
    return rho, noisy.sigma / total / math.sqrt(information)


def centred(table: Table, p: NDArray[np.float64], q: NDArray[np.float64]) -> Table:
    """Subtract from a departure its own margins, because other measurements determine the margins more
    precisely.

    The result is a departure from tables with the margins p and q. Shapes: float64[..., a, b] with p
    float64[..., a] and q float64[..., b].
    """
    table = table - table.sum(axis=-1, keepdims=True) * q[..., None, :]
    return np.asarray(table - p[..., :, None] * table.sum(axis=-2, keepdims=True))


def _smoothed(seen: NDArray[np.float64], sigmas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit a low-rank plus diagonal matrix by weighted imputation, shrink the residuals by their noise, and
    make the result positive definite.

    The weight of a pair is (smallest noise / its noise)^2, and 0 for an unmeasured pair (Srebro and Jaakkola
    2003). Factors are the eigenvalues above those of pure noise, which are at most about 2 e sqrt(d) for
    noise of size e.
    """
    d = len(seen)
    known = np.isfinite(sigmas)
    if not known.any():
        return np.eye(d)
    least = max(float(np.quantile(sigmas[known], 0.25)), 1e-6)
    weights = np.where(known, np.minimum(1.0, (least / np.maximum(sigmas, 1e-12)) ** 2), 0.0)
    noise = np.where(known, weights * np.where(known, sigmas, 0.0), 0.0)
    level = FACTORS_ABOVE * math.sqrt(float(np.square(noise).sum()) / d)
    common = np.zeros((d, d))
    communality = np.clip(np.abs(seen).max(axis=1), 0, 0.9)
    lowered = math.inf
    for _ in range(ROUNDS):
        filled = common + weights * (seen - common)
        np.fill_diagonal(filled, communality)
        values, vectors = np.linalg.eigh(filled)
        lowered = max(level, LOWERING * min(lowered, float(values[-1])))
        kept = values > lowered
        new = np.clip((vectors[:, kept] * values[kept]) @ vectors[:, kept].T, -0.99, 0.99)
        communality = np.clip(np.diag(new), 0, COMMUNALITY)
        moved, common = float(np.abs(new - common).max()), new
        if moved < SETTLED and lowered == level:
            break
    return _definite(common + _shrunk(np.where(known, seen - common, 0.0), sigmas, weights, known))


def _shrunk(
    rest: NDArray[np.float64],
    sigmas: NDArray[np.float64],
    weights: NDArray[np.float64],
    known: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the residuals of the factors, multiplied by signal / (signal + noise)."""
    variance = np.where(known, sigmas, 1.0) ** 2
    excess = (weights * (rest**2 - variance))[known].sum() / max(float(weights[known].sum()), 1e-12)
    signal = max(0.0, float(excess))
    return np.asarray(rest * signal / (signal + variance))


def _definite(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix after setting its diagonal to one and its eigenvalues to at least
    `LEAST_EIGENVALUE`.
    """
    matrix = np.clip(matrix, -COMMUNALITY, COMMUNALITY)
    np.fill_diagonal(matrix, 1.0)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    matrix = (vectors * np.maximum(values, LEAST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(matrix))
    return np.asarray(matrix / np.outer(scale, scale))
