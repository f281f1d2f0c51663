"""Papers of a bundle from the templates beside this file: sentences there, facts from here.

Whatever is put into a template is escaped, for all of it may have been typed by somebody. In Markdown quotes
stay as they are.
"""

from __future__ import annotations

import re
from functools import cache, partial
from html import escape
from typing import Any, TypeVar

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from synth.release import layout, wording

NAMES = {
    name: getattr(layout, name) for name in ("REHEARSAL", "DATAPACKAGE", "LICENSE", "CITATION", "CHECKSUMS")
}
"""What every template may say of places in a bundle."""

Text = TypeVar("Text", str, Markup)


def page(template: str, **facts: Any) -> str:
    """A page of HTML."""
    return (
        _environment(quotes=True)
        .get_template(template)
        .render(facts, shapes="shapes.html", has_pictures=True)
    )


def markdown(template: str, **facts: Any) -> str:
    """A text in Markdown, or a plain one."""
    text = (
        _environment(quotes=False)
        .get_template(template)
        .render(facts, shapes="shapes.md", has_pictures=False)
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def document(template: str, **facts: Any) -> dict[str, Any]:
    """A YAML file whose texts are templates, filled in as plain texts: nothing is escaped here.

    Of a list, texts that come out empty are left out.
    """
    filled: dict[str, Any] = _filled(_document(template), facts)
    return filled


def _filled(value: Any, facts: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(part, facts) for key, part in value.items()}
    if isinstance(value, list):
        return [text for part in value if (text := _filled(part, facts))]
    return value.render(facts)


@cache
def _document(template: str) -> Any:
    """The file with a compiled template in the place of every text."""
    environment = _environment(quotes=None)

    def compiled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: compiled(part) for key, part in value.items()}
        return (
            [compiled(part) for part in value] if isinstance(value, list) else environment.from_string(value)
        )

    assert environment.loader is not None
    return compiled(yaml.safe_load(environment.loader.get_source(environment, template)[0]))


@cache
def _environment(*, quotes: bool | None) -> Environment:
    """Escapes what is put in, quotes as well or not; nothing if `quotes` is None."""
    environment = Environment(
        loader=PackageLoader("synth.release"),
        autoescape=quotes is not None,
        undefined=StrictUndefined,
        finalize=None if quotes is None else partial(_escaped, quotes=quotes),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= NAMES
    environment.filters |= {
        "flat": flat,
        "lines": lambda text: [line.strip() for line in text.splitlines() if line.strip()],
        "dashed": lambda sentences: "\n".join(f"- {flat(sentence)}" for sentence in sentences),
        "grouped": "{:,}".format,
        "exact": wording.exact,
        "upwards": wording.upwards,
    }
    return environment


def _escaped(value: Any, *, quotes: bool) -> Markup:
    return value if isinstance(value, Markup) else Markup(escape(str(value), quote=quotes))


def flat(text: Text) -> Text:
    """A text on one line, markup or not.

    >>> flat("two\\n  lines")
    'two lines'
    """
    return type(text)(" ".join(text.split()))
