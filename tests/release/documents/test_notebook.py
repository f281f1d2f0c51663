"""The notebook of a release package: it has the right form, and its code gives the stored outputs."""

import ast
import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator

from synth.analyst.shown.notebook import write as notebook
from synth.release import bundle
from synth.release.synthesis import Synthesis
from tests.release.test_verify import released

SVG, PLAIN = "image/svg+xml", "text/plain"
FORM = json.loads(Path(__file__).with_name("nbformat.v4.5.schema.json").read_text())
"""From nbformat 5.10 (BSD-3-Clause, the Jupyter Development Team)."""


def cells_of(folder: Path) -> list[dict[str, Any]]:
    (path,) = folder.glob("*.ipynb")
    read = json.loads(path.read_text(encoding="utf-8"))
    assert list(Draft4Validator(FORM).iter_errors(read)) == []
    return [{**cell, "source": "".join(cell["source"])} for cell in read["cells"]]


def stored(cell: dict[str, Any]) -> dict[str, str]:
    """What a cell prints, and what it shows last, by type."""
    found = {}
    for out in cell["outputs"]:
        found |= {"stream": out["text"]} if "text" in out else out["data"]
    return {kind: "".join(lines) for kind, lines in found.items()}


def executed(cells: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """Run the code cells one after the other, as Jupyter does, and yield what each prints and shows."""
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            tree = ast.parse(cell["source"])
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(tree, "cell", "exec"), names)
                shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
            out = {"stream": printed.getvalue()} if printed.getvalue() else {}
            yield out if shown is None else {**out, SVG: shown._repr_svg_(), PLAIN: repr(shown)}


def test_texts_of_a_release_are_neither_markup_nor_code(
    written: Path, rehearsed: Synthesis, tmp_path: Path
) -> None:
    cells = cells_of(written)
    assert "survey &amp; &lt;script&gt;" in cells[0]["source"]
    headings = {cell["source"].partition("\n")[0] for cell in cells if cell["cell_type"] == "markdown"}
    assert {"## Load the data", "## A column, with intervals", "## What not to ask"} <= headings
    for cell in cells:
        if cell["cell_type"] == "code":
            ast.parse(cell["source"])
            if SVG in stored(cell):
                ElementTree.fromstring(stored(cell)[SVG])
    marked = cells_of(bundle.write(rehearsed, tmp_path / "practice", rehearsal=True, notebook=notebook))
    assert "not a release" in marked[0]["source"] and "REHEARSAL-synthetic.csv" in marked[2]["source"]


@pytest.mark.long
def test_the_code_gives_the_stored_outputs(
    written: Path, estimated: Synthesis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = released(tmp_path, "mst", means=("a[1] ~ b", "logistic a[1] ~ b", "b[0] by c"))
    for folder in (written, bundle.write(estimated, tmp_path / "bought", notebook=notebook), measured):
        monkeypatch.chdir(folder)
        cells = cells_of(folder)
        code = [stored(cell) for cell in cells if cell["cell_type"] == "code"]
        assert len(code) >= 2 and list(executed(cells)) == code
