"""The ledger page in use: empty, filtered, raised with a reason, checked; practice runs apart."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project.spend import ledger as ledgers
from synth.core.schema import ProtectedChange
from synth.core.system import places
from synth.private.ledger import Ledger
from tests.app.opened import opened

pytestmark = pytest.mark.usefixtures("project_home")

WHOLE = 2 * 10**12


@pytest.fixture
def filled(project_home: Path) -> Path:
    ledger = Ledger(places.ledger())
    for name in ("town", "clinic"):
        ledger.open_population(name, units=WHOLE, reason="council", protects=ProtectedChange(max_rows=1))
        ledger.open_run(
            name,
            f"run-{name}",
            units=WHOLE // 2,
            label=f"table of {name}",
            protects=ProtectedChange(max_rows=1),
        )
        ledger.ask(f"run-{name}", part="a", step=0, query={"q": 1}, units=WHOLE // 8, answer=lambda: b"x")
    ledger.close_run("run-town")
    ledger.close()
    return places.ledger()


def page() -> AppTest:
    return opened("ledger", **{"lines-fold": True})


def test_every_population_and_release_is_there_and_the_list_fits_the_page(filled: Path) -> None:
    test = page()
    assert "2 lifetime budgets" in test.get("plotly_chart")[0].proto.alt
    assert len(test.get("download_button")) == 1
    bars, listed = test.dataframe
    assert list(bars.value["Population"]) == ["town", "clinic"]
    assert set(listed.value["Run"]) == {"run-town", "run-clinic"}
    columns = json.loads(listed.proto.columns)
    assert list(listed.value.columns) == [head for head in columns if head != "_index"]
    assert sum(column.get("width", 0) for column in columns.values()) <= 68 * 16 - 100


def test_a_raised_limit_is_shown_at_once_and_the_box_holds_that_of_the_chosen_line(filled: Path) -> None:
    ledger = Ledger(filled)
    ledger.open_population("ward", units=WHOLE // 4, protects=ProtectedChange(max_rows=1), reason="council")
    ledger.close()
    test = page()

    def shown() -> dict[str, float]:
        table = test.dataframe[0].value
        limits = [float(limit.split()[1]) for limit in table["Lifetime limit"]]
        return dict(zip(table["Population"], limits, strict=True))

    before = shown()
    for name in ("town", "ward", "clinic"):
        test.selectbox(key="raise-who").set_value(name).run()
        assert test.number_input(key="raise-to").value == pytest.approx(before[name], abs=0.02)
    test.number_input(key="raise-to").set_value(40.0)
    test.button(key="raise").click().run()
    assert "why" in test.error[0].value, "not without a reason"
    test.text_input(key="raise-why").set_value("council, 5 May")
    test.button(key="raise").click().run()
    assert shown() == before | {"clinic": pytest.approx(40.0, abs=0.02)} and not test.error
    (clinic,) = (line for line in ledgers.read(filled)[0] if line.population == "clinic")
    assert "council, 5 May" in clinic.reasons[1]
    test.run()
    assert test.number_input(key="raise-to").value == pytest.approx(40.0, abs=0.02)


def test_practice_runs_are_shown_apart(filled: Path) -> None:
    ledger = Ledger(ledgers.place(rehearsal=True))
    ledger.open_population("titanic", units=WHOLE, reason="t", protects=ProtectedChange(max_rows=1))
    ledger.close()
    test = page()
    assert "titanic" not in list(test.dataframe[0].value["Population"])
    test.segmented_control(key="book").set_value(True).run()
    assert list(test.dataframe[0].value["Population"]) == ["titanic"]
