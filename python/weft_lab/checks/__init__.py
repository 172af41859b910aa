# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that `./weft test` runs beside standard tools; noxfile.py says when."""

# How a program ends that lacks what it should check, as with ctest. Its last line says why.
NOT_CHECKED = 77
