"""Write the documents of a package from templates. The folder `templates` contains all sentences.

Every value that is inserted into a template is escaped for the format of the template, because a user may
have typed it. In plain text, nothing is escaped.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from html import escape
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, TypeVar

import yaml
from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemBytecodeCache,
    FunctionLoader,
    PackageLoader,
    StrictUndefined,
    Template,
    pass_context,
)
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup

from synth.core.accounting import exact, upwards
from synth.core.numbers import about, number_of, per_cent
from synth.core.text import markdown as marks
from synth.release import layout

_NAMES = {
    name: getattr(layout, name) for name in ("REHEARSAL", "DATAPACKAGE", "LICENSE", "CITATION", "CHECKSUMS")
}
"""Paths and other names that every template can use."""

_ESCAPED: dict[str, Callable[[str], str]] = {"html": escape, "md": marks.escaped}
"""The function for each format that escapes a text."""

Text = TypeVar("Text", str, Markup)


def page(template: str, **facts: Any) -> str:
    """Return a template, filled in, as a page of HTML."""
    return _environment().get_template(template).render(facts, form="html")


def markdown(template: str, **facts: Any) -> str:
    """Return a template, filled in, as Markdown."""
    text = _environment().get_template(template).render(facts, form="md")
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def document(template: str, **facts: Any) -> dict[str, Any]:
    """Return the content of a YAML file whose strings are templates, filled in as plain text without
    escaping.

    Strings in a list that are empty after filling in are removed.
    """
    filled: dict[str, Any] = _filled(_document(template), facts)
    return filled


def _filled(value: Any, facts: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(part, facts) for key, part in value.items()}
    if isinstance(value, list):
        return [text for part in value if (text := _filled(part, facts))]
    return value.render(facts, form="text") if isinstance(value, Template) else value


@cache
def _document(template: str) -> Any:
    """Return the content of a file, with each string that is a template replaced by the compiled template."""
    source = (files("synth.release.documents") / "templates" / template).read_text(encoding="utf-8")

    def compiled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: compiled(part) for key, part in value.items()}
        if isinstance(value, list):
            return [compiled(part) for part in value]
        return _environment().get_template(value) if "{" in value else value

    return compiled(yaml.safe_load(source))


class _ByteCode(FileSystemBytecodeCache):
    """A cache of compiled templates, in the folder of the compiled modules of this package."""

    def __init__(self) -> None:
        super().__init__(str(Path(cache_from_source(__file__)).parent))

    def get_source_checksum(self, source: str) -> str:
        """Return a checksum that also covers the environment below, so that a change compiles the templates
        again.
        """
        return super().get_source_checksum(source + Path(__file__).read_text(encoding="utf-8"))

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):  # a folder that only the administrator can write to
            if not sys.dont_write_bytecode:
                super().dump_bytecode(bucket)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader([FunctionLoader(_text), PackageLoader("synth.release.documents")]),
        bytecode_cache=_ByteCode(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_escaped,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= _NAMES
    environment.filters |= {
        "flat": flat,
        "lines": lambda text: [line.strip() for line in text.splitlines() if line.strip()],
        "dashed": lambda sentences: "\n".join(f"- {flat(sentence)}" for sentence in sentences),
        "grouped": "{:,}".format,
        "of": number_of,
        "about": lambda number, digits: about(number, digits=digits),
        "per_cent": per_cent,
        "exact": exact,
        "upwards": upwards,
    }
    return environment


def _text(name: str) -> str | None:
    """Return the source of a template from a YAML file, whose name is its source; None for the name of a
    file.
    """
    return name if "{" in name else None


@pass_context
def _escaped(context: Context, value: Any) -> Markup:
    """Return an inserted value, escaped for the format of the template."""
    if isinstance(value, Markup):
        return value
    form = context.get("form") or str(context.name).removesuffix(".j2").rpartition(".")[2]
    return Markup(value if form == "text" else _ESCAPED[form](str(value)))


def flat(text: Text) -> Text:
    r"""Return a text on one line. The text may contain markup.

    >>> flat("two\n  lines")
    'two lines'
    """
    return type(text)(" ".join(text.split()))
