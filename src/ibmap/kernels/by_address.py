"""Calls of kernels by their address.

Numba copies what a kernel calls into it, and compiles all of it once more. A kernel that calls large ones by
their address, a number it is given, is compiled without them, and by another process at the same time.
Only kernels listed with the types of their arguments (`ibmap.kernels.first_use`) can be called so, and they
return nothing: what they find is in their arguments.
"""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from ibmap.kernels.compiling import IS_COMPILED


def compiled():
    """Make the call for compiled code."""

    @intrinsic(prefer_literal=False)
    def call_at(typing_context, address, function, arguments):
        """Call a kernel, given its address and a tuple of its arguments."""
        from ibmap.kernels.first_use import listed_types

        listed = listed_types(function.dispatcher)
        if tuple(arguments) != listed:
            message = f"{function.dispatcher} is listed with other arguments: {listed}"
            raise TypingError(message)

        def generate(context, builder, signature, values):
            kind = context.call_conv.get_function_type(types.none, listed)
            pointer = builder.inttoptr(values[0], kind.as_pointer())
            given = cgutils.unpack_tuple(builder, values[2])
            status, _ = context.call_conv.call_function(builder, pointer, types.none, listed, given)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return context.get_dummy_value()

        return types.void(types.int64, function, arguments), generate

    return call_at


def interpreted():
    """Make the same for kernels that are not compiled."""

    def call_at(address, function, arguments):
        function(*arguments)

    return call_at


call_at = compiled() if IS_COMPILED else interpreted()


def address_of(function: Any) -> int:
    """Give the address of a kernel, compiled or loaded for that.

    Parameters
    ----------
    function : callable
        A listed kernel.

    Returns
    -------
    int
        Its address; 0 if kernels are not compiled.

    Raises
    ------
    RuntimeError
        If it returns something, or has no address.
    """
    from ibmap.kernels.first_use import listed_types

    if not IS_COMPILED:
        return 0
    kinds = listed_types(function)
    function.compile(kinds)
    result = function.overloads[kinds]
    address: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    if result.signature.return_type != types.none or not address:
        message = f"{function} returns {result.signature.return_type} and is at {address}"
        raise RuntimeError(message)
    return address
