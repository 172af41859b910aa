# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite of the parallel STL."""

from weft_lab.storage.axes import Axes

AXES = Axes("stl", order=1, has_element_types=True, registers=True)
