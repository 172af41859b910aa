# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One module per figure; each has `build(view)`, which answers a Figure, or None when there is nothing to show."""
