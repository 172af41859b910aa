# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halo exchange on the same cells: by weft, by hand-written code and by other libraries."""
