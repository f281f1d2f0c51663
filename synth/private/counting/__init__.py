"""Count encoded rows exactly, in memory or in a database."""

from synth.private.counting.block_engine import BlockEngine
from synth.private.counting.engine import Engine
from synth.private.counting.numpy_engine import NumpyEngine

ENGINES: dict[str, type[Engine]] = {"numpy": NumpyEngine, "blocks": BlockEngine}
DEFAULT = "blocks"
