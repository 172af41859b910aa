# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns a result folder into a page, figures, tables and one screen of text."""
