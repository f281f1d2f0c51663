"""Compute a digest of the inputs of a fit between rounds, by which its stored result is found again.

The digest covers the versions of this program and of the generator's packages, because other versions may fit
differently or store other results. It also covers the generator with its options, the seed, the requested
device, columns and codes, structural zeros, order, the number of records, every measurement with its noise
and privacy cost, and the digest of the fit that provided the initial model. For choices and noisy scores, it
covers the query and the result, because their estimates depend on earlier fits. All inputs are public; the
number of records is public or estimated from noisy measurements.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Answer, Choice, Measurement, NoisyNumbers, NoisyScores, Trained
from synth.core.system.version import __version__
from synth.models.base import Generator


def key_of(generator: Generator, evidence: Evidence, *, seed: int, device: str, start: str) -> str:
    """Return 64 hexadecimal digits. `start`: the key of the fit that provided the initial model, or empty if
    there was none. Raises: TypeError for an unknown kind of answer.
    """
    domain, options = evidence.domain, asdict(generator)
    versions = [__version__, *map(version, generator.packages)]
    texts = _texts([versions, generator.name, options, seed, device, start])
    texts += _texts([domain.names, domain.sizes, dict(evidence.ordered), float(evidence.total).hex()])
    for zero in evidence.zeros:
        texts += _texts([zero.clique], zero.forbidden)
    for answer in evidence.answers:
        facts, arrays = _facts_of(answer)
        texts += _texts([type(answer).__name__, answer.part, answer.step, answer.units, *facts], *arrays)
    digest = hashlib.sha256()
    for text in texts:
        digest.update(
            len(text).to_bytes(8, "big")
        )  # so that different lists of strings have different digests
        digest.update(text)
    return digest.hexdigest()


def _facts_of(answer: Answer) -> tuple[list[Any], Sequence[NDArray[Any]]]:
    """Return those facts and arrays of an answer that a fit may use."""
    facts: list[Any]
    match answer:
        case Measurement():
            facts = [answer.clique, str(answer.variance), dict(answer.groups), answer.law.name]
            return facts, [answer.counts]
        case NoisyNumbers():
            facts = [dict(answer.requested), str(answer.variance), answer.scale, answer.law.name]
            return facts, [answer.values]
        case Choice():
            return [answer.clique, answer.index, answer.swing, answer.epsilon.hex()], []
        case NoisyScores():
            facts = [list(answer.score.cliques), str(answer.variance), dict(answer.groups), answer.law.name]
            return facts, [answer.values]
        case Trained():
            return [dict(answer.requested), answer.sigma.hex(), answer.law.name], [answer.state]
    raise TypeError(f"There is no key for answers of the type {type(answer).__name__}.")


def _texts(facts: list[Any], *arrays: NDArray[Any]) -> list[bytes]:
    texts = [json.dumps(facts, sort_keys=True).encode()]
    for array in arrays:
        texts += [f"{array.dtype.str} {array.shape}".encode(), np.ascontiguousarray(array).tobytes()]
    return texts
