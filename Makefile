# make run    index, reason, watch and serve the example notes: http://127.0.0.1:7337
# make test   lint and every test; sets up what it needs first
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
NOTES  ?= notes-example

.PHONY: run test lint unit setup clean format bench-resolver bench-reasoning bench-notes
.DEFAULT_GOAL := run

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing synapse and its tools into $(VENV); this takes a minute or two the first time."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

run: setup
	@$(BIN)/synapse up $(NOTES)

test: lint unit

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

unit: setup
	$(BIN)/pytest -n 2

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-reasoning: setup
	@$(BIN)/python bench/reasoning.py

bench-resolver: setup
	@$(BIN)/python bench/resolver.py

bench-notes: setup bench/.env/basic-memory
	@$(BIN)/python bench/notes.py

# What `bench-notes` compares with, in an environment of its own; it needs Python 3.12.
PYTHON312 ?= python3.12
bench/.env/basic-memory:
	$(PYTHON312) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check basic-memory==0.24.1

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
