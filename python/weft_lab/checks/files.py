# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checkout's own files: what git tracks or would track; without git, all files that were not
built."""

from __future__ import annotations

import subprocess
from pathlib import Path

NOT_OURS = {".git", ".weft", "build", "results", "__pycache__"}


def own_files(root: Path, *suffixes: str) -> list[Path]:
    """Returns the files with one of the suffixes (without any: all), sorted, relative to `root`."""
    command = ["git", "-C", str(root), "-c", f"safe.directory={root}", "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard"]
    listed = None
    if (root / ".git").exists():
        try:
            listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            listed = None
    if listed is not None:
        found = [Path(name) for name in listed.split("\0") if name]
    else:
        found = [path.relative_to(root) for path in root.rglob("*")]
        found = [path for path in found if not NOT_OURS.intersection(path.parts)]
    kept = {path for path in found if not suffixes or path.suffix in suffixes}
    return sorted(path for path in kept if (root / path).is_file())
