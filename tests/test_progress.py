from synth.progress import Progress, silent


def test_a_fact_has_a_stage_a_share_and_words() -> None:
    fact = Progress(stage="rounds", done=0.5, fact="measured age")
    silent(fact)
    assert (fact.stage, fact.done, fact.fact) == ("rounds", 0.5, "measured age")
