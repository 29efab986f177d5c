"""From structure to a complete model: parameters, inference, prediction."""

from ibmap.model.fitting import FitReport
from ibmap.model.network import MarkovNetwork
from ibmap.model.posterior import Posterior
from ibmap.model.potentials import Factor

__all__ = ["Factor", "FitReport", "MarkovNetwork", "Posterior"]
