"""A fit is drawn as one line that goes on where the fit before ended, and told in words and numbers."""

from __future__ import annotations

from synth.app.figures import fits
from synth.app.project.results.progress import FitCourse

COURSES = (FitCourse(steps=(1, 100), losses=(8.0, 2.0)), FitCourse(steps=(1, 50), losses=(3.0, 1.5)))


def test_fits_follow_each_other_along_one_axis() -> None:
    figure = fits.loss(COURSES)
    assert figure.marks is not None
    assert [list(line.x) for line in figure.marks.data] == [[1, 100], [101, 150]]
    assert figure.marks.layout.yaxis.type == "log"
    assert figure.table.to_numpy().tolist() == [[1, 1, "8"], [1, 100, "2"], [2, 1, "3"], [2, 50, "1.5"]]
    assert "latest of 2 fits began at 3 and stands at 1.5 after 50 steps" in figure.words


def test_a_loss_of_zero_is_drawn_too() -> None:
    figure = fits.loss([FitCourse(steps=(1, 2), losses=(1.0, 0.0))])
    assert figure.marks is not None and figure.marks.layout.yaxis.type == "linear"
    assert "The fit began" in figure.words and not figure.confidential


def test_labels_of_the_loss_are_round_numbers_that_span_it() -> None:
    for losses, labels in {
        (310.0, 40.0, 11.0): ["10", "20", "50", "100", "200", "500"],
        (3.0, 3.0): ["2", "5"],
        (2.0, 2.0): ["2", "5"],
        (30_000.0, 1.0): ["1", "10", "100", "1,000", "10,000"],
    }.items():
        marks = fits.loss([FitCourse(steps=tuple(range(1, len(losses) + 1)), losses=losses)]).marks
        assert marks is not None
        axis = marks.layout.yaxis
        assert list(axis.ticktext) == labels
        low, high = (10**end for end in axis.range)
        assert low * 0.999 <= min(losses) and max(losses) <= high * 1.001
