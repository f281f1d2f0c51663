"""Tables of counts of codes, by an engine. Private side: exact counts leave it for the room alone.

A new engine is one file with a subclass of `engine.Engine`, and one entry here. `database_engine` has none:
it is made of a table in a database.
"""

from synth.counting.block_engine import BlockEngine
from synth.counting.engine import Engine
from synth.counting.numpy_engine import NumpyEngine

ENGINES: dict[str, type[Engine]] = {"numpy": NumpyEngine, "blocks": BlockEngine}
DEFAULT = "blocks"
