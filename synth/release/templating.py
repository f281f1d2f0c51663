"""Papers of a bundle from the templates beside this file: sentences there, facts from here.

Whatever is put into a template is escaped, for all of it may have been typed by somebody. In Markdown quotes
stay as they are.
"""

from __future__ import annotations

import re
from functools import cache, partial
from html import escape
from typing import Any, TypeVar

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


@cache
def _environment(*, quotes: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader("synth.release"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=partial(_escaped, quotes=quotes),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= NAMES
    environment.filters |= {
        "flat": flat,
        "lines": lambda text: [line.strip() for line in text.splitlines() if line.strip()],
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
