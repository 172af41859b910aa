# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ on a page is C++ of an example: the check finds what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from weft_lab.checks.code_blocks import loose_blocks

PAGE = Path("docs/a.md")
EXAMPLE = "int main() {\n  int x = 1;\n\n  if (x > 0) {\n    return x;\n  }\n}\n"


@pytest.mark.parametrize(
    "block",
    ["  int x = 1;\n", "int x = 1;\n\nif (x > 0) {\n  return x;\n}\n", EXAMPLE],
)
def test_block_cut_from_an_example_is_accepted(block: str) -> None:
    assert loose_blocks(PAGE, f"text\n```cpp\n{block}```\n", ["", EXAMPLE]) == []


@pytest.mark.parametrize(
    "block",
    ["int y = 1;\n", "int x = 1;\nif (x > 0) {\n", "if (x > 0) {\nreturn x;\n}\n", "}\n}\n}\n"],
)
def test_block_that_no_example_has_is_found(block: str) -> None:
    assert len(loose_blocks(PAGE, f"```cpp\n{block}```\n", [EXAMPLE])) == 1


def test_other_languages_are_left_alone() -> None:
    assert loose_blocks(PAGE, "```sh\n./weft doctor\n```\n```c\nx\n```\n", [EXAMPLE]) == []
