"""The command line. `app` and `main` are the entry points; each other module holds the commands of one subject."""

from ragtester.cli.entry import app, command_names, main

__all__ = ["app", "command_names", "main"]
