# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of calls between ranks."""
