# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite of task runtimes."""

from weft_lab.storage.axes import Axes

AXES = Axes("tasks", order=2, infos="runtimes.toml")
