"""How well learned networks predict rows they have not seen: ``python -m benchmarks.held_out FOLDER``."""
