# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the schema of records, and the page's table of fields, from `storage/records.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from weft_lab.storage import records
from weft_lab.storage.checkout import CHECKOUT

SCHEMA_FILE = Path("python/weft_lab/data/record.schema.json")
PAGE = Path("docs/reference/records.md")
TABLE_HEAD = "| field | meaning |\n|---|---|\n| `status` "
WIDTH = 100


def text_of(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - JSON
    """JSON with as much text per line as fits."""
    flat = json.dumps(value)
    if len(flat) + indent <= WIDTH or not isinstance(value, dict | list):
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, list):
        lines = [f"{inner}{text_of(each, indent + 2)}" for each in value]
    else:
        lines = [
            f"{inner}{json.dumps(name)}: {text_of(each, indent + 2)}"
            for name, each in value.items()
        ]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return f"{opened}\n" + ",\n".join(lines) + f"\n{' ' * indent}{closed}"


def page_with_table(page: str) -> str:
    """The page with a new table of fields."""
    start = page.index(TABLE_HEAD)
    end = page.index("\n\n", start)
    head = TABLE_HEAD.removesuffix("| `status` ")
    return page[:start] + head + "\n".join(records.table()) + page[end:]


def main() -> None:
    (CHECKOUT / SCHEMA_FILE).write_text(text_of(records.schema()) + "\n", encoding="utf-8")
    page = CHECKOUT / PAGE
    page.write_text(page_with_table(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
