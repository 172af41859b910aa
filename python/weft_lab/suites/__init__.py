# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One folder per suite."""
