# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run says: decisions, break-even sizes, and how two runs differ."""
