"""List the formats in which the synthetic table can be written, and add them to a release package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from synth.core.errors import Mistake
from synth.release.formats import delimited, statistics, workbook
from synth.release.formats.content import Content, check_library
from synth.release.layout import Layout
from synth.release.opened import Bundle, open_bundle
from synth.release.place import check_place, date_to_day, writing


@dataclass(frozen=True, kw_only=True)
class Form:
    """A format: its name on the command line, its title, the end of its file name, and its writer."""

    name: str
    title: str
    ending: str
    media: str
    write: Callable[..., bytes]
    separates: bool = False
    needs: str = ""

    def path(self, layout: Layout) -> str:
        """Return the path in a release package."""
        return layout.csv.removesuffix(".csv") + self.ending


FORMS = {
    form.name: form
    for form in (
        Form(
            name="xlsx",
            title="Excel workbook",
            ending=".xlsx",
            media="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            write=workbook.write,
            needs="openpyxl",
        ),
        Form(
            name="dta",
            title="Stata",
            ending=".dta",
            media="application/x-stata-dta",
            write=statistics.stata,
            needs="pyreadstat",
        ),
        Form(
            name="sav",
            title="SPSS",
            ending=".sav",
            media="application/x-spss-sav",
            write=statistics.spss,
            needs="pyreadstat",
        ),
        Form(
            name="excel",
            title="CSV for Excel",
            ending="-excel.csv",
            media="text/csv",
            write=delimited.for_excel,
            separates=True,
        ),
        Form(
            name="source",
            title="CSV like the source",
            ending="-source.csv",
            media="text/csv",
            write=delimited.as_source,
            separates=True,
        ),
    )
}


def form_named(name: str) -> Form:
    """Return a format. Raises: `Mistake` that lists all formats."""
    if name not in FORMS:
        raise Mistake(f"There is no format {name!r}. Choose from: {', '.join(FORMS)}. No budget was spent.")
    return FORMS[name]


def check_forms(names: Iterable[str]) -> None:
    """Raise `Mistake` for an unknown format, or if its library is missing, before any work is done."""
    for name in names:
        form = form_named(name)
        if form.needs:
            check_library(form.needs, form.title)


def export(bundle: Bundle, name: str, *, separator: str = "") -> bytes:
    """Return the table of a release package in a format.

    `separator` is the sign between the cells of CSV text, or "" for the default of the format. Raises:
    `Mistake` for an unknown format, a format without separators, or a missing library.
    """
    form = form_named(name)
    if separator and not form.separates:
        raise Mistake(f"The format {name!r} has no sign between cells. Leave out the separator.")
    if len(separator) > 1 or separator in ('"', "\r", "\n"):
        raise Mistake(f"The separator must be one character, such as ';' or a tab (you gave {separator!r}).")
    write = partial(form.write, separator=separator) if separator else form.write
    return write(Content.of(bundle))


def forms_in(files: Mapping[str, bytes], layout: Layout) -> tuple[Form, ...]:
    """Return the formats that a release package contains besides CSV and Parquet."""
    return tuple(form for form in FORMS.values() if form.path(layout) in files)


def exports(bundle: Bundle, names: Iterable[str]) -> dict[str, bytes]:
    """Return the files of these formats by their paths in the package."""
    forms = [form_named(name) for name in dict.fromkeys(names)]
    content = Content.of(bundle) if forms else None
    return {form.path(bundle.layout): form.write(content) for form in forms if content is not None}


def write_file(package: str | Path, out: str | Path, *, form: str, separator: str = "") -> Path:
    """Write the table of a release package to a new file, and return its path. The file is dated to the day.

    Raises: `Mistake` as in `export`, for another ending of the name, for a path that is taken or cannot be
    written to, and for a practice run, because a single file would not have its warning.
    """
    wanted, place = form_named(form), Path(out).expanduser().absolute()
    ending = f".{wanted.ending.rpartition('.')[2]}"
    if place.suffix != ending:
        raise Mistake(f"The name of this file must end in {ending} (you gave {str(out)!r}).")
    if place.exists():
        raise Mistake(f"There is already a file or folder at {str(out)!r}. Choose a new name.")
    check_place(place)
    opened = open_bundle(package)
    if opened.layout.rehearsal:
        raise Mistake("This is a practice run. Its rows stay in the release package, with their warning.")
    content = export(opened, form, separator=separator)
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        date_to_day(place)
    return place
