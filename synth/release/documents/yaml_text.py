"""Write the subset of YAML that documents of a package need: mappings, lists, numbers and strings.

Every string is quoted as in JSON or written as a literal block, so readers of YAML 1.1 and 1.2 always read a
steward's text as a string. `verify` compares documents byte by byte, including documents of earlier versions,
so the exact form is defined here and not by PyYAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that must be escaped: characters that YAML cannot print, and line ends that a literal block
would not preserve.
"""


def write(document: Mapping[str, Any]) -> str:
    r"""Return a mapping as YAML text, with keys in the given order.

    >>> print(write({"a": {"b": 1e-09, "c": ["x: y", "two\nlines"]}}), end="")
    a:
      b: 1.0e-09
      c:
        - "x: y"
        - |-
          two
          lines
    """
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False)
    return text


class _Dumper(yaml.SafeDumper):
    def choose_scalar_style(self) -> str:
        """Return the style of a string: plain for keys if possible; for values, the style set by `_text`."""
        event: Any = self.event
        if self.simple_key_context:
            return "" if event.implicit[0] and _KEY.match(event.value) else '"'
        return event.style or ""

    def check_simple_key(self) -> bool:
        return True

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        quoted = json.dumps(text, ensure_ascii=False)
        self.write_indicator(_ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", quoted), True)

    def write_indicator(self, indicator: str, *args: bool, **kwargs: bool) -> None:
        """Start a list item that has several lines on the line after its dash."""
        super().write_indicator(indicator, *args, **{**kwargs, "indention": False})

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    lines = text.split("\n")
    is_block = len(lines) > 1 and all(
        line and not line[0].isspace() and not _ODD.search(line) for line in lines
    )
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if is_block else '"')


_Dumper.add_representer(str, _text)
