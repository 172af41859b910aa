# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readers of other benchmarks' outputs, so that data which exist get the same models."""
