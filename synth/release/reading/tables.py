"""Read the codes and the noisy tables of a release package, without scores and trained networks.

This module imports no module that reads private files, so an analyst can use it alone.
"""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from synth.core.accounting import law_named
from synth.core.axis import Axis, Grouping, domain_of
from synth.core.codebook import Codebook
from synth.core.columns.unfit import Unfit
from synth.core.documents import read_as
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.evidence import MOST_ROWS, Evidence, Start
from synth.core.measurements.interactions import shape_of, squared_lengths
from synth.core.measurements.joined import asks_interaction
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.zeros import Zero
from synth.dictionaries import load_schema, stored

FORMAT = "marginalia-measurements/1"


@contextmanager
def damaged() -> Iterator[None]:
    """Convert the errors that a damaged file can cause to `Mistake`."""
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        IndexError,
        KeyError,
        OSError,
        TypeError,
        ValueError,
        pa.ArrowException,
    ):
        raise Mistake(
            "The measurements are damaged: a field is missing or does not fit the tables."
        ) from None


def read_tables(described: Mapping[str, Any], parquet: bytes) -> Evidence:
    """Return the evidence without scores and trained networks.

    `described` is the content of measurements.json, and `parquet` is the content of marginals.parquet.
    Raises: `Mistake` if the two files do not describe the same tables, or were not written by this program.
    """
    if described.get("format") != FORMAT:
        raise Mistake(
            f"The measurements do not have the format {FORMAT!r}, so this program cannot read them."
        )
    with damaged():
        schema = load_schema(stored(described["schema"]))
        axes = tuple(
            Axis(
                column=schema.column(a["column"]),
                labels=tuple(a["labels"]),
                edges=tuple(a["edges"]),
                other=a["other"],
            )
            for a in described["axes"]
        )
        groupings = tuple(read_as(Grouping, stored) for stored in described["groupings"])
        domain = domain_of(axes, groupings)
        if [list(domain.names), list(domain.sizes)] != [described["domain"][k] for k in ("names", "sizes")]:
            raise Mistake("The domain stated in the measurements does not match their axes.")
        zeros = tuple(
            Zero(tuple(z["clique"]), _table(z["runs"], domain.shape(z["clique"]))) for z in described["zeros"]
        )
        cells = pq.read_table(io.BytesIO(parquet), columns=["table", "cell", "count"])
        measured = _measurements(described["tables"], domain, cells)
        codebook = Codebook(schema=schema, axes=axes, groupings=groupings, zeros=zeros)
        counted = tuple(_numbers_in(stored, domain) for stored in described.get("numbers", ()))
        return Evidence(
            codebook=codebook,
            answers=(*measured, *counted),
            total=float(described["total"]),
            start=_start_in(described["start"], domain) if "start" in described else None,
        )


def _start_in(stored: Mapping[str, Any], domain: Domain) -> Start:
    rows, width = int(stored["rows"]), len(domain)
    if not 0 < rows <= MOST_ROWS:
        raise ValueError("more rows than a starting table has")
    unpack = zlib.decompressobj()
    raw = unpack.decompress(base64.b64decode(stored["codes"]), 4 * rows * width + 1)
    codes = np.frombuffer(raw, dtype="<u4").reshape(rows, width).astype(np.int64)
    if (codes >= np.array(domain.sizes)).any():
        raise ValueError("codes outside the domain")
    return Start(codes=codes, source=str(stored["source"]), digest=str(stored["sha256"]))


def _numbers_in(stored: Mapping[str, Any], domain: Domain) -> NoisyNumbers:
    answer = NoisyNumbers(
        requested=stored["asked"],
        values=np.array(stored["values"], dtype=np.int64),
        scale=int(stored["scale"]),
        variance=Fraction(stored["variance"]),
        **price_in(stored),
    )
    if asks_interaction(answer):
        clique, shape = tuple(answer.requested["clique"]), shape_of(answer.requested)
        is_known = domain.clique(clique) == clique and domain.shape(clique) == shape
        if not is_known or answer.values.shape != squared_lengths(shape).shape:
            raise ValueError("contrasts of a table other than the measured table")
    return answer


def price_in(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that every measurement has (`documents.measurements`)."""
    return {
        "units": int(stored["rho_units"]),
        "part": stored["part"],
        "step": int(stored["step"]),
        "law": law_named(stored.get("law")),
    }


def _measurements(
    tables: Sequence[Mapping[str, Any]], domain: Domain, cells: pa.Table
) -> tuple[Measurement, ...]:
    number = cells["table"].to_numpy()
    position, counts = cells["cell"].to_numpy(), cells["count"].to_numpy()
    starts = np.searchsorted(number, np.arange(len(tables) + 1))
    if np.any(np.diff(number) < 0) or starts[-1] != len(number):
        raise Mistake(
            "The Parquet file of the measurements does not contain the tables that their description lists."
        )
    measured = []
    for i, entry in enumerate(tables):
        here = slice(starts[i], starts[i + 1])
        groups = {name: tuple(group_of) for name, group_of in entry.get("groups", {}).items()}
        if any(len(group_of) != domain.size([name]) for name, group_of in groups.items()):
            raise Mistake(f"The groups of table {i} of the measurements do not cover their columns.")
        shape = tuple(
            max(groups[name]) + 1 if name in groups else domain.sizes[domain.axis(name)]
            for name in entry["clique"]
        )
        if list(shape) != entry["shape"] or not np.array_equal(
            position[here], np.arange(int(np.prod(shape)))
        ):
            raise Mistake(
                f"Table {i} of the measurements does not have the cells that its description states."
            )
        measured.append(
            Measurement(
                clique=tuple(entry["clique"]),
                counts=counts[here].astype(np.int64).reshape(shape),
                variance=Fraction(entry["variance"]),
                groups=groups,
                unfit=tuple(_unfit_in(stored) for stored in entry.get("unfit", ())),
                **price_in(entry),
            )
        )
    return tuple(measured)


def _unfit_in(stored: Mapping[str, Any]) -> Unfit:
    one = read_as(Unfit, {**stored, "variance": Fraction(stored["variance"])})
    if one.weight < 1 or one.variance <= 0:
        raise ValueError("a number of cells without noise")
    return one


def _table(runs: Sequence[Sequence[int]], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    forbidden = np.zeros(int(np.prod(shape)), dtype=np.bool_)
    for start, length in runs:
        if start < 0 or length < 1 or start + length > forbidden.size:
            raise ValueError("a run is outside its table")
        forbidden[start : start + length] = True
    return forbidden.reshape(shape)
