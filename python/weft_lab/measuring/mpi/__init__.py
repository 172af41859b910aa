# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts ranks: MPIs, transports, nodes, launchers."""
