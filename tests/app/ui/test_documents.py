"""The help page shows the files of `assets/docs`, also those that are added."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from synth.app.ui import documents

ROOT = Path(__file__).parents[3]


def test_new_pages_follow_those_of_the_index(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Docs\n\n[Two](two.md) [One](one.md) [Gone](gone.md)\n")
    for name in ("one", "two", "added"):
        (tmp_path / f"{name}.md").write_text(f"# Title {name}\n\nSee [One](one.md) or [x](https://x.org).\n")
    assert documents.listed(tmp_path) == {"two": "Title two", "one": "Title one", "added": "Title added"}
    (tmp_path / "one.md").write_text("# One\n\nBefore\n\n![A page](../p.png)\n\nAfter [Two](two.md#a)\n")
    before, picture, after = documents.parts("one", tmp_path)
    assert (before.strip(), after.strip()) == ("Before", "After *Two*")
    assert picture == ("A page", (tmp_path / "../p.png").resolve())
    assert "[x](https://x.org)" in "".join(p for p in documents.parts("two", tmp_path) if isinstance(p, str))


def test_the_page_shows_the_documents_and_the_glossary_has_the_main_terms() -> None:
    app = (
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run().switch_page("pages/help.py").run()
    )
    app.segmented_control(key="document").set_value("glossary").run()
    assert not app.exception and not app.error
    shown = " ".join(m.value for m in app.markdown)
    assert all(term in shown for term in ("differential privacy", "synthetic data", "zCDP"))
    assert all(list(documents.parts(name)) for name in documents.listed())
