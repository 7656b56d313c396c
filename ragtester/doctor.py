"""`ragtester doctor`: what is installed, which keys are set, which servers and models answer, and how to mend each."""

from __future__ import annotations

import importlib.util
import json
import sys
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from ragtester.errors import RagtesterError, UsageError
from ragtester.model_checks import AUDIT, STAGES, asked_models, check_model, used_models
from ragtester.models.catalogue import OPENAI_URL, resolve
from ragtester.settings import Settings
from ragtester.waiting import wait_for
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

OFFLINE = ("embedded", "scripted")
OLLAMA_URL = "http://127.0.0.1:11434"
SECONDS = 5.0
TEXTSTAT = "0.7.8"
PANGO = (
    "Debian/Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0; Fedora: dnf install pango; macOS: brew install pango"
)


@dataclass(frozen=True)
class Finding:
    """One thing examined. `needed` says whether today's settings use it; `mend` is empty where all is well."""

    name: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True


def examine(workspace: Workspace, settings: Settings, *, probe: bool = False) -> list[Finding]:
    """Examine the machine and the settings. Calls no model: servers are only asked which models they have.

    With `probe` a target is asked one question.
    """
    found = [_python(), *_packages(settings), _pango(settings), _corpus(workspace, settings)]
    try:
        models, asked = (names(settings, (*STAGES, AUDIT)) for names in (used_models, asked_models))
        found += _reranker(workspace, settings)
    except UsageError as error:
        return [*found, Finding("reranker", False, str(error), "mend execute.retrieval.rerank")]
    found += _target(workspace, settings, probe=probe)
    found += [finding for model in sorted(models) for finding in _model(model, settings, asked=model in asked)]
    # Several models need the same key or package: it is told once.
    return list(dict.fromkeys(found))


def print_findings(findings: list[Finding], console: Console) -> None:
    """One line a finding and one for its mend."""
    for finding in findings:
        mark = "ok     " if finding.ok else ("MISSING" if finding.needed else "absent ")
        console.print(f"{mark} {finding.name}: {finding.detail}", markup=False, highlight=False, soft_wrap=True)
        if finding.mend and not finding.ok:
            console.print(f"        mend: {finding.mend}", markup=False, highlight=False, soft_wrap=True)
    missing = sum(not finding.ok and finding.needed for finding in findings)
    word = "all that these settings need is there" if not missing else f"{missing} thing(s) that these settings need"
    console.print(word if not missing else f"{word} are missing", markup=False, highlight=False)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _packages(settings: Settings) -> Iterator[Finding]:
    for module in ("chromadb", "bm25s", "pypdfium2", "pypdf", "cryptography", "wordllama", "langchain", "genai_prices"):
        yield _package(module, True, "pip install ragtester-pipeline")
    yield _textstat()
    for module in ("weasyprint", "markdown", "matplotlib"):
        yield _package(module, settings.documents.count > 0, "pip install 'ragtester-pipeline[write]'")
    flash = settings.execute.retrieval.rerank.startswith("flashrank:")
    yield _package("flashrank", flash, "pip install 'ragtester-pipeline[rerank]'")


def _reranker(workspace: Workspace, settings: Settings) -> Iterator[Finding]:
    """A reranker that is no language model; those are told among the models."""
    from ragtester.rag.rerankers import check_reranker, kind

    name = settings.execute.retrieval.rerank
    if kind(name) not in ("flashrank", "python"):
        return
    try:
        check_reranker(settings, workspace.root)
    except RagtesterError as error:
        yield Finding(
            f"reranker {name}", False, str(error), "bring what the line names, or mend execute.retrieval.rerank"
        )
        return
    yield Finding(f"reranker {name}", True, "its model is there" if kind(name) == "flashrank" else "can be imported")


def _target(workspace: Workspace, settings: Settings, *, probe: bool) -> Iterator[Finding]:
    """The system under test that is not ours."""
    from ragtester.models.targets.looking import probe as ask
    from ragtester.models.targets.looking import reveals, unreachable
    from ragtester.models.targets.opening import check_target
    from ragtester.records import Failure

    if not settings.target.name:
        return
    name = f"target {settings.target.name}"
    try:
        check_target(settings, workspace.root)
    except RagtesterError as error:
        yield Finding(name, False, str(error), "mend [target], or install what it needs")
        return
    if why := unreachable(settings):
        # Its address stands in the name.
        why = why.removeprefix(f"{settings.target.address}: ")
        yield Finding(name, False, why, "start the application, or mend target.name")
        return
    if not probe:
        yield Finding(name, True, "is there; --probe asks it one question")
        return
    found = wait_for(ask(settings, workspace.root))
    if isinstance(found, Failure):
        mend = "mend what [target] says of request and reply, or the application; its own log may tell more"
        yield Finding(name, False, f"{found.type}: {found.message}", mend)
    else:
        yield Finding(name, True, reveals(found))


def _textstat() -> Finding:
    """Newer versions of textstat download a dictionary when they are used."""
    try:
        found = metadata.version("textstat")
    except metadata.PackageNotFoundError:
        found = "not installed"
    return Finding("package textstat", found == TEXTSTAT, found, f"pip install textstat=={TEXTSTAT}")


def _package(module: str, needed: bool, mend: str) -> Finding:
    there = importlib.util.find_spec(module) is not None
    return Finding(f"package {module}", there, "installed" if there else "not installed", mend, needed)


def _pango(settings: Settings) -> Finding:
    needed = settings.documents.count > 0
    if importlib.util.find_spec("weasyprint") is None:
        return Finding("native library pango", False, "not looked for: weasyprint is not installed", PANGO, needed)
    try:
        with warnings.catch_warnings():
            # What a future version of WeasyPrint will want is no finding of today.
            warnings.simplefilter("ignore", DeprecationWarning)
            import weasyprint  # noqa: F401 - loading it loads pango
    except OSError as error:
        return Finding("native library pango", False, str(error).splitlines()[0], PANGO, needed)
    return Finding("native library pango", True, "loads", "", needed)


def _corpus(workspace: Workspace, settings: Settings) -> Finding:
    from ragtester.documents.library import find_files

    try:
        files = find_files([settings.workspace.corpus], workspace.root)
    except RagtesterError as error:
        return Finding("corpus", False, str(error), "put documents there, or set [workspace] corpus")
    mend = "put .pdf, .md, .txt, .html or .docx files there, or set [workspace] corpus or [documents] count"
    needed = settings.documents.count == 0
    return Finding("corpus", bool(files), f"{len(files)} file(s) in {settings.workspace.corpus}", mend, needed)


def _model(name: str, settings: Settings, *, asked: bool) -> Iterator[Finding]:
    """One model; one that is `asked` on the query path or in its audit is a language model, whatever else it is."""
    try:
        check_model(name, settings)
        if asked:
            check_model(name, settings, embedding=False)
    except RagtesterError as error:
        yield Finding(f"model {name}", False, str(error), "mend the name in ragtester.toml, or install what it needs")
        return
    known = resolve(name, settings)
    provider = known.provider
    if provider in OFFLINE:
        yield Finding(f"model {name}", True, "ships with ragtester" if provider == "embedded" else "scripted replies")
        return
    variable = known.key_variable
    if variable:
        detail = "not set" if known.key_missing else "set"
        yield Finding(f"key {variable}", not known.key_missing, detail, f"export {variable}=... or write it into .env")
    ask: dict[str, Callable[[str, str], str]] = {"openai": _ask_openai, "ollama": _ask_ollama}
    if known.key_missing:
        yield Finding(f"model {name}", False, "not asked: no key", f"set {variable}")
    elif provider in ask:
        base = known.base_url or (OLLAMA_URL if provider == "ollama" else OPENAI_URL)
        yield _server(name, known.served, base, known.key or "", ask[provider])
    else:
        yield Finding(f"model {name}", True, f"{provider} is installed; the first call tells whether it answers")


def _server(name: str, model: str, base: str, key: str, ask: Callable[[str, str], str]) -> Finding:
    """Ask a server which models it has; no tokens are spent."""
    try:
        known = json.loads(ask(base.rstrip("/"), key))
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", None) or error).replace(key or "\0", "[key]")
        return Finding(
            f"model {name}",
            False,
            f"{base}: {reason}",
            "see that the server runs and can be reached; mend base_url or the key",
        )
    names = _names(known)
    if model in names or f"{model}:latest" in names:
        return Finding(f"model {name}", True, f"served at {base}")
    near = ", ".join(sorted(names)[:5]) or "none"
    mend = f"ollama pull {model}" if ask is _ask_ollama else f"the server has: {near}"
    return Finding(f"model {name}", False, f"not among the {len(names)} models at {base}", mend)


def _names(known: Any) -> set[str]:
    """Model names in an OpenAI (`data[].id`) or Ollama (`models[].name`) listing."""
    rows = (known.get("data") or known.get("models") or []) if isinstance(known, dict) else []
    return {str(row.get("id") or row.get("name")) for row in rows if isinstance(row, dict)}


def _ask_openai(base: str, key: str) -> str:
    return _get(f"{base}/models", {"Authorization": f"Bearer {key}"} if key else {})


def _ask_ollama(base: str, _key: str) -> str:
    return _get(f"{base}/api/tags", {})


def _get(url: str, headers: dict[str, str]) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"not an http address: {url}")
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - checked above
    with urllib.request.urlopen(request, timeout=SECONDS) as reply:  # noqa: S310
        return str(reply.read(4_000_000).decode("utf-8", "replace"))
