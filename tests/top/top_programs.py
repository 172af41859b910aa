# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tool and its target are, and what the fixtures return."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

TOOL = os.environ.get("WEFT_TOP_TOOL", "")
TARGET = os.environ.get("WEFT_TOP_TARGET", "")

Start = Callable[[str], "subprocess.Popen[str]"]
Top = Callable[..., "subprocess.CompletedProcess[str]"]
