# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation site: pages of docs/, an API reference from the headers, the commands."""
