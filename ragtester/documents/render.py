"""Markdown to PDF, in a process of its own with a time limit and a memory limit.

The child (`render_child`) turns one Markdown text into one PDF. A text that makes it hang or grow costs that document
and nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from ragtester.errors import MissingPackageError

SECONDS = 120.0
# One thread: numpy reserves address space for each, which would count against the child's memory limit. The date: fonts
# that are cut down to the letters in use get it, not the present time, so that the same text gives the same bytes.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
    "SOURCE_DATE_EPOCH": "1735689600",
}
MAX_CHARACTERS = 4_000_000
PANGO = (
    "writing PDFs needs the library Pango, which is not installed ({cause}). "
    "Debian/Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; Fedora: dnf install pango; "
    "macOS: brew install pango. Everything else works without it"
)
PACKAGES = (
    "writing documents needs packages that are not installed ({cause}): pip install 'ragtester-pipeline[write]'. "
    "Everything else works without them"
)


class RenderError(Exception):
    """One document could not be rendered; `type` is a short machine word."""

    def __init__(self, type_: str, message: str) -> None:
        self.type = type_
        super().__init__(message)


@dataclass(frozen=True)
class Rendered:
    """A PDF, its HTML (what the page shows), and what could not be drawn.

    `lost` says which text our own reader does not get back from the PDF; empty where all of it comes back in order.
    """

    pdf: bytes
    html: str
    pages: int
    missing_characters: str
    fonts_checked: bool
    cleaned_characters: int
    lost: str = ""


def render_pdf(
    markdown: str, *, profile: str = "plain", language: str = "en", seed: int = 0, seconds: float = SECONDS
) -> Rendered:
    """Render untrusted Markdown. Blocking; call it in a thread.

    Raises RenderError (empty, too_long, timeout, no_font, crash) for the document, MissingPackageError for the machine.
    Characters without a font are drawn as U+FFFD and named; a text that mostly lacks fonts is a RenderError.
    """
    if not markdown.strip():
        raise RenderError("empty", "there is no text to write")
    if len(markdown) > MAX_CHARACTERS:
        raise RenderError("too_long", f"{len(markdown)} characters; the limit is {MAX_CHARACTERS}")
    request = json.dumps({"markdown": markdown, "profile": profile, "language": language, "seed": seed})
    try:
        done = subprocess.run(  # our own module; the text goes through stdin
            [sys.executable, "-m", "ragtester.documents.render_child"],
            input=request.encode("ascii"),
            capture_output=True,
            timeout=seconds,
            env=os.environ | ENVIRONMENT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RenderError("timeout", f"not rendered within {seconds:g} seconds") from error
    return _receive(done)


def _receive(done: subprocess.CompletedProcess[bytes]) -> Rendered:
    line, _, pdf = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        last = words[-1][:300] if words else f"exit code {done.returncode}"
        raise RenderError("crash", f"the renderer stopped: {last}")
    head = json.loads(line)
    if "missing_library" in head:
        raise MissingPackageError(PANGO.format(cause=head["missing_library"]))
    if "missing_package" in head:
        raise MissingPackageError(PACKAGES.format(cause=head["missing_package"]))
    if "failure" in head:
        raise RenderError(*head["failure"])
    return Rendered(pdf=pdf, **head["rendered"])
