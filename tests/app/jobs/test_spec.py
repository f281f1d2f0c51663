import hashlib
import json
from dataclasses import replace

import pytest

from synth.app.jobs.spec import RunSpec
from synth.core.errors import Mistake
from synth.release.layout import canonical


def test_json_brings_back_an_equal_spec_with_the_same_digest(spec):
    again = RunSpec.from_json(spec.to_json())
    assert again == spec
    assert again.digest == spec.digest


def test_a_run_of_an_earlier_program_can_still_be_read(spec):
    document = json.loads(spec.to_json())["spec"]
    del document["held_back"]
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    kept = json.dumps({"digest": hashlib.sha256(text.encode()).hexdigest(), "spec": document})
    assert RunSpec.from_json(kept) == spec


def test_a_spec_edited_on_disk_is_not_run(spec):
    document = json.loads(spec.to_json())
    document["spec"]["epsilon"] = 1000.0
    with pytest.raises(Mistake, match="was changed"):
        RunSpec.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"spec": {}, "digest": ""}', '{"spec": 3, "digest": 1}'])
def test_something_else_is_refused_in_a_sentence(text):
    with pytest.raises(Mistake, match="is not a run"):
        RunSpec.from_json(text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run": "../up"}, "'../up' is not a run id"),
        ({"run": ""}, "is not a run id"),
        ({"data": "t.csv"}, "'t.csv' is not"),
        ({"epsilon": 0.0}, "above 0 (you gave 0.0"),
        ({"device": "gpu"}, "device 'gpu'"),
    ],
)
def test_a_value_no_run_could_have_is_quoted(spec, change, said):
    with pytest.raises(Mistake) as caught:
        replace(spec, **change)
    assert said in str(caught.value)


def test_a_run_of_a_time_without_devices_is_read_as_one_on_any(spec):
    document = json.loads(spec.to_json())["spec"]
    del document["device"]
    digest = hashlib.sha256(canonical(document)).hexdigest()
    assert RunSpec.from_json(json.dumps({"digest": digest, "spec": document})) == spec
