import pytest

from synth.cli.parser import parse


def test_the_benchmark_has_its_own_arguments_only_when_typed(capsys):
    with pytest.raises(SystemExit) as end:
        parse(["bench", "--help"])
    assert end.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) > 10
