# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One module per figure; each `build(view)` answers a Figure, or None when there is no data."""
