"""The help page explains the words that the pages use, in sentences."""

from __future__ import annotations

from synth.app.ui.text import help as text


def test_the_words_of_the_pages_are_explained_once() -> None:
    words = [word for word, _ in text.WORDS]
    assert len(set(words)) == len(words)
    assert {"epsilon", "delta", "rho", "ledger", "population", "unit of protection", "bundle"} <= set(words)


def test_every_answer_is_a_sentence_and_every_question_a_question() -> None:
    assert all(question.endswith("?") for question, _ in text.QUESTIONS)
    for _, answer in (*text.STORY, *text.QUESTIONS, *text.WORDS, *text.TROUBLES):
        assert answer.endswith(".")
    assert len(text.TABS) == 4


def test_no_dollar_or_colon_becomes_a_formula_or_an_icon() -> None:
    for _, answer in (*text.QUESTIONS, *text.TROUBLES):
        assert "$" not in answer
        assert ":material" not in answer
