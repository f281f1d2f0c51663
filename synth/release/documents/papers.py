"""Write the content of the statement and the schema in other formats.

The README, the licence note and the notebook are for people; the other documents are for programs. All of
them depend only on other files of the package, so `verify` writes them again and compares the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from synth.core.columns.published import published_axes
from synth.core.evidence import Evidence
from synth.release.documents import citation, dictionary, metadata, registry, script, templating
from synth.release.layout import CITATION, Layout, json_text
from synth.release.opened import Bundle

Notebook = Callable[[Evidence, Mapping[str, bytes], Mapping[str, Any]], bytes]
"""A function that writes the notebook of a package from its measurements, the files of the run, and the
`release` field of the statement. It asks the questions of an analyst, so the caller hands it in.
"""


def readme(statement: Mapping[str, Any], *, layout: Layout, rows: int, notebook: bool = True) -> str:
    """Return the README. `rows` is the number of synthetic rows, and `notebook` whether there is one."""
    requested = {question["question"] for part in statement["spend"] for question in part["questions"]}
    return templating.markdown(
        "README.md.j2",
        statement=statement,
        layout=layout,
        rows=rows,
        notebook=notebook,
        citation=citation.sentence(statement),
        sums="embedding" in requested,
        interactions="interaction" in requested,
        scores="score" in requested,
        trained="train" in requested,
    )


def licence(statement: Mapping[str, Any]) -> str:
    """Return the note on terms of use."""
    return templating.markdown("LICENSE.txt.j2", licence=statement["imprint"]["licence"])


def for_programs(
    bundle: Bundle, statement: Mapping[str, Any], *, notebook: Notebook | None
) -> dict[str, bytes]:
    """Return the machine-readable documents by their paths.

    The bundle must contain the results of the run and the statement. Without `notebook`, no notebook is
    written.
    """
    schema, codebook, files = bundle.schema, bundle.evidence.codebook, bundle.files
    layout = Layout(rehearsal=statement["release"]["rehearsal"])
    written = (
        {} if notebook is None else {layout.notebook: notebook(bundle.evidence, files, statement["release"])}
    )
    return {
        **written,
        layout.dictionary: dictionary.write(
            published_axes(codebook), codebook.groupings, schema.groups
        ).encode(),
        layout.registry: registry.write(statement).encode(),
        layout.sdv: json_text(metadata.sdv(schema)).encode(),
        layout.croissant: json_text(metadata.croissant(schema, files, statement, layout=layout)).encode(),
        layout.script: script.write(codebook, statement["release"]).encode(),
        CITATION: citation.write(statement).encode(),
    }
