# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite of approaches to asynchrony."""

from weft_lab.storage.axes import Axes

AXES = Axes("approaches", order=4, infos="approaches.toml", registers=True)
