"""The synthesis methods, which decide which queries to measure. There is one file per paper."""

from synth.mechanisms.absyn import ABSyn
from synth.mechanisms.aim import AIM
from synth.mechanisms.blend import Blend, Grove
from synth.mechanisms.copula import CopulaOfAllPairs
from synth.mechanisms.gaussian import Gaussian
from synth.mechanisms.gsd import PrivateGSD
from synth.mechanisms.independent import Independent
from synth.mechanisms.learned.ballot import Ballot
from synth.mechanisms.learned.ctgan import CTGAN
from synth.mechanisms.learned.gem import GEM
from synth.mechanisms.learned.margnet import MargNet
from synth.mechanisms.learned.merf import MERF
from synth.mechanisms.learned.rap import RAP
from synth.mechanisms.learned.tabddpm import TabDDPM
from synth.mechanisms.learned.tabpe import TabPE
from synth.mechanisms.mixture import MixtureOfAllPairs
from synth.mechanisms.mst import MST
from synth.mechanisms.mwem import MWEM
from synth.mechanisms.privbayes import PrivBayes
from synth.mechanisms.privmrf import PrivMRF
from synth.mechanisms.privpgd import PrivPGD
from synth.mechanisms.privsyn import PrivSyn
from synth.mechanisms.shared.base import Mechanism

MECHANISMS: dict[str, type[Mechanism]] = {
    m.name: m
    for m in (
        Blend,
        Grove,
        MixtureOfAllPairs,
        CopulaOfAllPairs,
        AIM,
        ABSyn,
        PrivMRF,
        PrivBayes,
        MST,
        MWEM,
        MargNet,
        GEM,
        RAP,
        MERF,
        TabDDPM,
        CTGAN,
        PrivPGD,
        PrivSyn,
        PrivateGSD,
        Ballot,
        TabPE,
        Gaussian,
        Independent,
    )
}
