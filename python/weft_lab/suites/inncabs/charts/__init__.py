# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of the suite Inncabs."""
