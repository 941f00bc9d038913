"""Compiled loops: arrays in, arrays out, no validation. The only package that imports numba.

Each kernel has a plain twin in ``tests/naive.py``. A kernel is compiled once and cached on disk;
numba notices a change of the kernel's own file only, so kernels call helpers of their own module
(and of ``gini``; ``least_squares`` also of ``grow``, ``tweets`` of ``jsontext``: after changing
those, ``touch`` the files that import them).
"""

from numba import njit

__all__ = ["kernel"]

kernel = njit(cache=True, nogil=True, error_model="numpy")
"""The way all kernels are compiled: cached, without the interpreter's lock, C's division."""
