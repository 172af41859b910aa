# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite of message passing, which plans launches by itself."""

from weft_lab.storage.axes import Axes

AXES = Axes("mpi", order=5, has_cells=False)
