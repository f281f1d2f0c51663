import hashlib
import json

import pytest

from synth.app.jobs.spec import RunSpec
from synth.core.errors import Mistake
from synth.release.layout import canonical


def test_json_brings_back_an_equal_spec_with_the_same_digest(spec):
    again = RunSpec.from_json(spec.to_json())
    assert again == spec
    assert again.digest == spec.digest


@pytest.mark.parametrize("more", [("verdict", "forecast"), ("device",)])
def test_a_run_of_an_earlier_program_can_still_be_read(spec, more):
    document = json.loads(spec.to_json())["spec"]
    for field in more:
        del document[field]
    if "verdict" in more:
        document["held_back"] = 0.05
    digest = hashlib.sha256(canonical(document)).hexdigest()
    assert RunSpec.from_json(json.dumps({"digest": digest, "spec": document})) == spec


def test_a_spec_edited_on_disk_is_not_run(spec):
    document = json.loads(spec.to_json())
    document["spec"]["epsilon"] = 1000.0
    with pytest.raises(Mistake, match="was changed"):
        RunSpec.from_json(json.dumps(document))
