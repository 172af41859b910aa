# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The weft lab: plans, runs and explains measurements of parallel programs on this machine."""

__version__ = "0.1.0"
