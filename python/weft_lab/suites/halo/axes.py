# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite of halo exchange, which plans launches by itself."""

from weft_lab.storage.axes import Axes

AXES = Axes("halo", order=6, has_cells=False)
