"""``ibmap warm``: compile all kernels beforehand, for images and machines that must answer at once."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from ibmap.cli.compiling import kernel_folder
from ibmap.cli.console import print_json, say
from ibmap.cli.flags import flag
from ibmap.pools.threads import leave_with_parent

if TYPE_CHECKING:
    from ibmap.graph import MarkovGraph

Maker = Callable[..., Any]  # makes a table of so many states
KINDS = ("links", "binary", "tables", "tree", "models")  # those that take longest come first


def warm(as_json: bool = flag(False, "Print what was done as JSON.", None, "--json")) -> None:
    """Compile everything that tables of any kind will need, on all cores, and say where it is kept."""
    from ibmap.options import n_cores

    folder = kernel_folder()
    if folder is None:
        say("ibmap: nothing is compiled (NUMBA_DISABLE_JIT), or there is no folder to keep it in")
        return
    with ProcessPoolExecutor(min(n_cores(), len(KINDS)), get_context("spawn"), leave_with_parent) as pool:
        list(pool.map(compile_kind, KINDS))
    files = [path for path in folder.rglob("*") if path.is_file()]
    n_bytes, n_kernels = sum(path.stat().st_size for path in files), len(list(folder.rglob("*.nbi")))
    if as_json:
        print_json({"folder": str(folder), "kernels": n_kernels, "bytes": n_bytes})
    else:
        print(f"{n_kernels} kernels, {n_bytes / 1e6:.0f} MB, compiled into {folder}")


def compile_kind(kind: str) -> None:
    """Do a little of everything that needs one kind of kernels."""
    import warnings

    import numpy as np

    from ibmap.data.table import EncodedTable

    warnings.simplefilter("ignore")  # rows are too few for anything to be found
    rng = np.random.default_rng(0)

    def table(n_states: int, weighted: bool = False) -> EncodedTable:
        codes = rng.integers(0, n_states, (3000, 24))
        codes[:, 1] = codes[:, 0]
        return EncodedTable.from_codes(codes, [n_states] * 24, weights=1 + codes[:, 2] if weighted else None)

    {"links": _links, "binary": _binary, "tables": _tables, "tree": _tree, "models": _models}[kind](table)


def _links(table: Maker) -> None:
    """Compile what the recommended learner and the pairwise test need."""
    from ibmap.learners.estimators import GSMN, IBMAP

    IBMAP().fit(table(3, True))
    GSMN(test="pairwise").fit(table(2))


def _binary(table: Maker) -> None:
    """Compile what the paper's learners need on binary tables."""
    from ibmap.learners.estimators import IBMAPHC

    IBMAPHC(max_ascents=1).fit(table(2))


def _tables(table: Maker) -> None:
    """Compile what they need on any other tables, and the classical tests."""
    from ibmap.learners.estimators import GSMN, IBMAPHC

    IBMAPHC(max_ascents=1).fit(table(3, True))
    GSMN(test="g").fit(table(3))
    GSMN(test="chi-square").fit(table(3))


def _tree(table: Maker) -> None:
    """Compile the tree search of binary tables."""
    from ibmap.learners.estimators import IBMAPTS

    IBMAPTS(max_nodes=50).fit(table(2))


def _models(table: Maker) -> None:
    """Compile simulation, parameters and their questions, and distances."""
    from ibmap.metrics import independence_hamming
    from ibmap.model import MarkovNetwork
    from ibmap.simulate import random_network

    for n_states in (2, 3):
        network = random_network(6, 2, cardinalities=n_states, random_state=0)
        network.sample(50, random_state=0)
        model = MarkovNetwork.fit(table(n_states), _chain(24), method="pseudo-likelihood")
        model.pseudo_log_likelihood(table(n_states).codes[:5])
        model.sample(5, random_state=0)
        independence_hamming(network.graph, network.graph, random_state=0)


def _chain(n_variables: int) -> "MarkovGraph":
    """Join each variable to the next."""
    from ibmap.graph import MarkovGraph

    return MarkovGraph.from_edges(n_variables, [(k, k + 1) for k in range(n_variables - 1)])
