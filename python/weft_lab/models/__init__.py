# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of message passing: formulas, fits with intervals, and checks of published results."""
