# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine a run is measured on: its facts, compilers, allocators, and what is missing."""
