"""The long form: ``python -m tests.fuzz [TABLES] [FIRST SEED]``, 10,000 tables and 2,000 files by default."""

import sys

from .fuzzing import all_of

all_of(*map(int, sys.argv[1:] or ["10000"]), say=print)
