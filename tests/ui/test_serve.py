from synth.ui import serve


def test_the_server_runs_the_router_at_the_top() -> None:
    assert serve.ROUTER.name == "app.py" and serve.ROUTER.is_file()
    assert (serve.ROUTER.parent / "pages").is_dir()
