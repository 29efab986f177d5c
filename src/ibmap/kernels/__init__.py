"""Compiled loops: arrays in, arrays out, nothing from the rest of the package."""
