# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suite of task runtimes calls things."""

from weft_lab.pages.words import PROBLEMS

# Sizes are the problems' own: the n of fib, milliseconds of idle, elements of sort.
WORDS = PROBLEMS
