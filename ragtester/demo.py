"""`ragtester demo`: the whole pipeline on the embedded engine, on the sample corpus or on somebody's documents."""

from __future__ import annotations

from pathlib import Path

from ragtester.api import Project
from ragtester.errors import ChangedInputsError, UsageError
from ragtester.progress import StageResult
from ragtester.provenance import sha256_text
from ragtester.settings import FILE_NAME, toml_text
from ragtester.storage import write_text
from ragtester.tables import Rate, Table
from ragtester.workspace import slug

SETTINGS = """\
# A demo on the embedded engine: no key, no network, no cost. `ragtester init` writes a file with every setting.

[workspace]
corpus = {corpus}
suite = "demo"

[cases]
per_document = 10

[execute]
run = "demo"

[[execute.groups]]
llms = ["embedded:rules", "embedded:eager"]
embeddings = ["embedded:wordllama", "embedded:hashing"]

[judge]
model = "embedded:judge"
"""


def sample_corpus() -> Path:
    """Folder of the sample corpus: in the wheel, or beside the package in a checkout."""
    here = Path(__file__).parent
    for folder in (here / "_sample", here.parent / "corpora" / "sample"):
        if folder.is_dir():
            return folder
    raise UsageError("the sample corpus is not installed; give your own documents with --corpus")


def make_workspace(corpus: str, into: Path) -> Path:
    """Write the demo's settings into `into/<name of the corpus>` and return that folder."""
    source = Path(corpus).expanduser() if corpus else sample_corpus()
    if corpus and not source.exists():
        raise UsageError(f"{source}: no such file or folder; give a folder of .pdf, .md, .txt, .html or .docx files")
    if not str(source.resolve()).isprintable():
        raise UsageError(f"{source}: its path holds what no settings file can name; rename or move it")
    text = SETTINGS.format(corpus=toml_text(str(source.resolve())))
    folder = into / (slug(source.resolve().name) if corpus else "sample")
    path = folder / FILE_NAME
    if corpus and path.is_file() and path.read_text(encoding="utf-8") != text:
        # Another corpus of the same name has its demo there.
        folder = into / f"{folder.name}-{sha256_text(str(source.resolve()))[:8]}"
        path = folder / FILE_NAME
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_text(path, [text])
    return folder


def run_demo(project: Project) -> list[StageResult]:
    """Run the four stages; files of an earlier demo that were made from something else are made again.

    The embedded engine costs nothing, so making again is the kind thing to do here; other commands never do it unasked.
    """
    try:
        return project.run()
    except ChangedInputsError as error:
        project.progress.note(f"{error} -> made again")
        return project.run(overwrite=True)


def lost_evidence(project: Project) -> tuple[StageResult, Table]:
    """The retrieval audit of the demo's run, and the stages at which its failures were born."""
    audited = project.audit_retrieval()
    found = project.retrieval_result()
    assert found is not None
    kept = tuple(
        (one.stage, Rate(one.queries.successes, one.queries.n), one.failed, one.missed)
        for one in found.stages
        if one.queries is not None and one.queries.successes
    )
    title = f"Where {found.diagnosed} queries that failed or lost evidence went wrong"
    note = "A query is a case under one embedding model; one that lost evidence may be answered wrongly, too."
    return audited, Table("stages", title, ("stage", "queries", "answered wrongly", "evidence lost"), kept, (note,))
