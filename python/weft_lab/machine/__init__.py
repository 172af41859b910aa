# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine that a run measures: its facts, compilers, allocators, and missing requirements."""
