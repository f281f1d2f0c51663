"""Publish a finished run's bundle once, with the texts of the people responsible.

The package of a finished run has no imprint: no texts about licence, contact, use and approval. Publishing
writes the package again with these texts. The table, the noisy measurements, the ID and all computed results
stay identical, byte for byte. Publishing uses neither the private table nor the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter, silent
from synth.release import bundle
from synth.release.documents import report as paper
from synth.release.documents.papers import Notebook
from synth.release.documents.statement import Imprint
from synth.release.formats.forms import forms_in
from synth.release.opened import Bundle, open_bundle
from synth.release.place import check_free
from synth.release.verify import verify

_REHEARSAL_STAYS = (
    "This is a practice run: its noise is predictable, so it is never published. Publish a real run instead."
)


def publish(
    source: str | Path,
    out_dir: str | Path,
    *,
    imprint: Imprint,
    also: Sequence[str] = (),
    notebook: Notebook | None = None,
    report: Reporter = silent,
) -> Path:
    """Write the package at `source` with these texts to the unused folder `out_dir`, and return `out_dir`.

    `also` names formats of the table that are added to those in the package (`release.formats.forms`).
    `notebook` writes the notebook again. The same texts always lead to the same bytes. Raises: `Mistake` for
    a practice run, a package that was changed after it was written, a package whose checks block the release,
    missing texts, or a path that is not empty.
    """
    check_free(Path(out_dir))
    report(Progress(stage="check", done=0.0, fact="checking the files of the run"))
    opened = open_bundle(source)
    faults = [*verify(source, notebook=notebook).problems, *obstacles(opened), *missing(imprint)]
    if faults:
        raise Mistake("\n".join(faults))
    report(Progress(stage="write", done=0.4, fact="writing the documents and the archive"))
    return bundle.lay_down(worded(opened, imprint, also=also, notebook=notebook), out_dir)


def obstacles(opened: Bundle) -> tuple[str, ...]:
    """Return sentences that state what prevents the publication of the run."""
    stays = (_REHEARSAL_STAYS,) if opened.layout.rehearsal else ()
    return (*stays, *(flag.with_advice for flag in opened.checks.flags if flag.blocks))


def missing(imprint: Imprint) -> tuple[str, ...]:
    """Return one sentence for each text that is missing for publication."""
    needed = {
        "the intended use": imprint.purpose,
        "a licence": imprint.licence,
        "a contact": imprint.contact,
        "the names of those who approved it": "".join(imprint.approvers),
    }
    return tuple(f"The release needs {what}." for what, words in needed.items() if not words.strip())


def worded(
    opened: Bundle, imprint: Imprint, *, also: Sequence[str] = (), notebook: Notebook | None = None
) -> dict[str, bytes]:
    """Return the files of a package with other texts of the steward in its documents, and further formats.

    Nothing else changes.
    """
    layout = opened.layout
    made = (layout.csv, layout.parquet, layout.marginals, layout.measurements, layout.spec, layout.checks)
    statement = {**opened.statement, **imprint.fields()}
    forms = (*(form.name for form in forms_in(opened.files, layout)), *also)
    kept = {path: opened.files[path] for path in made}
    return bundle.with_papers(kept, statement, also=forms, notebook=notebook)


def preview(opened: Bundle, imprint: Imprint) -> str:
    """Return the report with these texts as one HTML page."""
    return paper.pages(opened, {**opened.statement, **imprint.fields()})[0]
