"""The plain texts of a bundle: one page to start with, and the licence note."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from synth.laws import exact
from synth.release import citation
from synth.release.layout import CHECKSUMS, CITATION, DATAPACKAGE, LICENSE, REHEARSAL, Layout

WATERMARK = (
    f"> **{REHEARSAL}.** Made with predictable noise to try the program on public data. It carries no "
    "promise and is not a release.\n\n"
)


def readme(statement: Mapping[str, Any], *, layout: Layout, rows: int) -> str:
    """The page to read first. `rows` is the number of synthetic rows."""
    release, unit = statement["release"], statement["unit"]
    imprint = {word: _plain(statement["imprint"][word]) for word in ("purpose", "contact")}
    title = _plain(release["title"])
    purpose = f"Intended use: {imprint['purpose']}\n\n" if imprint["purpose"] else ""
    contact = f"Contact: {imprint['contact']}\n\n" if imprint["contact"] else ""
    return (
        f"# {title}: synthetic rows\n\n"
        f"{WATERMARK if release['rehearsal'] else ''}{rows:,} synthetic rows, release {release['id']} of "
        f"{release['date']}. No row was taken from the table: each was drawn from a model fitted to noisy "
        f"counts. What any one {_plain(unit['name'])} could change about this bundle is limited by epsilon = "
        f"{exact(statement['epsilon'])} at delta = {exact(statement['delta'])} ({statement['neighbours']}, "
        f"most rows of one: {unit['max_rows']}).\n\n"
        f"{purpose}## What is here\n\n"
        "| File | Content |\n|---|---|\n"
        f"| `{layout.csv}` | the rows; text a spreadsheet could run has one apostrophe in front |\n"
        f"| `{layout.parquet}` | the same rows with their types and value lists |\n"
        f"| `{layout.dictionary}` | what every column can hold, and how that is known |\n"
        f"| `{DATAPACKAGE}` | the same for programs (Frictionless Data Package 2) |\n"
        f"| `{layout.sdv}`, `{layout.croissant}` | the same for SDV and for catalogues |\n"
        f"| `{layout.marginals}`, `{layout.measurements}` | the noisy counts, their variance and their "
        "price |\n"
        f"| `{layout.statement}` | the privacy statement for machines |\n"
        f"| `{layout.registry}` | a draft for the public registry of DP deployments |\n"
        f"| `{layout.report}` | the privacy report for people: read this next |\n"
        f"| `{layout.plain_report}` | its text without pictures |\n"
        f"| `{layout.checks}` | error bounds, residuals and warnings, from public numbers only |\n"
        f"| `{layout.spec}` | what was asked for, so that it can be repeated on another file |\n"
        f"| `{CITATION}` | how to cite, for programs |\n\n"
        "## Good for, and not\n\n"
        "Good for exploring the table's shape, developing code, teaching, and counts over large groups "
        "within the bounds of the report. Not good for single records, small groups, or columns that were "
        "never measured together. Standard errors and p-values computed from these rows ignore the noise "
        f"that was added; use the noisy counts in `{layout.marginals}` with their variance instead.\n\n"
        "## Check it, and repeat it\n\n"
        "```sh\n"
        f"sha256sum -c {CHECKSUMS}\n"
        "python -m synth verify .\n"
        "python -m synth regenerate . --rows 1000 --out ../more   # free: from the noisy counts\n"
        f"python -m synth release --like {layout.spec} --data other.csv --out ../other   # a new price\n"
        "```\n\n"
        f"{contact}Cite as: {_plain(citation.sentence(statement))} Terms: {LICENSE}.\n"
    )


def _plain(text: str) -> str:
    """Text that was typed by somebody, on one line and without markup."""
    return escape(" ".join(text.split()), quote=False)


def licence(statement: Mapping[str, Any]) -> str:
    """The note on terms of use."""
    chosen = statement["imprint"]["licence"]
    terms = (
        f"The publisher offers this bundle under: {chosen}\n"
        if chosen
        else "The publisher has not chosen a licence for this bundle. Ask before you pass it on.\n"
    )
    return (
        f"{terms}\n"
        "The program that made it (Marginalia, Apache License 2.0) claims no rights in its output. A "
        "licence\n"
        "governs copying; it neither adds to nor takes from the privacy promise in the statement.\n"
    )
