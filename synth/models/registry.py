"""The registry of all generators, which fit models to noisy measurements. To add a generator, add a file and
an entry here.
"""

from __future__ import annotations

from synth.models.base import Generator
from synth.models.blend.blend import BlendedRecords
from synth.models.blend.refined import RefinedRecords
from synth.models.copula.copula import CopulaRecords
from synth.models.graphical import GraphicalModel
from synth.models.independent import IndependentColumns
from synth.models.mixture.mixture import MixtureOfProducts
from synth.models.mixture.trees import MixtureOfTrees
from synth.models.networks.drawn import Adversarial, Denoised
from synth.models.networks.network import NetworkGenerator
from synth.models.networks.relaxed import RelaxedRows
from synth.models.particles.particles import Particles
from synth.models.records.gsd import GeneticSearch
from synth.models.records.gum import GradualUpdates
from synth.models.records.reweighed import ReweighedRecords

GENERATORS: dict[str, type[Generator]] = {
    g.name: g
    for g in (
        GraphicalModel,
        RefinedRecords,
        BlendedRecords,
        MixtureOfProducts,
        MixtureOfTrees,
        CopulaRecords,
        NetworkGenerator,
        RelaxedRows,
        Particles,
        GradualUpdates,
        GeneticSearch,
        ReweighedRecords,
        Denoised,
        Adversarial,
        IndependentColumns,
    )
}
