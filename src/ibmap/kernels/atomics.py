"""Numbers that several threads read and write at once, without the interpreter's lock.

Each is an entry of an array of int64. What a thread wrote before it stored a number, another
sees once it has loaded that number.
"""

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ibmap.kernels.compiling import IS_COMPILED

HAS_PAUSE = platform.machine() in ("x86_64", "AMD64")


def pointer(context, builder, signature, arguments):
    """Give the address of the entry that the first two arguments name."""
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    return cgutils.get_item_pointer(context, builder, kind, array, [arguments[1]], wraparound=False)


def compiled():
    """Make the operations for compiled code."""

    @intrinsic
    def load(typing_context, numbers, index):
        """Give an entry."""

        def generate(context, builder, signature, arguments):
            return builder.load_atomic(pointer(context, builder, signature, arguments), "seq_cst", 8)

        return types.int64(numbers, types.intp), generate

    @intrinsic
    def store(typing_context, numbers, index, value):
        """Set an entry."""

        def generate(context, builder, signature, arguments):
            place = pointer(context, builder, signature, arguments)
            builder.store_atomic(arguments[2], place, "seq_cst", 8)
            return context.get_dummy_value()

        return types.void(numbers, types.intp, types.int64), generate

    @intrinsic
    def fetch_add(typing_context, numbers, index, value):
        """Add to an entry; give what it was before."""

        def generate(context, builder, signature, arguments):
            place = pointer(context, builder, signature, arguments)
            return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

        return types.int64(numbers, types.intp, types.int64), generate

    @intrinsic
    def rest(typing_context):
        """Let the other thread of this core have its turn, for a few nanoseconds."""

        def generate(context, builder, signature, arguments):
            if HAS_PAUSE:
                kind = ir.FunctionType(ir.VoidType(), [])
                builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
            return context.get_dummy_value()

        return types.void(), generate

    return load, store, fetch_add, rest


def interpreted():
    """Make the same for a single thread of the interpreter, where kernels are not compiled."""

    def load(numbers, index):
        return int(numbers[index])

    def store(numbers, index, value):
        numbers[index] = value

    def fetch_add(numbers, index, value):
        before = int(numbers[index])
        numbers[index] += value
        return before

    def rest():
        """Go on: nobody else has a turn."""

    return load, store, fetch_add, rest


load, store, fetch_add, rest = compiled() if IS_COMPILED else interpreted()
