import numpy as np

from synth.progress import UNSAVED, Progress, silent


def test_a_fact_has_a_stage_a_share_and_words() -> None:
    fact = Progress(stage="rounds", done=0.5, fact="measured age")
    silent(fact)
    assert (fact.stage, fact.done, fact.fact) == ("rounds", 0.5, "measured age")


def test_what_is_not_saved_is_not_there() -> None:
    UNSAVED.save({"point": np.ones(3)})
    assert UNSAVED.load() == {}
