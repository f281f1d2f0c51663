"""stub"""
from dataclasses import dataclass
from synth.generate.refined import RefinedRecords
@dataclass(frozen=True, kw_only=True)
class BlendedRecords(RefinedRecords):
    name = "blend"
