import json
import shutil

from synth.cli import main


def test_a_whole_bundle_passes_and_a_changed_one_does_not(bundle, tmp_path, capsys):
    assert main(["verify", str(bundle)]) == 0
    copy = tmp_path / "copy"
    shutil.copytree(bundle, copy)
    path = copy / "data/synthetic.csv"
    path.write_text(path.read_text().replace("tertiary", "secondary", 1))
    capsys.readouterr()
    assert main(["verify", str(copy), "--json"]) == 7
    end = json.loads(capsys.readouterr().out)
    assert end["ok"] is False
    assert any("data/synthetic.csv" in problem for problem in end["problems"])


def test_no_bundle_is_a_mistake(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert "no release package" in capsys.readouterr().err
