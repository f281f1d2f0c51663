"""Secret bytes for releases, reproducible ones for rehearsals, and no way to take one for the other."""

from synth.private.entropy import OS_ENTROPY, Rehearsal


def test_bytes_of_a_release_never_repeat_and_those_of_a_rehearsal_do() -> None:
    assert OS_ENTROPY.bytes(16) != OS_ENTROPY.bytes(16)
    first, second = Rehearsal(5), Rehearsal(5)
    assert first.bytes(16) == second.bytes(16) != first.bytes(16)
    assert Rehearsal(5).bytes(16) != Rehearsal(6).bytes(16)
    assert len(OS_ENTROPY.bytes(7)) == len(first.bytes(7)) == 7


def test_a_rehearsal_says_so() -> None:
    assert Rehearsal(5).is_rehearsal and not OS_ENTROPY.is_rehearsal
