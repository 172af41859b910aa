# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft run`: measure, and keep every sample in a result folder."""

from __future__ import annotations

from weft_lab import cli_options as options


@options.collected()
def command(given: options.Given) -> None:
    """Measure this machine; prints the result folder.

    Examples: ./weft run --quick --only sort,reduce --size 2^10..2^20; ./weft run --quick
    --suite tasks
    """
    from rich.console import Console

    from weft_lab.suites import protocol

    wanted = options.make_options(given)
    suite = protocol.asked(wanted)
    folder = suite.measure(wanted, Console(stderr=True))
    print(folder.path)
    suite.raise_for_outcome(folder)
