# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled part of weft.halo, which is not there until it is built."""

from typing import Any

def __getattr__(name: str) -> Any: ...  # noqa: ANN401
