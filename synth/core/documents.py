"""Read dataclasses from documents, which consist of plain JSON types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def read_as(kind: Callable[..., T], document: Any) -> T:
    """Return the dataclass that `dataclasses.asdict` and JSON converted to this document.

    Enum members, nested dataclasses and tuples are restored. Other values are unchanged. Raises: KeyError for
    an unknown field; TypeError or ValueError for a missing field or a value of the wrong kind.
    """
    read: T = _reader(kind)(document)
    return read


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return the function that restores a value of this type."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType:
        inner = _reader(next(part for part in parts if part is not NoneType))
        return lambda value: None if value is None else inner(value)
    if origin in (tuple, Sequence):
        each = _reader(parts[0])
        return lambda value: tuple(map(each, value))
    if origin in (dict, Mapping):
        key, entry = int if parts[0] is int else str, _reader(parts[1])
        return lambda value: {key(name): entry(one) for name, one in value.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        fields = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
        return lambda value: kind(**{name: fields[name](one) for name, one in dict(value).items()})
    return kind if isinstance(kind, type) and issubclass(kind, Enum) else lambda value: value
