# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of a run's programs: `backend@toolchain`, and the second copy of the baseline."""

from __future__ import annotations

BASELINE = "seq@gcc"
CONTROL_SUFFIX = "#control"


def is_control(variant: str) -> bool:
    """Whether it is the second copy of the baseline, which measures the noise."""
    return variant.endswith(CONTROL_SUFFIX)


def program_of(variant: str) -> str:
    """The variant whose program this one uses: the control uses the baseline's."""
    return variant.removesuffix(CONTROL_SUFFIX)
