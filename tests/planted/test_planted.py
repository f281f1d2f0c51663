"""The planted bugs still fit the code, so that `make planted` measures what `make test` finds."""

from tests.planted.plant import ROOT, bugs, selected


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
