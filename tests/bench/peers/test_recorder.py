from typing import Any

import numpy as np
import pytest

from synth.bench.peers.recorder import Tape, recording, stored, waiting


def listening(recorded: dict[str, Any] | None = None) -> Tape:
    tape = Tape(recorded)
    tape.listens = True
    return tape


def test_a_sum_with_noise_is_noted_and_given_again_on_another_table() -> None:
    tape = listening()
    stated = np.array([10.0, 20.0]) + waiting(tape, "normal", 3.0, [1.0, -1.0])
    np.testing.assert_array_equal(stated, [11.0, 19.0])
    assert tape.draws[0]["exact"] == [10.0, 20.0] and type(stated) is np.ndarray
    again = listening({"draws": tape.draws})
    np.testing.assert_array_equal(np.array([9.0, 20.0]) + waiting(again, "normal", 3.0, [1.0, -1.0]), stated)
    assert again.draws[0]["exact"] == [9.0, 20.0]


def test_noise_that_was_made_plain_is_completed_by_the_measurement_it_went_into() -> None:
    tape = listening()
    noisy = np.array([10.0, 20.0]) + np.array(list(waiting(tape, "normal", 3.0, [1.0, -1.0])))
    kept = stored(tape, lambda noisy, clique, stddev: (noisy, stddev))(noisy, ("a",), 3.0)
    assert tape.draws[0]["exact"] == [10.0, 20.0]
    np.testing.assert_array_equal(kept[0], [11.0, 19.0])


def test_a_choice_is_noted_with_its_weights_and_made_again() -> None:
    tape, weights = listening(), [0.1, 0.2, 0.7]
    generator = recording(tape, np.random.RandomState)(4)
    index = generator.choice(3, p=weights)
    again = listening({"draws": tape.draws})
    other = recording(again, np.random.RandomState)(4)
    assert other.choice(3, p=[1.0, 0.0, 0.0]) == index and again.draws[0]["weights"] == [1.0, 0.0, 0.0]
    assert generator.random_sample() == other.random_sample(), "what comes after is in step"


def test_another_draw_than_the_recorded_one_ends_the_run() -> None:
    tape = listening()
    waiting(tape, "normal", 3.0, [0.0])
    for scale, size in ((3.1, 1), (3.0, 2)):
        again = listening({"draws": tape.draws})
        with pytest.raises(SystemExit):
            waiting(again, "normal", scale, np.zeros(size))
        assert again.broken is not None and again.broken["at"] == 0
