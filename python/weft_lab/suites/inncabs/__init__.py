# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite Inncabs, and the paper on HPX's counters."""
