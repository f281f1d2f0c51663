"""The plain texts of a bundle: one page to start with, and the licence note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.release import citation, templating
from synth.release.layout import Layout


def readme(statement: Mapping[str, Any], *, layout: Layout, rows: int) -> str:
    """The page to read first. `rows` is the number of synthetic rows."""
    cited = citation.sentence(statement)
    return templating.markdown(
        "README.md.jinja", statement=statement, layout=layout, rows=rows, citation=cited
    )


def licence(statement: Mapping[str, Any]) -> str:
    """The note on terms of use."""
    return templating.markdown("LICENSE.txt.jinja", licence=statement["imprint"]["licence"])
