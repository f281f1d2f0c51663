"""Write a release package: one folder and one zip, which never change after they are written.

The input is a `pipeline.Synthesis`. Each of its numbers was charged to the ledger or declared; the type has
no field for other numbers. The same synthesis always leads to the same bytes.

    data/ measurements/ privacy/ report/ config/ checks/   datapackage.json README.md LICENSE.txt
    CHECKSUMS.sha256 (over all of these)                   release-<id>.zip (all files, sorted, without times)
"""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from synth.core.columns.published import published_axes
from synth.core.errors import Mistake
from synth.dictionaries import dump_schema
from synth.release import csv_text, parquet
from synth.release.documents import datapackage, measurements, papers, report
from synth.release.documents.papers import Notebook
from synth.release.documents.statement import Imprint, date_of, public_parameters, statement
from synth.release.formats.forms import exports
from synth.release.layout import CHECKSUMS, DATAPACKAGE, LICENSE, README, Layout, canonical, json_text
from synth.release.opened import Bundle
from synth.release.place import check_free, date_to_day
from synth.release.synthesis import Synthesis

SPEC_FORMAT = "marginalia-spec/1"
_UNDATED = (1980, 1, 1, 0, 0, 0)
FAST = 1
"""Level of compression of the zip. Level 6 takes six times as long for a CSV file, and saves a quarter."""


def write(
    synthesis: Synthesis,
    out_dir: str | Path,
    *,
    imprint: Imprint | None = None,
    rehearsal: bool = False,
    also: Sequence[str] = (),
    notebook: Notebook | None = None,
) -> Path:
    """Write the bundle to `out_dir` in one step and return `out_dir`.

    `also` names further formats of the table (`release.formats.forms`). `out_dir` must not exist, or must be
    empty. A practice run is refused unless `rehearsal=True`, which writes a watermarked bundle. `notebook`
    writes the notebook; without it, the bundle has none. Raises: `TypeError` if the argument is not a
    `Synthesis`; `Mistake` for a practice run that is refused, if `out_dir` is not empty, or if a format is
    unknown or its library is missing.
    """
    _gate(synthesis, imprint, rehearsal=rehearsal)
    check_free(Path(out_dir))
    return lay_down(contents(synthesis, imprint or Imprint(), also=also, notebook=notebook), out_dir)


def lay_down(files: Mapping[str, bytes], out_dir: str | Path) -> Path:
    """Write the files of a bundle and their zip to an unused folder in one step, and return `out_dir`.

    The modification times of files and folders are rounded to the day (`place.date_to_day`).
    """
    bundle, out = Bundle(files=files), Path(out_dir)
    release = bundle.statement["release"]["id"]
    name = bundle.layout.zip_name(release)
    files = {**files, name: zipped(files, top=name.removesuffix(".zip"))}
    return lay_files(files, out, draft=release)


def lay_files(files: Mapping[str, bytes], out: Path, *, draft: str = "part") -> Path:
    """Write files to an unused folder in one step, dated to the day, and return the folder.

    `draft` ends the name of the folder while it is written. Raises: `Mistake` if `out` is not free.
    """
    check_free(out)
    folder = out.with_name(f".{out.name}.{draft}")
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    date_to_day(folder)
    folder.replace(out)
    return out


def _gate(synthesis: object, imprint: object, *, rehearsal: bool) -> None:
    if not isinstance(synthesis, Synthesis):
        raise TypeError(f"a release package is written from a Synthesis, not from {type(synthesis).__name__}")
    if imprint is not None and not isinstance(imprint, Imprint):
        raise TypeError(f"the steward's additions are an Imprint, not {type(imprint).__name__}")
    if synthesis.privacy.rehearsal and not rehearsal:
        raise Mistake(
            "This is a practice run: its noise is predictable, so it is not released. Set rehearsal=True to "
            "write a release package with a watermark, or run again without a noise seed."
        )
    if rehearsal and not synthesis.privacy.rehearsal:
        raise Mistake("This is not a practice run, so it cannot be written as one.")


def _release_id(receipt: Mapping[str, Any], table: bytes) -> str:
    """Return the ID of a release: its date and eight hexadecimal digits.

    The digits are derived from the table and the receipt, so the same run always has the same ID.
    """
    digest = hashlib.sha256(canonical(receipt) + table).hexdigest()
    return f"{date_of(receipt).replace('-', '')}-{digest[:8]}"


def contents(
    synthesis: Synthesis,
    imprint: Imprint,
    *,
    also: Sequence[str] = (),
    notebook: Notebook | None = None,
) -> dict[str, bytes]:
    """Return all files of the bundle except the zip, as bytes by path. The checksums come last, after the
    sorted paths of all other files.
    """
    layout = Layout(rehearsal=synthesis.privacy.rehearsal)
    codebook = synthesis.evidence.codebook
    axes = published_axes(codebook)
    table = csv_text.write(synthesis.table, axes).encode()
    release = _release_id(synthesis.privacy.receipt, table)
    schema_id = hashlib.sha256(canonical(dump_schema(synthesis.schema))).hexdigest()[:16]
    files = {
        layout.csv: table,
        layout.parquet: parquet.write(synthesis.table, axes, schema_id=schema_id),
        layout.marginals: measurements.marginals(
            measurements.tables(synthesis.evidence), schema_id=schema_id
        ),
        layout.measurements: json_text(measurements.document(synthesis.evidence)).encode(),
        layout.spec: json_text(spec(synthesis)).encode(),
        layout.checks: json_text(synthesis.checks.to_json()).encode(),
    }
    stated = statement(synthesis, imprint, release=release)
    return with_papers(files, stated, also=also, notebook=notebook)


def with_papers(
    files: Mapping[str, bytes],
    statement: Mapping[str, Any],
    *,
    also: Sequence[str] = (),
    notebook: Notebook | None,
) -> dict[str, bytes]:
    """Return the output of a run with its documents: all files except the zip, with the checksums last.

    The documents are made only from the statement and the other files, so they contain no further
    information.
    """
    release = statement["release"]
    layout, licence = Layout(rehearsal=release["rehearsal"]), statement["imprint"]["licence"]
    whole = {**files, layout.statement: json_text(statement).encode()}
    bundle = Bundle(files=whole)
    whole |= exports(bundle, also)
    whole[LICENSE] = papers.licence(statement).encode()
    package = datapackage.datapackage(bundle.schema, whole, layout=layout, release=release, licence=licence)
    whole[DATAPACKAGE] = json_text(package).encode()
    whole[README] = papers.readme(
        statement, layout=layout, rows=len(bundle.codes), notebook=notebook is not None
    ).encode()
    page, plain = report.pages(bundle, statement)
    whole |= {layout.report: page.encode(), layout.plain_report: plain.encode()}
    whole |= papers.for_programs(bundle, statement, notebook=notebook)
    whole = dict(sorted(whole.items()))
    whole[CHECKSUMS] = checksums(whole).encode()
    return whole


def spec(synthesis: Synthesis) -> dict[str, Any]:
    """Return the request without paths, file names or seeds.

    It contains everything needed to repeat the request with another file.
    """
    return {
        "format": SPEC_FORMAT,
        "schema": dump_schema(synthesis.schema),
        "rules": synthesis.rules.document["rules"],
        "epsilon": synthesis.privacy.epsilon,
        "delta": synthesis.privacy.delta,
        "method": synthesis.method,
        "generator": synthesis.generator,
        **({"generator_options": synthesis.generator_options} if synthesis.generator_options else {}),
        "compress": synthesis.compress,
        "options": public_parameters(synthesis.parameters),
        "rows": len(synthesis.table),
        "workload": max((len(b.clique) for b in synthesis.checks.bounds), default=1),
        "confidence": synthesis.checks.confidence,
        "preprocess_share": synthesis.preprocess_share,
        **({"verdict": synthesis.verdict_share} if synthesis.verdict_share else {}),
        **({"forecast": synthesis.forecast} if synthesis.forecast else {}),
        **({"means": list(synthesis.means), "means_share": synthesis.means_share} if synthesis.means else {}),
        **({"people": synthesis.people.value} if synthesis.people else {}),
        **({"new_to": list(synthesis.new_to)} if synthesis.new_to else {}),
        **({"is_further": True} if synthesis.is_further else {}),
        **({"shares_part": synthesis.shares_part} if synthesis.rules.measured_shares else {}),
    }


def checksums(files: Mapping[str, bytes]) -> str:
    """Return the text that `sha256sum -c` reads."""
    return "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))


def zipped(files: Mapping[str, bytes], *, top: str) -> bytes:
    """Return a zip of the files under one folder.

    Its entries have sorted names, no times and default permissions.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{top}/{path}", _UNDATED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the value for files written on Unix
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[path], compresslevel=FAST)
    return out.getvalue()
