"""What a worker of a cluster does is tried by `test_executor`; here, that two tasks are stopped apart."""

from synth.app.jobs.elsewhere.cluster import stop_of


def test_every_task_has_a_stop_of_its_own() -> None:
    assert stop_of("a") != stop_of("b") and stop_of("a") == stop_of("a")
