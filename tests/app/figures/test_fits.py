"""A fit is drawn as one line that goes on where the fit before ended, and told in words and numbers."""

from __future__ import annotations

from synth.app.figures import fits
from synth.app.project.results.progress import FitCourse


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
