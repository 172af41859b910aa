# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `./weft test` runs: stages made of commands, and the checks that are programs of our own."""
