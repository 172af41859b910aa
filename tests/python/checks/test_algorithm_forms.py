# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the headers that CMake makes from a template and the algorithms' own headers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
SCRIPT = CHECKOUT / "cmake/weft_algorithm_forms.cmake"
TEMPLATE = """// Names.
#pragma once

// for each algorithm
first(@name@);
// end
// for each algorithm but
// find_last find_last_if find_last_if_not
// sort
second(@name@);

// end
last();
"""


def make(folder: Path) -> str:
    """Returns what is made of the template."""
    template, made = folder / "names.hpp.in", folder / "sub/names.hpp"
    template.write_text(TEMPLATE)
    definitions = [f"-DTEMPLATE={template}", f"-DMADE={made}"]
    subprocess.run(["cmake", *definitions, "-P", str(SCRIPT)], check=True)
    return made.read_text()


def with_policy() -> set[str]:
    """Returns the functions with a policy that the public names' page has in namespace weft."""
    page = (CHECKOUT / "docs/reference/names.md").read_text(encoding="utf-8")
    of_weft = page.split("\n## ")[1]
    rows = re.findall(r"^\| `(\w+)` \| function \| `(weft/algorithms/\w+\.hpp)`", of_weft, re.M)
    texts = {name: (CHECKOUT / "include" / header).read_text("utf-8") for name, header in rows}
    return {
        name for name, text in texts.items() if f"{name}(Policy&&" in re.sub(r"\(\s+", "(", text)
    }


def test_lines_are_repeated_for_each_public_algorithm(tmp_path: Path) -> None:
    text = make(tmp_path)

    names = re.findall(r"^first\((\w+)\);$", text, re.MULTILINE)
    assert names == sorted(with_policy())
    assert "adjacent_find" in names
    assert text.startswith("// Names.\n// Made from names.hpp.in.\n#pragma once\n\nfirst(")
    assert text.endswith(";\n\nlast();\n")


def test_named_algorithms_are_left_out(tmp_path: Path) -> None:
    text = make(tmp_path)

    names = re.findall(r"^(first|second)\((\w+)\);$", text, re.MULTILINE)
    left_out = {name for kind, name in names if kind == "first"} - {
        name for kind, name in names if kind == "second"
    }
    assert left_out == {"find_last", "find_last_if", "find_last_if_not", "sort"}


def test_a_header_that_is_right_is_left_alone(tmp_path: Path) -> None:
    make(tmp_path)
    made = tmp_path / "sub/names.hpp"
    before = made.stat().st_mtime_ns

    make(tmp_path)

    assert made.stat().st_mtime_ns == before
