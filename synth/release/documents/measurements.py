"""Write and read the files of noisy measurements. Anyone can fit another model to them.

There are two files. `marginals.parquet` has one line for each cell of every measured table, with the released
noisy count (an integer, possibly negative), its sigma and its privacy cost. `measurements.json` defines the
codes (axes, groupings, zeros) and states every variance as an exact fraction. It also contains the
measurements that are not tables (`answers.NoisyNumbers`, `NoisyScores`, `Trained`). `read` returns the
evidence with all numbers unchanged. The files contain neither the selections nor the estimates that the
scores were compared with.
"""

from __future__ import annotations

import base64
import io
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from synth.core.columns.unfit import Unfit
from synth.core.domain import Domain
from synth.core.evidence import COMPARISON, FIT, MEANS, SHARES, Evidence, Start
from synth.core.measurements.logistic import ASK as LOGISTIC
from synth.core.measurements.noisy import Measurement, NoisyNumbers, NoisyScores, Trained
from synth.core.networks.layers import base_bytes
from synth.core.networks.trainee import trainee_named
from synth.dictionaries import dump_schema
from synth.private.queries.base import grouped
from synth.private.scores import SCALE, public_words, score_of_words
from synth.release.reading.tables import FORMAT, damaged, price_in, read_tables

MARGINALS = pa.schema(
    [
        ("table", pa.int32()),
        ("clique", pa.dictionary(pa.int32(), pa.string())),
        ("cell", pa.int64()),
        ("codes", pa.list_(pa.int32())),
        ("count", pa.int64()),
        ("sigma", pa.float64()),
        ("rho_units", pa.int64()),
        ("part", pa.dictionary(pa.int32(), pa.string())),
        ("step", pa.int32()),
    ]
)
"""Columns of the long table.

`clique` is a JSON list of names. `cell` is the position in C order. `codes` is the position of the cell in
each column.
"""


OF_VERDICT = (
    " In the part 'verdict', the estimate of each table is the released table, scaled to the total. "
    "'mean_score' is the mean of such scores over several tables. A score of 'range_gap' is the "
    "distance between the number of records in a range of values and the released number. 'hits' has "
    "two numbers of records: those whose label is predicted by a classifier of the released rows, and "
    "those with the most frequent released label."
)
"""The description of the results of the accuracy check."""


OF_UNFIT = (
    " 'unfit' of a table has the noisy numbers of cells that do not fit the declaration, in units of "
    "1/weight cells, with the variance of their noise in the same units squared. A record that fits "
    "adds 5 to its cell. Another record adds 4 to its cell and 3 to the number of its reason, or 5 to "
    "this number if it has no cell. The counts are these sums, plus noise of 25 times the usual "
    "variance and a fifth of the number of each reason, divided by 5 and rounded. 'variance' is the "
    f"largest variance of a count. Tables in the part {FIT!r} were measured only for these numbers."
)
"""The description of the numbers of cells that do not fit."""


OF_START = (
    " 'start' is the public table from which the run started; it is not protected. Its rows are codes "
    "of the domain: 32-bit integers, little endian, row by row, compressed (zlib), in base64. The "
    "estimates in the scores of pairs are the pairs of this table, adjusted to the noisy columns."
)
"""The description of the starting table."""


OF_MEANS = (
    " In the part 'means', 'moments' has sums of products of terms, for each cell of the columns in "
    "'by', in their codes. A term is a column or one code of a column. For a column, code c (below its"
    " number of cells) has the place 2 c - cells + 1, and its value has the same relative position "
    "between 'low' and 'high'. For a single code, the place is 1 for records with this code and -1 for"
    " other records. Entry [i, j] is the sum of (place of term i) * (place of term j), where term 0 is"
    " the constant 1. Records with any other code are not counted. The noise of an entry has the "
    "stated variance times the square of its largest product."
)
"""The description of the sums for means and linear regressions."""

OF_LOGISTIC = (
    " 'logistic' has the score and the information of a logistic regression at the coefficients "
    "'start'. The outcome is the last term: it is 1 for records with its code and 0 for other records."
    " The coefficients are the constant, then one for each other term, in units of 1/4096, for places "
    "divided by the largest place. The predictor of a record is the sum of coefficient * place, with "
    "each summand rounded, and is limited to the range from -15 to 15. p is the resulting probability,"
    " in units of 1/2^20. Entry [j] is the sum of (outcome - p) * (place of term j). Entry [i, j] is "
    "the sum of p (1 - p) * (place of term i) * (place of term j), with p (1 - p) in units of 1/2^14. "
    "The noise of an entry has the stated variance times the square of its scale."
)
"""The description of the scores of logistic regressions."""


def tables(evidence: Evidence) -> tuple[Measurement, ...]:
    """Return all tables, in the order in which the files contain them.

    The order is: the tables to which a model is fitted, the tables used to weight its records, the hold-out
    tables, the tables for target proportions, and those that only count cells that do not fit. Tables
    computed from interactions are excluded, because `numbers` returns the interactions.
    """
    requested = (m for m in evidence.measurements if not m.joined)
    return (*requested, *evidence.tilings, *evidence.held_back, *evidence.shares, *evidence.fit)


def numbers(evidence: Evidence) -> tuple[NoisyNumbers, ...]:
    """Return every measurement that is neither a table nor a batch of scores. The measurements of the
    accuracy check come last.
    """
    return (*evidence.numbers, *(a for a in evidence.verdict if isinstance(a, NoisyNumbers)))


def scores(evidence: Evidence) -> tuple[NoisyScores, ...]:
    """Return every batch of noisy scores. The batch of the accuracy check comes last."""
    return (*evidence.scores, *(a for a in evidence.verdict if isinstance(a, NoisyScores)))


def document(evidence: Evidence) -> dict[str, Any]:
    """Return the content of the JSON file."""
    codebook, domain = evidence.codebook, evidence.domain
    own = {axis.name: axis.column for axis in codebook.axes}
    columns = (c if c.separator else own.get(c.name, c) for c in codebook.schema.columns)
    resolved = replace(codebook.schema, columns=tuple(columns))
    return {
        "format": FORMAT,
        "about": "The noisy counts of the tables below. 'variance' is the parameter sigma^2 of the noise "
        "added to each count, as an exact fraction. If the 'law' of a table is gaussian, the "
        "noise is a normal number rounded to the nearest integer; otherwise, it is a discrete "
        "Gaussian. 'rho_units' is the privacy cost in units of 1e-12 rho. The codes of a column "
        "are the declared cells in order, then 'other' if the column has it, then missing. A "
        "grouping maps these codes to the coarser codes of the tables. If a table has groups, "
        "they map these codes to the even coarser codes in which it was measured. "
        f"Tables in the part {COMPARISON!r} are hold-out measurements: no model was fitted to "
        f"them. No model was fitted to tables in the part {SHARES!r} either: the last cell of each"
        " has the number of records of a target proportion, and the synthetic rows were adjusted "
        "to it. "
        "'total' is the number of records that the synthetic rows represent. It is noisy unless "
        "the schema makes it public. 'zeros' are runs [start, length] of impossible cells in C "
        "order. 'numbers' has the measurements that are not tables. The values of an interaction "
        "are contrasts of the table of its clique: sums of its cells, weighted by the rows (1, "
        "-1, 0, ...), (1, 1, -2, 0, ...), ... along each axis. The noise of a contrast is an "
        "integer with the stated variance times the squared length of its row (2, 6, 12, ... "
        "along one axis, multiplied over all axes). The interaction is the sum of all contrasts "
        "times their rows, each divided by the squared length; it is a table whose sums are 0. "
        "The table of a clique is the sum of the interactions of all subsets of its columns (for "
        "the empty set, the total), each divided by the number of cells of the other columns. "
        "'scores' has the noisy scores by which tables were selected. A batch has one value for "
        "each of its cliques. Values, and the standard deviation of their noise, are in units of "
        "1/scale. 'l1_gap' is (d - penalty) * weight, where d is the sum of the absolute "
        "differences between a table and its estimate from earlier measurements, and the penalty "
        "is in the units of the values. The estimate is not stored. 'indif' is the same sum, with"
        " the product of the margins of the table as the estimate."
        + (OF_UNFIT if any(m.unfit for m in tables(evidence)) else "")
        + (OF_START if evidence.start is not None else "")
        + (OF_MEANS if any(a.part == MEANS for a in evidence.numbers) else "")
        + (OF_LOGISTIC if any(a.requested["ask"] == LOGISTIC for a in evidence.numbers) else "")
        + (OF_VERDICT if evidence.verdict else ""),
        "schema": dump_schema(resolved),
        "axes": [
            {"column": a.name, "labels": list(a.labels), "edges": list(a.edges), "other": a.other}
            for a in codebook.axes
        ],
        "groupings": [
            {"column": g.column, "group_of": list(g.group_of), "weights": list(g.weights)}
            for g in codebook.groupings
        ],
        "total": evidence.total,
        **({"start": _start(evidence.start)} if evidence.start is not None else {}),
        "domain": {"names": list(domain.names), "sizes": list(domain.sizes)},
        "zeros": [{"clique": list(z.clique), "runs": _runs(z.forbidden)} for z in codebook.zeros],
        "tables": [
            {
                "table": number,
                "clique": list(m.clique),
                "shape": list(m.counts.shape),
                "variance": _fraction(m.variance),
                "sigma": m.sigma,
                **({"unfit": [_unfit(one) for one in m.unfit]} if m.unfit else {}),
                **_price(m, groups={name: list(group_of) for name, group_of in m.groups.items()}),
            }
            for number, m in enumerate(tables(evidence))
        ],
        **({"numbers": [_numbers(a) for a in numbers(evidence)]} if numbers(evidence) else {}),
        **({"scores": [_scores(a) for a in scores(evidence)]} if scores(evidence) else {}),
        **({"trained": [_trained(answer) for answer in evidence.trained]} if evidence.trained else {}),
    }


def _start(start: Start) -> dict[str, Any]:
    """Return the starting table as plain types: its source, and its rows as codes of the domain.

    The codes are 32-bit integers, little endian, row by row, compressed (zlib), in base64.
    """
    packed = zlib.compress(start.codes.astype("<u4").tobytes(), 9)
    facts = {"source": start.source, "sha256": start.digest, "rows": len(start.codes)}
    return {**facts, "codes": base64.b64encode(packed).decode()}


def _scores(answer: NoisyScores) -> dict[str, Any]:
    """Return a batch of scores as plain types.

    Public estimates are not included, because they would need one number for each cell of every candidate.
    """
    return {
        **public_words(answer.score),
        "values": np.rint(answer.values * SCALE).astype(np.int64).tolist(),
        "scale": SCALE,
        "variance": _fraction(answer.variance * SCALE**2),
        "groups": {name: list(group_of) for name, group_of in answer.groups.items()},
        **_price(answer),
    }


def _trained(answer: Trained) -> dict[str, Any]:
    """Return one block of a training as plain types.

    `state` is the model's weights, the state of the optimiser and the mean of the weights, which is used to
    draw records: 32-bit floats, little endian, in base64. It is empty except for the last block. `sigma` is
    the standard deviation of the noise in each number of each sum of gradients, in units of the length to
    which a record's gradient was clipped. `beside` has the other parts of the network, as 32-bit floats in
    base64: for the critic of a GAN, the weights of the generator against which it was trained. It is empty
    except for the last block.
    """
    net = answer.net
    beside = net.public()[len(base_bytes(net.base)) :]
    return {
        "asked": dict(answer.requested),
        "base": [list(column) for column in net.base],
        **({"beside": base64.b64encode(beside).decode()} if beside else {}),
        "state": base64.b64encode(answer.state.astype("<f4").tobytes()).decode(),
        "sigma": answer.sigma,
        **_price(answer),
    }


def _numbers(answer: NoisyNumbers) -> dict[str, Any]:
    """Return a measurement that is not a table as plain types.

    `values` and the standard deviation of their noise are in units of 1/scale. `variance` is in units of
    1/scale^2.
    """
    return {
        "asked": dict(answer.requested),
        "values": answer.values.tolist(),
        "scale": answer.scale,
        "variance": _fraction(answer.variance),
        **_price(answer),
    }


def _unfit(one: Unfit) -> dict[str, Any]:
    """Return a number of cells that do not fit as plain types. `count` is in units of 1/`weight` cells."""
    return {
        "reason": one.reason,
        "count": one.count,
        "weight": one.weight,
        "variance": _fraction(one.variance),
    }


def _fraction(number: Fraction) -> str:
    return f"{number.numerator}/{number.denominator}"


def _price(answer: Measurement | NoisyNumbers | NoisyScores | Trained, **more: Any) -> dict[str, Any]:
    """Return the fields that every measurement has: its cost, its step in the run, and the distribution of
    its noise.
    """
    return {
        "rho_units": answer.units,
        "part": answer.part,
        "step": answer.step,
        **more,
        **answer.law.as_facts(),
    }


def marginals(measurements: Sequence[Measurement], *, schema_id: str) -> bytes:
    """Return the Parquet file: one line per cell, with the tables in the order of measurement.

    The same evidence always gives the same bytes.
    """
    sizes = [m.counts.size for m in measurements]
    table = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    texts = [json.dumps(m.clique, ensure_ascii=False) for m in measurements]
    cliques, clique_of = _numbered(texts)
    parts, part_of = _numbered([m.part for m in measurements])
    cells = [np.arange(size, dtype=np.int64) for size in sizes]
    codes = [
        np.stack(np.unravel_index(cell, m.counts.shape), axis=1).ravel() if m.clique else cell[:0]
        for cell, m in zip(cells, measurements, strict=True)
    ]
    widths = np.repeat([len(m.clique) for m in measurements], sizes)
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    columns = [
        pa.array(table),
        pa.DictionaryArray.from_arrays(
            pa.array(np.repeat(clique_of, sizes)), pa.array(cliques, type=pa.string())
        ),
        pa.array(_joined(cells)),
        pa.ListArray.from_arrays(pa.array(offsets), pa.array(_joined(codes).astype(np.int32))),
        pa.array(_joined([m.counts.ravel() for m in measurements])),
        pa.array(np.repeat([m.sigma for m in measurements], sizes).astype(np.float64)),
        pa.array(np.repeat([m.units for m in measurements], sizes).astype(np.int64)),
        pa.DictionaryArray.from_arrays(
            pa.array(np.repeat(part_of, sizes)), pa.array(parts, type=pa.string())
        ),
        pa.array(np.repeat([m.step for m in measurements], sizes).astype(np.int32)),
    ]
    about = {"marginalia.format": FORMAT, "marginalia.schema": schema_id}
    out = io.BytesIO()
    pq.write_table(
        pa.Table.from_arrays(columns, schema=MARGINALS.with_metadata(about)), out, compression="zstd"
    )
    return out.getvalue()


def read(described: Mapping[str, Any], parquet: bytes) -> Evidence:
    """Return the evidence written by `document` and `marginals`.

    Raises: `Mistake` if the two files do not describe the same tables, or were not written by this program.
    """
    evidence = read_tables(described, parquet)
    with damaged():
        scored = tuple(_scores_in(stored, evidence.domain) for stored in described.get("scores", ()))
        trained = tuple(_trained_in(stored) for stored in described.get("trained", ()))
    return evidence.joined((*scored, *trained))


def _scores_in(stored: Mapping[str, Any], domain: Domain) -> NoisyScores:
    score, values = score_of_words(stored), np.array(stored["values"], dtype=np.int64)
    groups = {name: tuple(group_of) for name, group_of in stored["groups"].items()}
    is_known = all(domain.clique(clique) == clique for clique in score.cliques)
    is_requested = len(set(score.cliques)) == len(values) > 0 and grouped(domain, groups) is not None
    if not (is_known and is_requested) or values.shape != (len(score.cliques),):
        raise ValueError("scores of invalid tables")
    if stored["scale"] != SCALE or not score.sensitivity(1) > 0:
        raise ValueError("scores in other units, or scores that do not depend on any record")
    return NoisyScores(
        score=score,
        values=values / SCALE,
        variance=Fraction(stored["variance"]) / SCALE**2,
        groups=groups,
        **price_in(stored),
    )


def _trained_in(stored: Mapping[str, Any]) -> Trained:
    base, requested = tuple(tuple(int(w) for w in column) for column in stored["base"]), stored["asked"]
    public = base_bytes(base) + base64.b64decode(stored.get("beside", ""))
    net, rest = trainee_named(requested).restored(tuple(map(len, base)), requested, public)
    state = np.frombuffer(base64.b64decode(stored["state"]), dtype="<f4").astype(np.float32).reshape(3, -1)
    if rest or (state.size and not net.is_sound) or state.shape[1] not in (0, net.parameters):
        raise ValueError("a network that does not fit its weights")
    return Trained(
        requested=requested,
        net=net,
        state=state,
        sigma=float(stored["sigma"]),
        **price_in(stored),
    )


def _numbered(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int32]]:
    """Return the distinct texts, and the position of each text among them."""
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return list(place), np.array([place[text] for text in texts], dtype=np.int32)


def _joined(arrays: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, dtype=np.int64), *arrays])  # of no arrays, too


def _runs(forbidden: NDArray[np.bool_]) -> list[list[int]]:
    """Return runs of True in C order as [start, length]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], forbidden.ravel(), [False]]).astype(np.int8)))
    return [[int(start), int(stop - start)] for start, stop in edges.reshape(-1, 2)]
