# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft run`: measure, and keep every sample in a result folder."""

from __future__ import annotations

from pathlib import Path

from weft_lab import cli_options as options


def command(  # noqa: PLR0917 - typer: every option is a parameter
    quick: options.Quick = False,
    full: options.Full = False,
    budget: options.Budget = None,
    suite: options.Suite = None,
    only: options.Only = None,
    backend: options.Backend = None,
    size: options.Size = None,
    threads: options.Threads = None,
    type: options.Type = None,
    allocator: options.Allocator = None,
    placement: options.Placement = None,
    smt: options.Smt = None,
    protocol: options.Protocol = "robust",
    rounds: options.Rounds = None,
    seed: options.Seed = 42,
    results: options.Results = Path("results"),
    programs: options.ProgramsFolder = None,
) -> None:
    """Measure this machine; prints the result folder.

    Example: ./weft run --quick --only sort,reduce --size 2^10..2^20
    """
    from rich.console import Console

    from weft_lab.session import measure, raise_for_outcome

    given = options.Given(
        quick=quick,
        full=full,
        budget=budget,
        suite=suite,
        only=only,
        backend=backend,
        size=size,
        threads=threads,
        type=type,
        allocator=allocator,
        placement=placement,
        smt=smt,
        protocol=protocol,
        rounds=rounds,
        seed=seed,
        results=results,
        programs=programs,
    )
    folder = measure(options.make_options(given), Console(stderr=True))
    print(folder.path)
    raise_for_outcome(folder)
