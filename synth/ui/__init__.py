"""Widgets: a folder for each page, what several pages share beside them, and every sentence in `text`.

The only place under `synth/` that imports streamlit."""
