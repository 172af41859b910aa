# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The message sizes at which a library changes its protocol, as the library reports them."""

from __future__ import annotations

import os
import re
import subprocess

from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.transports import Transport

TIMEOUT_S = 20.0
# For each byte transport layer: the size that is sent at once, and the pieces of larger messages.
KINDS = ("eager_limit", "rndv_eager_limit", "max_send_size")
ROW = re.compile(r"^mca:btl:(\w+):param:btl_\1_(\w+):value:(\d+)$", re.MULTILINE)


def thresholds(one: Installation, transport: Transport) -> dict[str, int]:
    """Sizes in bytes by name, `btl_tcp_eager_limit`; empty if the library reports none.

    Cost: one call of `ompi_info`.
    """
    words = list(transport.arguments)
    if one.family != "openmpi" or "btl" not in words:
        return {}
    names = [name for name in words[words.index("btl") + 1].split(",") if name != "self"]
    suffix = one.launcher.name.removeprefix("mpirun")
    tool = one.launcher.with_name(f"ompi_info{suffix}")
    if not tool.exists():
        tool = one.launcher.with_name("ompi_info")
    command = [str(tool), "--parsable", "--level", "9", "--param", "btl", ",".join(names)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
            env=one.environment(os.environ),
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return thresholds_in(done.stdout, names)


def thresholds_in(text: str, names: list[str]) -> dict[str, int]:
    """The output of `ompi_info --parsable` for these layers."""
    return {
        f"btl_{layer}_{kind}": int(value)
        for layer, kind, value in ROW.findall(text)
        if layer in names and kind in KINDS
    }
