"""Tests of independence a second of one peer, in its own interpreter.

``python peer_child.py NAME FOLDER SECONDS`` reads FOLDER/codes.npy and
FOLDER/triplets.json, tests the triplets through the peer's public interface
until the time is up, and prints JSON. Imports nothing of ibmap.
"""

import contextlib
import importlib.metadata
import json
import logging
import sys
import time
import warnings
from pathlib import Path

import numpy as np

# Each function yields the ways to call the peer that are worth trying; the fastest counts.


def pgmpy_g_test(codes):
    import pandas as pd
    from pgmpy.ci_tests import GSq

    names = [f"x{k}" for k in range(codes.shape[1])]
    test = GSq(data=pd.DataFrame(codes, columns=names), use_cache=False)

    def ask(x, y, given):
        test(X=names[x], Y=names[y], Z=[names[z] for z in given], significance_level=0.05)

    yield ask


def causal_learn_g_test(codes):
    from causallearn.utils.cit import CIT

    yield CIT(codes, "gsq")


def pyagrum_g_test(codes):
    import pandas as pd
    import pyagrum

    names = [f"x{k}" for k in range(codes.shape[1])]
    frame = pd.DataFrame(codes, columns=names)
    for n_threads in (1, 2):
        pyagrum.setNumberOfThreads(n_threads)
        learner = pyagrum.BNLearner(frame)
        yield lambda x, y, given, g2=learner.G2: g2(names[x], names[y], [names[z] for z in given])


PEERS = {
    "pgmpy": pgmpy_g_test,
    "causal-learn": causal_learn_g_test,
    "pyagrum": pyagrum_g_test,
}


def rate(test, triplets, seconds):
    """Test until the time is up; return tests a second and how many were done."""
    for triplet in triplets[:10]:
        test(*triplet)  # the first calls prepare things
    begun = time.perf_counter()
    done = 0
    for triplet in triplets[10:]:
        test(*triplet)
        done += 1
        if time.perf_counter() - begun > seconds:
            break
    return done / (time.perf_counter() - begun), done


def main():
    name, folder, seconds = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    codes = np.load(folder / "codes.npy").astype(np.int64)
    triplets = json.loads((folder / "triplets.json").read_text())
    with contextlib.redirect_stdout(sys.stderr):
        try:
            version = importlib.metadata.version(name)
            rates = [rate(way, triplets, seconds) for way in PEERS[name](np.ascontiguousarray(codes))]
        except ImportError as error:
            sys.exit(f"not installed: {error}")
    tests_a_second, done = max(rates)
    print(json.dumps({"version": version, "rate": tests_a_second, "n_tests": done}))


if __name__ == "__main__":
    main()
