"""The optional packages that the statistics stand on, loaded where a function needs them."""

from __future__ import annotations

import importlib
from typing import Any

from ragtester.errors import MissingPackageError


def load(module: str) -> Any:
    """The module, imported now. Raises MissingPackageError that names what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackageError(
            f"these statistics need the package {package} ({error}); pip install 'ragtester-pipeline[study]'"
        ) from error
