# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compilers that can build the bench programs: their names, and how to get them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass


@dataclass(frozen=True)
class Toolchain:
    """One compiler. `name` follows the @ of a variant; CMake gives programs the same name.

    `preset`: of CMakePresets.json, with the flags that only this compiler needs.
    """

    name: str
    compiler: str
    preset: str
    remedy: str

    @property
    def is_found(self) -> bool:
        return shutil.which(self.compiler) is not None


GCC = Toolchain("gcc", "g++", "bench", "apt-get install g++")
CLANG = Toolchain("clang", "clang++-19", "bench-clang", "apt-get install clang-19 libomp-19-dev")
ICPX = Toolchain(
    "icpx",
    "icpx",
    "bench-icpx",
    "install Intel's oneAPI compiler and put icpx on PATH; ./weft doctor names three ways",
)
NVCXX = Toolchain(
    "nvcxx",
    "nvc++",
    "bench-nvcxx",
    "install the NVIDIA HPC SDK and put nvc++ on PATH; ./weft doctor names three ways",
)
TOOLCHAINS = (GCC, CLANG, ICPX, NVCXX)
TOOLCHAIN_NAMES = tuple(toolchain.name for toolchain in TOOLCHAINS)
