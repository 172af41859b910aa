# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the suite Inncabs: sizes are classes of inputs, and tasks have launch policies."""

from weft_lab.machine import preload
from weft_lab.storage.axes import Axes

AXES = Axes(
    "inncabs",
    order=3,
    has_launch_policies=True,
    infos="inncabs_runtimes.toml",
    size_axis="the input",
    size_names={1: "tiny", 2: "small", 3: "paper"},
    types=("double",),
    allocators=("default", *preload.LIBRARIES),
)
