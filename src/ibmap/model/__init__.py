"""From structure to a complete model: parameters, inference, prediction."""

from ibmap.model.distribution import Posterior
from ibmap.model.fitting import FitReport
from ibmap.model.network import MarkovNetwork
from ibmap.model.potentials import Factor
from ibmap.model.structure import flat_network, to_pgmpy, to_pyagrum

__all__ = ["Factor", "FitReport", "MarkovNetwork", "Posterior", "flat_network", "to_pgmpy", "to_pyagrum"]
