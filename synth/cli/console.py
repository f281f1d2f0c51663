"""Console output: sentences for people, or one JSON object per line for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synth.core.errors import BudgetRefused, MarginaliaError, Refusal, with_notes


@dataclass(frozen=True, kw_only=True)
class Console:
    """Write results to stdout, errors and progress to stderr.

    With `as_json`, stdout has one JSON object per line, each with a field `event`.
    """

    as_json: bool = False

    def say(self, text: str = "") -> None:
        """Print one line of results, except in JSON mode."""
        if not self.as_json:
            print(text, flush=True)

    def tell(self, event: str, **facts: Any) -> None:
        """Print one JSON object in JSON mode, otherwise nothing."""
        if self.as_json:
            print(json.dumps({"event": event, **facts}, ensure_ascii=False), flush=True)

    def result(self, text: str, **facts: Any) -> None:
        """Print the outcome as text, or as JSON in JSON mode."""
        self.say(text)
        self.tell("result", **facts)

    def note(self, text: str) -> None:
        """Print a note, except in JSON mode."""
        if not self.as_json:
            print(text, file=sys.stderr, flush=True)

    def say_error(self, sentence: str) -> None:
        print(f"marginalia: {sentence}", file=sys.stderr, flush=True)

    def error(self, error: MarginaliaError) -> None:
        """Print an expected error with its notes, and in JSON mode with its code and numbers."""
        sentence = with_notes(error)
        self.say_error(sentence)
        facts: dict[str, Any] = {"code": "mistake", "sentence": sentence, "exit_code": error.exit_code}
        if isinstance(error, Refusal):
            facts["code"] = error.code.value
        if isinstance(error, BudgetRefused):
            numbers = {"requested": error.requested, "left": error.left, "missing": error.missing}
            facts |= {"code": "budget_refused", "population": error.population, **numbers}
        self.tell("error", **facts)

    def fault(self, kept: Mapping[str, Any]) -> None:
        """Print where a bug occurred, without the error message, which could quote a cell of the table."""
        place = kept["where"][-1] if kept["where"] else "outside this package"
        sentence = (
            f"The program failed ({kept['kind']} at {place}, reference {kept['reference']}). This is a bug "
            "in the program, not in your input; please report this message."
        )
        self.say_error(sentence)
        self.tell("error", code="internal", sentence=sentence, exit_code=1, reference=kept["reference"])
