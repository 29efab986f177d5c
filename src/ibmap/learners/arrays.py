"""Arrays as text in JSON, bit by bit: nothing is rounded, and nothing in it is run."""

from __future__ import annotations

import base64
import math
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray


class PackedArray(Struct):
    """An array in a file."""

    dtype: Literal["float64", "int64", "uint64", "bool"]
    shape: tuple[Annotated[int, Meta(ge=0)], ...]
    data: bytes  # base64 in JSON


def packed(array: NDArray[Any]) -> dict[str, Any]:
    """Write an array as plain values."""
    data = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    text = base64.b64encode(data).decode("ascii")
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": text}


def unpacked(content: PackedArray, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Read an array that `packed` wrote, of the type and shape that it must have."""
    kind = np.dtype(dtype)
    if (content.dtype, content.shape, len(content.data)) != (dtype, shape, math.prod(shape) * kind.itemsize):
        msg = f"an array of {dtype} and shape {shape} is needed; found {content.dtype} and {content.shape}"
        raise ValueError(msg)
    values = np.frombuffer(content.data, kind.newbyteorder("<")).astype(kind).reshape(shape)
    if dtype == "bool" and (values.view(np.uint8) > 1).any():
        msg = "an array of bool holds other values"
        raise ValueError(msg)
    return values
