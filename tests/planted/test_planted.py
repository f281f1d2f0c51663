"""The planted bugs still fit the code, so that `make planted` measures what `make test` finds."""

from tests.planted.plant import ROOT, UNKNOWN, Outcome, bugs, line, selected, summary


def test_every_bug_fits_the_code_and_selects_tests() -> None:
    wrong = []
    for bug in bugs():
        times = (
            (ROOT / bug.file).read_text(encoding="utf-8").count(bug.old) if (ROOT / bug.file).exists() else 0
        )
        if times != 1 or bug.old == bug.new or not bug.breaks or not selected(bug):
            wrong.append(f"{bug.name}: the old text occurs {times} times in {bug.file}")
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_of_them() -> None:
    assert len(bugs()) >= 80
    assert sum(bug.privacy for bug in bugs()) >= 50


def test_tests_that_do_not_end_catch_nothing() -> None:
    """Nobody knows whether they would have failed, so they are neither caught nor missed."""
    caught, missed, hung = (
        Outcome(bug=bug, failed=failed, seconds=1.0, load=7.25)
        for bug, failed in zip(bugs(), ("test_a.py::test_b", None, UNKNOWN), strict=False)
    )
    said, is_enough = summary([caught] * 30 + [hung])
    assert said.startswith("30 of 31 caught; missed 0, of which 0 privacy bugs; unknown 1") and not is_enough
    assert summary([caught] * 30)[1] and not summary([caught, missed])[1]
    assert "load  7.2" in line(hung) and UNKNOWN in line(hung)
