from dataclasses import replace

import numpy as np

from synth.core.evidence import Start
from synth.models.blend.candidates import (
    ALONE,
    BASES,
    CANDIDATES,
    COPULA,
    DENOISED,
    FOREST,
    MIXTURE,
    START,
    TREE,
    base_of,
    fit_candidates,
)
from synth.models.blend.refined import RefinedRecords
from tests.models.mixture.test_mixture import ONES, PAIRS, ROWS, corner, evidence, requested, truth

ALL = evidence(requested(ONES + PAIRS))


def test_every_candidate_tells_every_pair_it_can() -> None:
    start = Start(codes=truth().codes[::3].astype(np.int64), source="", digest="")
    found = fit_candidates(replace(ALL, start=start), RefinedRecords(), wanted=CANDIDATES)
    assert {base_of(k) for k in CANDIDATES} == set(BASES)
    real = {pair: truth().counts(r) for pair, r in zip(found.tables[ALONE], PAIRS, strict=True)}
    off = {k: sum(np.abs(real[p] - t).sum() for p, t in found.tables[k].items()) for k in found.tables}
    for kind in (*BASES, *(base + DENOISED for base in BASES)):
        assert len(found.tables[kind]) == len(PAIRS)
        for table in found.tables[kind].values():
            assert (table >= 0).all() and abs(table.sum() - ROWS) < 1
    assert off[START] < 0.2 * off[ALONE]
    assert off[MIXTURE] < 0.2 * off[ALONE] and off[ALONE + DENOISED] < 0.4 * off[ALONE]


def test_no_candidate_expects_what_a_zero_inside_a_pair_forbids() -> None:
    zero = corner()
    found = fit_candidates(evidence(requested(ONES + PAIRS), (zero,)), RefinedRecords())
    assert all(tables[0, 1][zero.forbidden].sum() < 1e-6 for tables in found.tables.values())


def test_models_that_are_not_named_stay_as_they_were() -> None:
    first = fit_candidates(ALL, RefinedRecords())
    again = fit_candidates(
        evidence(requested(ONES + PAIRS, sigma=20)), RefinedRecords(), start=first, again=[MIXTURE]
    )
    assert again.tree is first.tree and again.correlations is first.correlations
    assert again.forest is first.forest and again.tables[FOREST] is first.tables[FOREST]
    assert again.mixture is not first.mixture and again.tables[TREE] is first.tables[TREE]
    assert again.targets is not first.targets and again.tables[COPULA] is first.tables[COPULA]
