"""Names with a meaning in any format go through a whole release, and every document of it is parsed."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from synth import pipeline
from synth.analyst.shown import notebook as notebooks
from synth.dictionaries import load_schema
from synth.private.frame import Frame
from synth.private.ledger import Ledger
from synth.release.bundle import contents, lay_down
from synth.release.documents.statement import Imprint
from synth.release.plan import Plan
from synth.release.verify import verify
from synth.rules import parse_rules
from tests.release.documents.parsed import markdown_of

LINK, HTML, FORMULA = "[evil](javascript:x)", "<img src=x onerror=evil>", "=HYPERLINK(evil)"
TEXTS = f'{LINK} {HTML} `evil` **evil** _evil_ ~~evil~~ $evil$ | \\ "evil" {{{{ evil }}}} {{% evil %}}'
LINES = f"# evil: {TEXTS}\n\n- evil: &evil\n```\n---\n=cmd|evil"
"""All marks at once, on one line and with line breaks."""
SCHEMA: dict[str, Any] = {
    "name": LINK, "title": LINES, "description": LINES, "population": TEXTS,
    "unit": {"name": TEXTS, "max_rows": 1},
    "columns": [
        {"name": "a\nevil()", "kind": "category", "values": ["x", "y"]},
        {"name": LINK, "title": TEXTS, "description": LINES, "kind": "category", "outside": "other",
         "values": [LINK, HTML, FORMULA, TEXTS, "-", "plain"],
         "labels": ["# evil", FORMULA, TEXTS, "|", "+x", "1. x"]},
        {"name": FORMULA, "title": f"@{TEXTS}", "kind": "integer", "min": 0, "max": 9, "measured_in": TEXTS},
        {"name": HTML, "kind": "ordered", "values": ["`evil`", "**evil**"], "missing": [LINK, "$"]},
        {"name": "__evil__", "kind": "drop"},
    ],
}  # fmt: skip
IMPRINT = Imprint(
    licence=LINES, contact=LINES, purpose=LINES, approvers=(LINES, TEXTS), decisions=(LINES,), beyond=LINES
)
ACTIVE = {"a", "script", "img", "iframe", "object", "form", "base", "link", "image", "use", "foreignobject"}
PLAIN = {
    *("paragraph", "inline", "text", "text_special", "heading", "bullet_list", "list_item", "blockquote"),
    *("table", "thead", "tbody", "tr", "th", "td", "fence", "code_inline", "strong", "em", "softbreak"),
}
TOP = {
    *("cff-version", "message", "type", "title", "abstract", "authors", "version", "date-released"),
    *("keywords", "license", "url_slug", "status", "tier", "deployment"),
}
CALLS = {"read_csv", "open", "print", "len", "table", "head", "to_string", "frame", "draw", "mean"}


class Page(HTMLParser):
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ACTIVE
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]


def html(text: str) -> None:
    Page().feed(text)


def markdown(text: str) -> None:
    shown, kinds = markdown_of(text)
    assert kinds <= PLAIN, kinds - PLAIN
    assert LINK in shown and "table" in kinds


def yaml_text(text: str) -> None:
    read = yaml.safe_load(text)
    assert set(read) <= TOP and "evil" in str(read)


def table(text: str) -> None:
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if re.match(r"\s*[=+@-](?!\d)", cell)] and f"'{FORMULA}" in cells


def notebook(text: str) -> None:
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            assert markdown_of(source)[1] <= PLAIN
            continue
        calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        assert {getattr(call, "attr", getattr(call, "id", "")) for call in calls} <= CALLS
        for out in cell["outputs"]:
            picture = "".join(out.get("data", {}).get("image/svg+xml", "<svg/>"))
            html(picture)


def sums(text: str) -> None:
    assert all(re.fullmatch(r"[0-9a-f]{64}  [\w./-]+", line) for line in text.splitlines())


def script(text: str) -> None:
    strings = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|`(?:\\.|[^`\\])*`|#[^\n]*'
    assert "evil" in text and "evil" not in re.sub(strings, "", text)


def plain(text: str) -> None:
    assert LINK in text


PARSERS: dict[str, Callable[[str], Any]] = {
    ".html": html, ".md": markdown, ".yaml": yaml_text, ".cff": yaml_text, ".csv": table,
    ".ipynb": notebook, ".json": json.loads, ".sha256": sums, ".txt": plain, ".R": script,
}  # fmt: skip
"""How each kind of document is read. Parquet files have no texts that anything could run."""


def test_every_document_of_a_release_shows_hostile_names_as_text(tmp_path: Path) -> None:
    schema, names = load_schema(SCHEMA), [column["name"] for column in SCHEMA["columns"]]
    values, marks = SCHEMA["columns"][1]["values"], ["`evil`", "**evil**"]
    rows = [["xy"[i % 2], values[i % 6], i % 10, marks[i % 2], "x"] for i in range(300)]
    data = Frame(pd.DataFrame(rows, columns=names))
    rules = [{"sentence": f'if "{FORMULA}" is 0 then "{HTML}" is only "`evil`"', "because": LINES}]
    budget: dict[str, Any] = {"epsilon": 9, "delta": 1e-9, "verdict": 0.1}
    plan = Plan(schema=schema, rules=parse_rules(rules, schema), method="independent", **budget)
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population(TEXTS, units=10**15, protects=schema.protects, reason="test")
    made = pipeline.release(plan, data=data, ledger=ledger, run="20261121-aaaaaaaa")
    files = contents(made, IMPRINT, notebook=notebooks.write)
    for name, content in files.items():
        if not name.endswith(".parquet"):
            PARSERS[Path(name).suffix](content.decode())
    assert Counter(Path(name).suffix for name in files).keys() == {*PARSERS, ".parquet"}
    written = lay_down(files, tmp_path / "out")
    assert verify(written).problems == ()
