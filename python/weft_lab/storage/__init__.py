# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files on disk: the checkout, its tables, and result folders."""
