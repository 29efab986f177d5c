"""How fast ibmap is: ``python -m benchmarks``, or ``--quick`` for a minute."""
