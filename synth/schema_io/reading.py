"""What a foreign descriptor says of one column, and what is done about what it leaves unsaid.

Other formats know kinds better than domains. A column without a domain is never guessed: a strict reading
refuses it, has it bought where the caller says so, and a draft leaves it open for a person to fill in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from synth.errors import Mistake
from synth.schema import Column, FileFormat, Kind, Provenance
from synth.schema_io.document import dumped


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A column as far as it could be read.

    `lacking` is a sentence about what is missing, empty if nothing is. `known` says that the kind itself is
    certain, so that the domain alone is open and may be bought.
    """

    column: Column
    lacking: str = ""
    known: bool = True


def settled(readings: Iterable[Reading], *, buy_missing: bool, advice: str) -> tuple[Column, ...]:
    """The columns of a strict reading.

    Raises: `Mistake` with one sentence per column that lacks something, and the advice.
    """
    bought = [_bought(r) if buy_missing and r.known and r.lacking else r for r in readings]
    open_ends = [r.lacking for r in bought if r.lacking]
    if open_ends:
        raise Mistake("\n".join([*open_ends, advice]))
    return tuple(r.column for r in bought)


def _bought(reading: Reading) -> Reading:
    column = replace(reading.column, buy=True, min=None, max=None, provenance=Provenance.BOUGHT)
    return Reading(column=column)


def drafted(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """The columns of a draft, as entries of a schema document; what a person must decide is null or absent.

    Domains that are there keep the provenance of the document; those still to be typed will be the steward's.
    """
    return [_entry(reading) for reading in readings]


def _entry(reading: Reading) -> dict[str, Any]:
    entry = dumped(reading.column)
    if reading.lacking:
        entry["provenance"] = Provenance.STEWARD.value
    if not reading.known:
        entry["kind"] = None
    return entry


def draft_of(
    readings: Sequence[Reading],
    *,
    name: str,
    file: FileFormat | None = None,
    title: str = "",
    description: str = "",
) -> dict[str, Any]:
    """A schema document like `starter` makes: population and unit are left for a person to state."""
    document: dict[str, Any] = {
        "name": name,
        "population": None,
        "unit": {"max_rows": None},
        "rows_public": False,
        "title": title,
        "description": description,
        "file": dumped(file or FileFormat()),
        "columns": drafted(readings),
    }
    return {key: value for key, value in document.items() if value not in ("", {})}


def dropped(column: Column) -> Column:
    """The column left out of the synthetic table: ids, names and free text are never synthesised."""
    return Column(
        name=column.name,
        kind=Kind.DROP,
        provenance=column.provenance,
        title=column.title,
        description=column.description,
    )
