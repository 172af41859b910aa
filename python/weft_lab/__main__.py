# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m weft_lab` is `./weft` without the set-up."""

from weft_lab.cli import main

main()
