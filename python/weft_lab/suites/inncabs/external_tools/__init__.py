# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bench programs under tools that observe them from outside: the costs, and the failures."""
