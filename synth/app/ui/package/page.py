"""The script of the page for one release package, which `marginalia ask PACKAGE` opens.

The path of the package is the second argument of the server (`serve.py`). The page opens neither a project
nor a ledger.
"""

from __future__ import annotations

import sys

import streamlit as st

from synth.app.ui import asking, guards, text
from synth.app.ui.package import panels
from synth.core.system.places import program

ASSETS = program() / "assets"

st.set_page_config(page_title=text.APP, page_icon=str(ASSETS / "icon.svg"), layout="wide")
st.logo(ASSETS / "logo.svg", size="large")
st.html(ASSETS / "style.css")
with guards.neutral():
    bundle, kit = panels.opened(sys.argv[2])
    panels.head(bundle)
    asking.section(kit)
    panels.accuracy(bundle)
