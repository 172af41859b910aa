# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: every `commands/<name>.py` with a function `command` is a verb."""

from __future__ import annotations

import errno
import os
import signal
import sys
from types import FrameType
from typing import Annotated, NoReturn

import typer

from weft_lab import __version__
from weft_lab.commands import verb as verb_of
from weft_lab.commands import verb_names
from weft_lab.errors import EXIT_CODES, Interrupted, OutputError, WeftError
from weft_lab.machine.environment import check_environment

EPILOG = (
    "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items()) + "."
)
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def make_app(verb: str = "") -> typer.Typer:
    """The application with all its verbs; with only `verb` if that is one, which starts faster."""
    names = verb_names()
    app = typer.Typer(
        name="weft",
        no_args_is_help=True,
        epilog=EPILOG,
        pretty_exceptions_enable=False,
        help="Measures this machine's parallel libraries and says which to use.",
    )
    app.callback()(_own_options)  # without it, typer takes a single command's name as an argument
    for name in [verb] if verb in names else names:
        app.command(name, no_args_is_help=False)(verb_of(name))
    return app


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"weft {__version__}")
        raise typer.Exit


def _own_options(
    version: Annotated[  # answered by its callback
        bool, typer.Option("--version", help="Print the version.", callback=_print_version)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the verb; an expected failure becomes one message and its exit code."""
    signal.signal(signal.SIGTERM, _end)  # a run that measures replaces it and keeps its samples
    try:
        check_environment(os.environ)
        _run_verb()
    except WeftError as error:
        print(f"weft: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """Ends with a message; by the exception, `subprocess.run` ends its child."""
    del number, frame
    os.write(2, b"weft: ended by SIGTERM; type the same command again\n")
    sys.exit(Interrupted.exit_code)


def _run_verb() -> None:
    try:
        try:
            make_app(*sys.argv[1:2])(prog_name="weft")
        finally:
            sys.stdout.flush()
    except OSError as error:
        # Errors about files name the file and are handled where it is opened; a full disk under a
        # redirected output has no name.
        if error.errno not in UNWRITABLE or error.filename is not None:
            raise
        _drop_output()
        raise OutputError(
            what="cannot write the output",
            why=f"{error.strerror}; result folders are not affected",
            remedy="send it elsewhere, or free some space, and ask again",
        ) from error


def _drop_output() -> None:
    """At its end, Python would try once more to write buffered output, and print an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
