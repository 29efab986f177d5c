"""How kernels are compiled, by who calls them and what they make.

- `kernel`: called from Python, and by other kernels.
- `inner`: called by kernels alone. Without the wrappers that Python needs it compiles in
  about half the time; a call from Python would crash, and a test sees to it that there is none.
  It is not kept in a file of its own: the kernels that call it contain it.
- `part`: an inner one that is kept in a file of its own, since it is called by its address
  (`by_address`): listed in `first_use`, and without a result.
- `bare`: an inner one that makes no array itself and so counts no references to any. Numba counts them
  even of arrays that are only handed on, as a tuple of tables is, and where it fails to see
  that this is idle a loop takes many times as long: inner loops are bare. `bare_kernel`, `bare_part`:
  kernels and parts alike.
- `inlined`: a bare one that LLVM copies into its callers, for the few lines of an inner loop. It is
  typed once for each kind of argument, where Numba's own inlining types every copy again.
- `copied`: copied into its few callers by Numba, and never compiled by itself: a paragraph of it.

Arguments of other types are compiled anew, a literal number too, so callers give the same
types everywhere: ``np.int64(1)`` where others give a variable, rows of an array in C order.
Assigning an array to a part of another compiles the words of an error message; a loop does not.
"""

from typing import Any

from numba import config, njit

FOR_PYTHON: dict[str, Any] = {"no_cfunc_wrapper": True}  # alone: nobody calls them as C functions
WITHOUT_DOOR: dict[str, Any] = {"no_cpython_wrapper": True, **FOR_PYTHON}
COUNTED: dict[str, Any] = {"_nrt": True}  # also where a bare one calls
UNCOUNTED: dict[str, Any] = {"_nrt": False}
IS_COMPILED = not getattr(config, "DISABLE_JIT", False)

kernel = njit(cache=True, nogil=True, **COUNTED, **FOR_PYTHON)
inner = njit(nogil=True, **COUNTED, **WITHOUT_DOOR)
part = njit(cache=True, nogil=True, **COUNTED, **WITHOUT_DOOR)
bare = njit(nogil=True, **UNCOUNTED, **WITHOUT_DOOR)
bare_kernel = njit(cache=True, nogil=True, **UNCOUNTED, **FOR_PYTHON)
bare_part = njit(cache=True, nogil=True, **UNCOUNTED, **WITHOUT_DOOR)
inlined = njit(nogil=True, forceinline=True, **UNCOUNTED, **WITHOUT_DOOR)
copied = njit(inline="always")
