"""Files of rows of a release: what they would take, and what keeps them from being asked for."""

import json
from collections.abc import Callable

from synth.app.project.results import rows
from synth.app.project.store import Project
from synth.release.rows import checks_beside


def test_what_the_checks_of_a_file_say_is_known_of_each_file(twice: Callable[[], Project]) -> None:
    project = twice()
    run = project.runs[-1]
    place = rows.task_of(project, run).folder / "files"
    place.mkdir(parents=True)
    flag = {"code": "x", "sentence": "Bad rows.", "blocks": True, "columns": [], "advice": ""}
    stated = {
        "synthetic-1.csv": {"flags": []},
        "synthetic-2.csv": {"flags": [flag | {"blocks": False}]},
        "synthetic-3.csv": {"flags": [flag]},
        "synthetic-4.csv": None,
        "synthetic-5.csv": [],
    }
    for name, checks in stated.items():
        (place / name).write_text("a")
        if checks is not None:
            checks_beside(place / name).write_text(json.dumps(checks))
    found = rows.files(project, run)
    assert [file.is_blocked for file in found] == [False, False, True, True, True]
    said = [[flag.sentence for flag in file.flags] for file in found[:3]]
    assert said == [[], ["Bad rows."], ["Bad rows."]]
    assert "are missing" in found[3].flags[0].sentence
