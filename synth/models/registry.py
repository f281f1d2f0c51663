"""Every way to a model of records from noisy answers: a new generator is one file and one entry here."""

from __future__ import annotations

from synth.models.adversarial import Adversarial
from synth.models.base import Generator
from synth.models.blend import BlendedRecords
from synth.models.copula import CopulaRecords
from synth.models.denoised import Denoised
from synth.models.graphical import GraphicalModel
from synth.models.gsd import GeneticSearch
from synth.models.gum import GradualUpdates
from synth.models.independent import IndependentColumns
from synth.models.mixture import MixtureOfProducts
from synth.models.network import NetworkGenerator
from synth.models.particles import Particles
from synth.models.refined import RefinedRecords
from synth.models.relaxed import RelaxedRows
from synth.models.reweighed import ReweighedRecords
from synth.models.trees import MixtureOfTrees

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
