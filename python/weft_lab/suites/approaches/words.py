# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of the suite of approaches."""

from weft_lab.pages.words import Words

# Sizes are terms of the series, or calls of an API.
WORDS = Words(
    "problem",
    "n",
    "n of the problem",
    "n = {}",
    "a plain loop",
    question="Which style of asynchrony?",
)
