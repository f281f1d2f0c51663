"""The help page shows the files of `assets/docs`, also those that are added."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from synth.app.ui import documents

ROOT = Path(__file__).parents[3]


def test_the_page_shows_the_documents_and_the_glossary_has_the_main_terms() -> None:
    app = (
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run().switch_page("pages/help.py").run()
    )
    app.segmented_control(key="document").set_value("glossary").run()
    assert not app.exception and not app.error
    shown = " ".join(m.value for m in app.markdown)
    assert all(term in shown for term in ("differential privacy", "synthetic data", "zCDP"))
    assert all(list(documents.parts(name)) for name in documents.listed())
