# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One module per figure; each `build(view)` returns a Figure, or None if there is no data."""
