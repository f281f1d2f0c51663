import tomllib

from synth.app.ui import serve


def test_streamlit_advertises_nothing_however_it_is_started() -> None:
    """It does where it finds a coding agent, unless one of the two says otherwise."""
    settings = serve.guards.ROUTER.parent / ".streamlit" / "config.toml"
    stated = tomllib.loads(settings.read_text(encoding="utf-8"))
    assert stated["server"]["headless"] is stated["logger"]["hideWelcomeMessage"] is True
