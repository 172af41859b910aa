# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verbs: one module each, exposing `command`."""
