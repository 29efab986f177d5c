"""Make ``python -m ibmap`` the same as ``ibmap``."""

from ibmap.cli import main

main()
