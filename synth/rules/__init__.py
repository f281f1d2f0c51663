"""Handle the rules of a table, which are written as sentences.

They are compiled to structural zeros and checked on decoded tables.
"""

from __future__ import annotations

from synth.rules.grammar import labelled
from synth.rules.rulebook import Effect, Rules, parse_rules
from synth.rules.settle import cells_of, settle
from synth.rules.shares import CodedShare, MeasuredShare
from synth.rules.tables import coarsen_zeros, explain_width
from synth.rules.terms import Rule

__all__ = [
    "CodedShare",
    "Effect",
    "MeasuredShare",
    "Rule",
    "Rules",
    "cells_of",
    "coarsen_zeros",
    "explain_width",
    "labelled",
    "parse_rules",
    "settle",
]
