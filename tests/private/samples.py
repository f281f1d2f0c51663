"""Test whether samples of rows are independent Poisson samples."""

import numpy as np

SIGMAS = 7
"""Every statistic may be this far from its expectation: with a few thousand statistics of a few hundred
samples, fewer than one test in a million fails by chance."""


def are_poisson_samples(drawn: np.ndarray, chance: float) -> bool:
    """Whether each row is in each sample with this probability, independently of rows and samples.

    Shapes: `drawn`: bool[samples, rows]. It compares the share of each row and each sample, the products of
    each pair of rows, of each row in neighbouring samples, and the variance of the sizes.
    """
    samples, rows = drawn.shape
    z = (drawn - chance) / np.sqrt(chance * (1 - chance))
    pairs = (z.T @ z)[np.triu_indices(rows, 1)] / np.sqrt(samples)
    sizes = np.square(z.sum(axis=1) / np.sqrt(rows))
    found = [
        z.sum(axis=0) / np.sqrt(samples),
        z.sum(axis=1) / np.sqrt(rows),
        pairs,
        (z[1:] * z[:-1]).sum(axis=0) / np.sqrt(samples - 1),
        (z[1:] * z[:-1]).sum(axis=1) / np.sqrt(rows),
        [(sizes.mean() - 1) / np.sqrt(2 / samples)],
    ]
    return bool(np.abs(np.concatenate(found)).max() < SIGMAS)
