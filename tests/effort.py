"""How much work tests make themselves: less without compilation, where kernels take a hundred times as long.

A test that would take long there and says nothing new about kernels is marked `compiled_only`
with the reason (`conftest.py` skips it).
"""

from hypothesis import settings

from ibmap.kernels.compiling import IS_COMPILED

FEW = 25  # examples without compilation


def scaled(compiled, plain):
    """Choose how large a table is, or how often something is tried."""
    return compiled if IS_COMPILED else plain


def examples(number):
    """Draw a number of examples of one's own, whatever the profile; fewer without compilation."""
    return settings(max_examples=scaled(number, min(number, FEW)))
