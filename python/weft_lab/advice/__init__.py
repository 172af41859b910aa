# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conclusions from a run: decisions, break-even sizes, and the differences of two runs."""
