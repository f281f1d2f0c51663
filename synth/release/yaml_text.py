"""YAML as some papers of a bundle need it: mappings, lists, numbers and texts, and nothing else of YAML.

Every text is quoted as in JSON or stands as a literal block, so that nothing typed by a steward can be read
as anything but text, by readers of YAML 1.1 and 1.2 alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""What no line of a literal block may hold; JSON's own escapes cover the first of them."""


def write(document: Mapping[str, Any]) -> str:
    """A mapping as YAML text, keys in the order given.

    >>> print(write({"a": {"b": 1e-09, "c": ["x: y", "two\\nlines"]}}), end="")
    a:
      b: 1.0e-09
      c:
        - "x: y"
        - |-
          two
          lines
    """
    return "".join(_entry(key, value, "") for key, value in document.items())


def _entry(key: str, value: Any, indent: str) -> str:
    name = key if _KEY.match(key) else json.dumps(key)
    return f"{indent}{name}:{_value(value, indent + '  ')}"


def _value(value: Any, indent: str) -> str:
    """What stands behind a colon or a dash, its line break included; `indent` is that of what is inside."""
    if isinstance(value, Mapping):
        inside = "".join(_entry(key, part, indent) for key, part in value.items())
        return f"\n{inside}" if inside else " {}\n"
    if isinstance(value, Sequence) and not isinstance(value, str):
        inside = "".join(f"{indent}-{_value(part, indent + '  ')}" for part in value)
        return f"\n{inside}" if inside else " []\n"
    if isinstance(value, str):
        return _text(value, indent)
    return f" {_plain(value)}\n"


def _text(text: str, indent: str) -> str:
    lines = text.split("\n")
    if len(lines) > 1 and all(map(_fits_a_block, lines)):
        return " |-\n" + "".join(f"{indent}{line}\n" for line in lines)
    quoted = json.dumps(text, ensure_ascii=False)
    return f" {_ODD.sub(_escaped, quoted)}\n"


def _fits_a_block(line: str) -> bool:
    return bool(line) and not line[0].isspace() and not _ODD.search(line)


def _escaped(odd: re.Match[str]) -> str:
    return f"\\u{ord(odd[0]):04x}"


def _plain(value: float | int | bool | None) -> str:
    """A number as both versions of YAML read it: 1.1 takes 1e-09 for a text."""
    if isinstance(value, float) and "e" in repr(value):
        digits, power = repr(value).split("e")
        return f"{digits if '.' in digits else digits + '.0'}e{power}"
    return json.dumps(value)
