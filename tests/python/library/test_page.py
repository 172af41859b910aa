# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python code of docs/python.md runs as it stands there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from weft_lab.storage.checkout import CHECKOUT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = CHECKOUT / "docs/python.md"


@pytest.mark.long
def test_the_blocks_of_the_page_run_one_after_the_other(
    program: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)

    program("\n".join(blocks))

    assert len(blocks) >= 4


def test_the_blocks_of_the_first_page_are_of_this_one() -> None:
    blocks = BLOCK.findall((CHECKOUT / "README.md").read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")

    assert blocks
    assert [block for block in blocks if block not in page] == []
