"""Networks as objects of pyAgrum and pgmpy."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ibmap.errors import InvalidOptionError, MissingLibraryError
from ibmap.model.beliefs import Evidence
from ibmap.model.new_rows import Variables
from ibmap.model.potentials import Factor, Floats, Potentials, merged


@contextmanager
def _unwarned() -> Iterator[None]:
    """Silence warnings, such as those of SWIG's types, which as errors would end the process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def scaled(factor: Factor) -> Floats:
    """Give a potential with its largest value 1, which changes no probability."""
    logs = factor.log_values
    top = logs.max(initial=-np.inf)
    values = np.exp(logs - (top if np.isfinite(top) else 0.0))
    return np.asarray(np.where(np.isneginf(logs), 0.0, np.maximum(values, 5e-324)))


def one_a_scope(potentials: Potentials) -> list[Factor]:
    """Multiply the factors over the same variables, and give lone variables a flat one."""
    scopes = {tuple(sorted(factor.variables)) for factor in potentials.factors} - {()}
    covered = {v for scope in scopes for v in scope}
    scopes |= {(v,) for v in range(potentials.n_variables) if v not in covered}
    ordered = sorted(scopes, key=lambda scope: (len(scope), scope))
    inside = [factor for factor in potentials.factors if factor.variables]
    return merged(inside, ordered, potentials.cardinalities)


@_unwarned()
def to_pyagrum(variables: Variables, potentials: Potentials) -> Any:
    """Make a pyAgrum MarkovRandomField."""
    gum = _extra("pyagrum", "inference")
    network = gum.MarkovRandomField("ibmap")
    for name, states in zip(variables.names, variables.states, strict=True):
        network.add(gum.LabelizedVariable(name, name, _texts(states)))
    for factor in one_a_scope(potentials):
        names = [variables.names[v] for v in factor.variables]
        table = network.addFactor(names)
        order = [names.index(name) for name in table.names]
        values = scaled(factor).transpose(order)
        table[:] = np.ascontiguousarray(values.T)  # pyAgrum's arrays have the first variable last
    return network


@_unwarned()
def pyagrum_marginal(potentials: Potentials, of: Sequence[int], evidence: Evidence) -> Floats:
    """Let pyAgrum work out the joint distribution of some variables given one row of evidence."""
    gum = _extra("pyagrum", "inference")
    if not potentials.is_positive:
        msg = "method='pyagrum' cannot tell impossible evidence; for a network with zeros take method='exact'"
        raise InvalidOptionError(msg)
    names = tuple(f"x{v}" for v in range(potentials.n_variables))
    states = tuple(tuple(range(c)) for c in potentials.cardinalities)
    engine = gum.ShaferShenoyMRFInference(to_pyagrum(Variables(names, states), potentials))
    engine.setEvidence({names[v]: int(a) for v, a in zip(evidence.variables, evidence.codes[0], strict=True)})
    wanted = {names[v] for v in of}
    engine.addJointTarget(wanted)
    engine.makeInference()
    found = engine.jointPosterior(wanted)
    found_order = [names.index(name) for name in found.names]
    others = [v for v in found_order if v not in of]  # there may be some, of one state
    shape = [potentials.cardinalities[v] for v in found_order]
    values = np.asarray(found.toarray(), np.float64).reshape(shape[::-1]).T
    ordered = values.transpose([found_order.index(v) for v in (*of, *others)])
    return np.asarray(ordered.sum(axis=tuple(range(len(of), len(found_order)))))


@_unwarned()
def to_pgmpy(variables: Variables, potentials: Potentials) -> Any:
    """Make a pgmpy DiscreteMarkovNetwork."""
    models = _extra("pgmpy.models", "pgmpy")
    discrete = _extra("pgmpy.factors.discrete", "pgmpy")
    network = models.DiscreteMarkovNetwork()
    network.add_nodes_from(variables.names)
    for factor in one_a_scope(potentials):
        names = [variables.names[v] for v in factor.variables]
        network.add_edges_from((u, v) for k, v in enumerate(names) for u in names[:k])
        states = {variables.names[v]: list(variables.states[v]) for v in factor.variables}
        network.add_factors(
            discrete.DiscreteFactor(
                names, factor.log_values.shape, scaled(factor).ravel(), state_names=states
            )
        )
    return network


def _texts(states: Sequence[Any]) -> list[str]:
    """Write labels as different texts."""
    texts = [str(label) for label in states]
    return texts if len(set(texts)) == len(texts) else [repr(label) for label in states]


def _extra(module: str, extra: str) -> Any:
    """Import a package that not everybody has."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        msg = f"this needs {library}, which is not installed: pip install 'ibmap[{extra}]'"
        raise MissingLibraryError(msg) from error
