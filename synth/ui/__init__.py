"""The parts the pages share; the only place under `synth/` that imports streamlit."""
