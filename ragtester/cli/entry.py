"""The command line: parse, call, print, exit code. Data on stdout, talk and progress on stderr."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ragtester.cli import adversarial, audit, compare, drift, exchange, experiment, gate, report, stages
from ragtester.errors import MissingPackageError, RagtesterError

INTERRUPTED = 130

app = typer.Typer(
    name="ragtester",
    help="Mass-produce test suites from documents, run them against retrieval-augmented LLMs, judge the answers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Entry point: expected errors in one line, without a traceback, and the exit codes of the documentation."""
    _prepare_streams()
    # A service manager or a CI server that ends the process gets the same clean stop as Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        app()
    except RagtesterError as error:
        _tell(str(error))
        sys.exit(error.exit_code)
    except ImportError as error:
        missing = MissingPackageError.of(error)
        if missing is None:
            raise
        _tell(str(missing))
        sys.exit(missing.exit_code)
    except OSError as error:
        # A full disk, a missing right, a closed pipe: wherever it is met, the rows that stand are whole.
        _tell(f"{error.filename or 'input or output'}: {error.strerror or error}; mend that, then start again")
        sys.exit(3)
    except SystemExit as done:
        if done.code == INTERRUPTED:
            typer.echo("ragtester: stopped; the same command goes on where it was", err=True)
        raise


def _prepare_streams() -> None:
    """Let every text be written: no stream is missing, and what its encoding lacks is written as an escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open until the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _tell(message: str) -> None:
    from ragtester.console import plain

    typer.echo(f"ragtester: {plain(message)}", err=True)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("ragtester-pipeline"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Mass-produce test suites from documents, run them against RAG systems, judge the answers."""


# Each module's commands stand beside the others, in this order in the help.
for part in (stages, audit, adversarial, experiment, compare, drift, gate, report, exchange):
    app.registered_commands += part.app.registered_commands
    app.registered_groups += part.app.registered_groups


def command_names() -> list[str]:
    """Names of all commands, such as "run" and "audit precision", for the documentation's tests."""
    group: Any = typer.main.get_command(app)
    return sorted(name for first, command in group.commands.items() for name in _names(first, command))


def _names(name: str, command: Any) -> list[str]:
    inner = getattr(command, "commands", {})
    return [f"{name} {second}" for second in inner] or [name]
