# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: every `commands/<name>.py` with a function `command` is a verb."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

import typer

from weft_lab import commands
from weft_lab.environment import check_environment
from weft_lab.errors import EXIT_CODES, WeftError

EPILOG = (
    "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items()) + "."
)


def make_app() -> typer.Typer:
    """The application with all its verbs."""
    app = typer.Typer(
        name="weft",
        no_args_is_help=True,
        epilog=EPILOG,
        pretty_exceptions_enable=False,
        help="Measures this machine's parallel libraries and says which to use.",
    )
    for module in pkgutil.iter_modules(commands.__path__):
        function = importlib.import_module(f"{commands.__name__}.{module.name}").command
        app.command(module.name, no_args_is_help=False)(function)
    return app


def main() -> None:
    """Runs the verb; an expected failure becomes one message and its exit code."""
    try:
        check_environment(os.environ)
        make_app()(prog_name="weft")
    except WeftError as error:
        print(f"weft: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
