# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite of calls between ranks, which plans launches by itself."""

from weft_lab.storage.axes import Axes

AXES = Axes("distributed", order=8, has_cells=False)
