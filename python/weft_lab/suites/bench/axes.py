# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite of the user's own programs: all of them are on the command line."""

from weft_lab.storage.axes import Axes

AXES = Axes("bench", order=7, has_cells=False, has_own_verb=True)
