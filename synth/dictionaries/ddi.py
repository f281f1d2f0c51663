"""Read DDI-Codebook (versions 1.2 to 2.5), which describes variables with labels, categories and valid
ranges.

Statistics of the data in a codebook are not read, that is, frequencies of categories (`catStat`) and the
smallest and largest values that occur (`sumStat`). A range is taken only from `valrng`, which is a
declaration. Reference: ddialliance.org, DDI-Codebook 2.5, elements `var`, `catgry`, `valrng`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Provenance
from synth.dictionaries.check import show
from synth.dictionaries.reading import ForeignTable, Reading


class _Plain(ElementTree.TreeBuilder):
    """Builds the elements of a document, and refuses document types.

    The entities of a document type could make a small file large or read another file. The parser detects a
    document type in any encoding, before it reads the type.
    """

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise _Typed


class _Typed(Exception):
    """The document declares a document type."""


def draft_ddi(raw: bytes, *, name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a schema document from a codebook, and a sentence for each incomplete column.

    Raises: `Mistake` if the text is not XML, declares entities, or names no variable.
    """
    try:
        root = ElementTree.fromstring(raw, ElementTree.XMLParser(target=_Plain()))
    except _Typed:
        raise Mistake(f"{show(name)} declares a document type or entities; save it without them.") from None
    except (ElementTree.ParseError, ValueError, LookupError):
        raise Mistake(f"{show(name)} is not an XML document.") from None
    readings = [_reading(var) for var in root.iter() if _tag(var) == "var" and var.get("name")]
    if not readings:
        raise Mistake(f"{show(name)} names no variable; choose a DDI codebook with its data description.")
    return ForeignTable(name=PurePath(name).stem or "table", readings=readings).draft()


def _tag(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _inside(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    return (child for child in element if _tag(child) == tag)


def _text(element: ElementTree.Element, tag: str) -> str:
    """Return the text of the first child with this tag, with single spaces, or "" if there is none."""
    found = next(_inside(element, tag), None)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def _reading(var: ElementTree.Element) -> Reading:
    common: dict[str, Any] = {
        "name": str(var.get("name")),
        "title": _text(var, "labl"),
        "description": _text(var, "txt"),
        "provenance": Provenance.PUBLIC_DOCUMENT,
    }
    categories = [(_text(c, "catValu"), _text(c, "labl")) for c in _inside(var, "catgry")]
    categories = [(value, label) for value, label in categories if value and value not in (".", "Sysmiss")]
    if categories and var.get("intrvl") != "contin":
        kind = Kind.ORDERED if var.get("nature") == "ordinal" else Kind.CATEGORY
        values, labels = zip(*categories, strict=True)
        return Reading(
            column=Column(**common, kind=kind, values=values, labels=labels if any(labels) else ())
        )
    form = next(_inside(var, "varFormat"), None)
    if form is not None and form.get("type") == "character":
        return Reading(column=Column(**common, kind=Kind.CATEGORY))
    ends = [_number(r.get("min"), r.get("max")) for v in _inside(var, "valrng") for r in _inside(v, "range")]
    given = [end for pair in ends for end in pair if end is not None]
    whole = str(var.get("dcml") or "0") == "0" and all(isinstance(end, int) for end in given)
    kind = Kind.INTEGER if whole else Kind.DECIMAL
    low, high = ends[0] if len(ends) == 1 and None not in ends[0] else (None, None)
    missing = tuple(dict.fromkeys(_missing(var)))
    return Reading(column=Column(**common, kind=kind, min=low, max=high, missing=missing))


def _missing(var: ElementTree.Element) -> Iterator[str]:
    """Yield the codes that mean missing in a column of numbers.

    In a column of categories, such a code remains a category with a label.
    """
    yield from (_text(c, "catValu") for c in _inside(var, "catgry") if c.get("missing") == "Y")
    yield from (str(i.get("VALUE")) for v in _inside(var, "invalrng") for i in _inside(v, "item"))


def _number(*ends: str | None) -> tuple[int | float | None, ...]:
    numbers: list[int | float | None] = []
    for end in ends:
        number: int | float | None = None
        for read in (float, int):
            with suppress(ValueError):
                number = read(end or "")
        numbers.append(number)
    return tuple(numbers)
