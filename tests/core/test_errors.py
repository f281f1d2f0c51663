import pytest

from synth.core.errors import SENTENCES, BudgetRefused, Cancelled, Code, Mistake, Refusal


@pytest.mark.parametrize("code", Code)
def test_every_refusal_has_a_fixed_sentence(code: Code) -> None:
    assert str(Refusal(code)) == SENTENCES[code]
    assert SENTENCES[code].endswith(".")


@pytest.mark.parametrize("code", Code)
def test_no_refusal_denies_what_an_earlier_attempt_of_the_run_was_charged(code: Code) -> None:
    """Every resume opens the file again, so most refusals can occur then or later."""
    said = SENTENCES[code].lower().replace("nothing was spent for it", "")
    assert "nothing was spent" not in said and "costs nothing" not in said


def test_exit_codes_tell_the_families_apart() -> None:
    codes = [e.exit_code for e in (Mistake, BudgetRefused, Refusal, Cancelled)]
    assert len(set(codes)) == 4 and 0 not in codes
