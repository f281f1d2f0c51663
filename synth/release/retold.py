"""Papers that say what the statement and the schema say, in the forms that other programs read.

They add nothing: all of them follow from the other files of a bundle, so `verify` writes them again and
compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synth.axis import Axis, Grouping
from synth.release import citation, dictionary, metadata, registry
from synth.release.layout import CITATION, Layout, json_text
from synth.schema import Schema


def files(
    schema: Schema,
    axes: Sequence[Axis],
    groupings: Sequence[Grouping],
    said: Mapping[str, bytes],
    statement: Mapping[str, Any],
) -> dict[str, bytes]:
    """The papers by their paths. `said` holds at least the table in its two forms."""
    layout = Layout(rehearsal=statement["release"]["rehearsal"])
    return {
        layout.dictionary: dictionary.write(axes, groupings).encode(),
        layout.registry: registry.write(statement).encode(),
        layout.sdv: json_text(metadata.sdv(schema)).encode(),
        layout.croissant: json_text(metadata.croissant(schema, said, statement, layout=layout)).encode(),
        CITATION: citation.write(statement).encode(),
    }
