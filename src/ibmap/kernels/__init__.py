"""Compiled loops: arrays in, arrays out, nothing from the rest of the package.

A kernel calls only kernels of its own file, because Numba's cache does not
notice an edit in another one.
"""
