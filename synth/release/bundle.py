"""What leaves the house: one folder and one zip, written once and never changed.

The gate takes a `pipeline.Synthesis` and nothing else: every number in one has passed the ledger or was
declared, and its type has no place for a number that has not. The same synthesis gives the same bytes.

    data/ measurements/ privacy/ report/ config/ checks/   datapackage.json README.md LICENSE.txt
    CHECKSUMS.sha256 (over all of these)                   release-<id>.zip (all of it, sorted, undated)
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from synth.errors import Mistake
from synth.release import csv_text, datapackage, measurements, papers, parquet, report
from synth.release.layout import CHECKSUMS, DATAPACKAGE, LICENSE, README, Layout, canonical, json_text
from synth.release.opened import Opened
from synth.release.reported import PublishedRun
from synth.release.statement import Imprint, date_of, public_parameters, statement
from synth.schema_io import dump_schema
from synth.synthesis import Synthesis

SPEC_FORMAT = "marginalia-spec/1"
UNDATED = (1980, 1, 1, 0, 0, 0)
DAY = 86_400


def write(
    synthesis: Synthesis, out_dir: str | Path, *, imprint: Imprint | None = None, rehearsal: bool = False
) -> Path:
    """Write the bundle to `out_dir`, which must not exist or be empty, in one step; returns `out_dir`.

    A rehearsal is refused unless `rehearsal=True` asks for a watermarked one.
    Raises: `TypeError` for anything but a `Synthesis`; `Mistake` for a refused rehearsal or a taken place.
    """
    _gate(synthesis, imprint, rehearsal=rehearsal)
    check_place(out_dir)
    return lay_down(contents(synthesis, imprint or Imprint()), out_dir)


def check_place(out_dir: str | Path) -> None:
    """Raises: `Mistake` if there is something at `out_dir` that a bundle would have to be mixed with."""
    out = Path(out_dir)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise Mistake(f"There is something at {str(out)!r} already. Choose a new or an empty folder.")


def lay_down(files: Mapping[str, bytes], out_dir: str | Path) -> Path:
    """Write the files of a bundle and their zip to a free place, in one step; returns `out_dir`.

    The files are dated to the day, so that a copy that keeps their times tells no more than the papers do.
    """
    today = time.time() // DAY * DAY
    opened, out = Opened(files=files), Path(out_dir)
    release = opened.statement["release"]["id"]
    name = opened.layout.zip_name(release)
    files = {**files, name: zipped(files, top=name.removesuffix(".zip"))}
    draft = out.with_name(f".{out.name}.{release}")
    shutil.rmtree(draft, ignore_errors=True)
    for path, content in files.items():
        place = draft / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        os.utime(place, (today, today))
    draft.replace(out)
    return out


def _gate(synthesis: object, imprint: object, *, rehearsal: bool) -> None:
    if not isinstance(synthesis, Synthesis):
        raise TypeError(f"a bundle is written from a Synthesis, not from {type(synthesis).__name__}")
    if imprint is not None and not isinstance(imprint, Imprint):
        raise TypeError(f"the steward's additions are an Imprint, not {type(imprint).__name__}")
    if synthesis.privacy.rehearsal and not rehearsal:
        raise Mistake(
            "This run is a rehearsal: its noise is predictable, so it is not released. Ask for a rehearsal "
            "bundle to see one with a watermark, or run again without a noise seed."
        )
    if rehearsal and not synthesis.privacy.rehearsal:
        raise Mistake("This run is not a rehearsal, so it cannot be written as one.")


def release_id(synthesis: Synthesis, files: Mapping[str, bytes]) -> str:
    """The day and eight digits that stand for this table and this spending: the same run, the same id."""
    receipt, table = synthesis.privacy.receipt, files[Layout(rehearsal=synthesis.privacy.rehearsal).csv]
    digest = hashlib.sha256(canonical(receipt) + table).hexdigest()
    return f"{date_of(receipt).replace('-', '')}-{digest[:8]}"


def contents(synthesis: Synthesis, imprint: Imprint) -> dict[str, bytes]:
    """Every file of the bundle but the zip, by its path, sorted; the checksums last."""
    layout = Layout(rehearsal=synthesis.privacy.rehearsal)
    table = csv_text.write(synthesis.table).encode()
    told = statement(synthesis, imprint, release=release_id(synthesis, {layout.csv: table}))
    schema_id = hashlib.sha256(canonical(dump_schema(synthesis.schema))).hexdigest()[:16]
    files = {
        layout.csv: table,
        layout.parquet: parquet.write(synthesis.table, synthesis.evidence.codebook.axes, schema_id=schema_id),
        layout.marginals: measurements.marginals(
            measurements.tables(synthesis.evidence), schema_id=schema_id
        ),
        layout.measurements: json_text(measurements.document(synthesis.evidence)).encode(),
        layout.spec: json_text(spec(synthesis)).encode(),
        layout.checks: json_text(checks(synthesis)).encode(),
    }
    return with_papers(files, told)


def with_papers(files: Mapping[str, bytes], told: Mapping[str, Any]) -> dict[str, bytes]:
    """What a run made, together with what is said about it: every file but the zip, the checksums last.

    `told` is the statement. The report is drawn from the files themselves, so it says nothing they do not.
    """
    layout = Layout(rehearsal=told["release"]["rehearsal"])
    said = {**files, layout.statement: json_text(told).encode(), LICENSE: papers.licence(told).encode()}
    run = PublishedRun(Opened(files=said))
    package = datapackage.datapackage(
        run.schema, said, layout=layout, release=told["release"], licence=told["imprint"]["licence"]
    )
    said[DATAPACKAGE] = json_text(package).encode()
    said[README] = papers.readme(told, layout=layout, rows=len(run.codes)).encode()
    said[layout.report] = report.html(run, told).encode()
    said[layout.plain_report] = report.markdown(run, told).encode()
    said |= papers.for_programs(run.schema, run.evidence.codebook, said, told)
    said = dict(sorted(said.items()))
    said[CHECKSUMS] = checksums(said).encode()
    return said


def spec(synthesis: Synthesis) -> dict[str, Any]:
    """What was asked for, without places, names of files or seeds: enough to ask the same of another file."""
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
        "held_back": synthesis.held_back_share,
    }


def checks(synthesis: Synthesis) -> dict[str, Any]:
    """The public-safe checks as JSON."""
    return synthesis.checks.to_json()


def checksums(files: Mapping[str, bytes]) -> str:
    """The text that `sha256sum -c` reads."""
    return "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))


def zipped(files: Mapping[str, bytes], *, top: str) -> bytes:
    """The files as a zip under one folder: sorted names, no times, plain permissions."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{top}/{path}", UNDATED)
            entry.compress_type, entry.external_attr, entry.create_system = (
                zipfile.ZIP_DEFLATED,
                0o644 << 16,
                3,
            )
            archive.writestr(entry, files[path])
    return out.getvalue()
