"""The sidebar lists the open steps with their state, and how many are still locked."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.opened import app

pytestmark = pytest.mark.usefixtures("project_home")


def labels(test: AppTest) -> dict[str, str]:
    return {str(link.proto.page): link.proto.label for link in test.sidebar.get("page_link")}


def test_opening_the_demo_opens_steps_and_marks_those_that_are_done() -> None:
    test = app().run()
    assert labels(test) == {"": "Project", "ledger": "Ledger", "help": "Help"}
    assert "10 more steps" in test.sidebar.caption[-1].value
    test.button(key="open-demo").click().run()
    found = labels(test)
    assert "done" in found["schema"] and found["budget"] == "Budget" and "results" not in found
    (link,) = [one.proto for one in test.sidebar.get("page_link") if one.proto.page == "budget"]
    assert "".join(test.query_params["p"]) in link.query_string
