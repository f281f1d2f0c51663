"""Blend, the default method, and Grove, on which it builds. Start reading in `method`."""

from synth.mechanisms.blend.grove import Grove
from synth.mechanisms.blend.method import Blend

__all__ = ["Blend", "Grove"]
