import json

from synth.cli.console import Console
from synth.core.errors import BudgetRefused, Code, Refusal


def test_people_get_sentences_and_machines_get_objects(capsys):
    Console().result("Done.", out="x")
    Console(as_json=True).result("Done.", out="x")
    people, machine = capsys.readouterr().out.splitlines()
    assert people == "Done."
    assert json.loads(machine) == {"event": "result", "out": "x"}


def test_an_error_carries_its_code_and_numbers(capsys):
    console = Console(as_json=True)
    console.error(BudgetRefused("p", requested=5, left=3))
    console.error(Refusal(Code.RUN_CLOSED))
    shown = capsys.readouterr()
    budget, refusal = (json.loads(line) for line in shown.out.splitlines())
    assert (budget["code"], budget["missing"], budget["exit_code"]) == ("budget_refused", 2, 3)
    assert (refusal["code"], refusal["exit_code"]) == ("run_closed", 4)
    assert len(shown.err.splitlines()) == 2
