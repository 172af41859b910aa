# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of task runtimes, which has what every suite of cells has."""

from weft_lab.suites.cells import CellSuite
from weft_lab.suites.tasks.axes import AXES

SUITE = CellSuite(AXES)
