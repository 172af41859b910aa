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

    from weft_lab.measuring.options import is_asked_alone
    from weft_lab.measuring.session import measure, raise_for_outcome
    from weft_lab.suites.halo import measure as halo
    from weft_lab.suites.mpi.measure import measure as measure_mpi
    from weft_lab.suites.mpi.measure import raise_if_stopped

    wanted = options.make_options(given)
    if is_asked_alone("mpi", wanted.suite):
        measured = measure_mpi(wanted, Console(stderr=True))
        print(measured.path)
        raise_if_stopped(measured)
        return
    if is_asked_alone("halo", wanted.suite):
        measured = halo.measure(wanted, Console(stderr=True))
        print(measured.path)
        halo.raise_for_outcome(measured)
        return
    folder = measure(wanted, Console(stderr=True))
    print(folder.path)
    raise_for_outcome(folder)
