from synth.ui import serve


def test_the_server_runs_the_router_at_the_top() -> None:
    assert serve.guards.ROUTER.name == "app.py" and serve.guards.ROUTER.is_file()
    assert (serve.guards.ROUTER.parent / "pages").is_dir()
