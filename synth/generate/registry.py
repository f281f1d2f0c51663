"""Every way to a model of records from noisy answers: a new generator is one file and one entry here."""

from __future__ import annotations

from synth.generate.adversarial import Adversarial
from synth.generate.base import Generator
from synth.generate.blend import BlendedRecords
from synth.generate.copula import CopulaRecords
from synth.generate.denoised import Denoised
from synth.generate.graphical import GraphicalModel
from synth.generate.gsd import GeneticSearch
from synth.generate.gum import GradualUpdates
from synth.generate.independent import IndependentColumns
from synth.generate.mixture import MixtureOfProducts
from synth.generate.network import NetworkGenerator
from synth.generate.particles import Particles
from synth.generate.refined import RefinedRecords
from synth.generate.relaxed import RelaxedRows
from synth.generate.reweighed import ReweighedRecords
from synth.generate.trees import MixtureOfTrees

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
