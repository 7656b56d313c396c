"""The notebooks run on the committed sample, and are committed without outputs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXPECTED = ["bring_your_own_results", "rq1", "rq2", "rq3", "rq4"]
# How many plots each draws.
PLOTS = {"bring_your_own_results": 2, "rq1": 4, "rq2": 2, "rq3": 2, "rq4": 1}


@pytest.fixture
def kernel_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all that Jupyter and matplotlib write; shared, so that fonts are looked for once."""
    folder = tmp_path_factory.getbasetemp() / "kernel-home"
    folder.mkdir(exist_ok=True)
    for name in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(folder))
    return folder


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def test_there_is_one_for_every_research_question_and_one_for_other_results() -> None:
    assert [path.stem for path in NOTEBOOKS] == EXPECTED


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_without_outputs_and_short(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert len(notebook.cells) <= 8
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
        assert cell.metadata == {}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_on_the_committed_sample(path: Path, tmp_path: Path, kernel_home: Path) -> None:
    for name in ("notebooks", "generated", "answers", "verdicts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "ragtester.toml", tmp_path)
    before = files(tmp_path)
    notebook = executed(tmp_path / "notebooks" / path.name)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert kinds.count("image/png") == PLOTS[path.stem]
    assert "text/markdown" in kinds
    assert [output for output in outputs if output.output_type in ("error", "stream")] == []
    assert files(tmp_path) == before  # nothing is left in the workspace


def executed(path: Path) -> Any:
    """The notebook with its outputs, from a kernel of this Python on the loopback address."""
    from nbclient import NotebookClient

    notebook = read(path)
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, kernel_name="python3", timeout=120, startup_timeout=60, resources=resources).execute()
    return notebook


def files(folder: Path) -> dict[str, int]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".ragtester" not in path.parts)
    return {str(path.relative_to(folder)): path.stat().st_size for path in found}
