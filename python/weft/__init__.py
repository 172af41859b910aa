# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft for Python: `weft.halo` fills the halos of NumPy arrays spread over MPI processes."""
