"""How kernels are compiled: four kinds, by who calls them and what they make.

- `kernel`: called from Python, and by other kernels.
- `inner`: called by kernels alone. Without the wrappers that Python needs it compiles in
  about half the time; a call from Python would crash, and a test sees to it that there is none.
  It is not kept in a file of its own: the kernels that call it contain it.
- `bare`: an inner one that makes no array and so counts no references to any. Numba counts them
  even of arrays that are only handed on, as a tuple of tables is, and where it fails to see
  that this is idle a loop takes many times as long: inner loops are bare.
- `inlined`: a bare one that LLVM copies into its callers, for the few lines of an inner loop. It is
  typed once for each kind of argument, where Numba's own inlining types every copy again.

Arguments of other types are compiled anew, a literal number too, so callers give the same
types everywhere: ``np.int64(1)`` where others give a variable, rows of an array in C order.
Assigning an array to a part of another compiles the words of an error message; a loop does not.
"""

from typing import Any

from numba import njit

WITHOUT_DOOR: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
UNCOUNTED: dict[str, Any] = {**WITHOUT_DOOR, "_nrt": False}

kernel = njit(cache=True, nogil=True)
inner = njit(nogil=True, **WITHOUT_DOOR)
bare = njit(nogil=True, **UNCOUNTED)
inlined = njit(nogil=True, forceinline=True, **UNCOUNTED)
