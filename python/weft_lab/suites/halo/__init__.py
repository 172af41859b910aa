# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halo exchange: weft's ways, those written by hand and other libraries', on the same cells."""
