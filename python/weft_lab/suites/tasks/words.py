# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of the suite of task runtimes."""

from dataclasses import replace

from weft_lab.pages.words import PROBLEMS

# Sizes are the problems' own: the n of fib, milliseconds of idle, elements of sort.
WORDS = replace(PROBLEMS, question="What does a task cost, and on which runtime?")
