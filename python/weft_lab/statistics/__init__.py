# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Estimates with their intervals, and one summary per cell."""
