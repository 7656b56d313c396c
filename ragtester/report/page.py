"""The page: a template with strict slots, our own style and script by hash, and nothing from anywhere else."""

from __future__ import annotations

import base64
import hashlib
import html
from importlib.resources import files
from string import Template

SCRIPTS = ("dom.js", "data.js", "diff.js", "edges.js", "filters.js", "list.js", "case.js", "detail.js", "main.js")


def asset(name: str) -> str:
    """A packaged file."""
    return files("ragtester.report").joinpath("assets", name).read_text(encoding="utf-8")


def script() -> str:
    """All scripts as one, in a scope of their own."""
    return '"use strict";\n(() => {\n' + "\n".join(asset(name) for name in SCRIPTS) + "\n})();\n"


def policy(style_text: str, script_text: str) -> str:
    """A content security policy: exactly this style and this script, no network, no markup from text."""
    return (
        f"default-src 'none'; script-src '{_hash(script_text)}'; style-src '{_hash(style_text)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def render(title: str, overview: str, explorer: str, islands: str, footer: str) -> str:
    """The whole page. `title` is text; the other parts are HTML that was serialised from trees, or islands."""
    style_text, script_text = asset("report.css"), script()
    return Template(asset("template.html")).substitute(
        policy=html.escape(policy(style_text, script_text), quote=True),
        title=html.escape(title),
        style=style_text,
        overview=overview,
        explorer=explorer,
        islands=islands,
        footer=footer,
        script=script_text,
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
