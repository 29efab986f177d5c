# All set-up is done here: a machine needs Python 3.11 or later and make, nothing else.
#
#   make demo                 learn a network from a built-in table and show it
#   make test                 run all tests
#   make PYTHON=python3.13 test VENV=../venv    another interpreter, another place

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2

BIN := $(VENV)/bin
USER_STAMP := $(VENV)/.installed-all
DEV_STAMP := $(VENV)/.installed-dev
DOCS_STAMP := $(VENV)/.installed-docs

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz lint docs bench installs clean

help:
	@echo "make demo    learn a network from a built-in table and show it"
	@echo "make test    run all tests, the examples in the documentation included"
	@echo "make fuzz    feed 10,000 hostile tables and 2,000 damaged files"
	@echo "make lint    check style, types and docstrings"
	@echo "make docs    build the documentation site; its examples run, its warnings are errors"
	@echo "make bench   measure how fast it is"
	@echo "make installs   install from wheel and sdist, each extra alone, oldest and newest dependencies"
	@echo "make clean   remove the virtual environment and everything generated"
	@echo
	@echo "PYTHON=$(PYTHON) makes the virtual environment, VENV=$(VENV) is its folder."

demo: $(USER_STAMP)
	$(BIN)/ibmap demo

test: $(DEV_STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

fuzz: $(DEV_STAMP)
	$(BIN)/python -m tests.fuzz

lint: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/docs/project  # types as a user of the package sees them
	$(BIN)/python scripts/check_docstrings.py

docs: $(DOCS_STAMP)
	$(BIN)/sphinx-build --quiet -W --keep-going -b html docs docs/_build/html
	@echo "The site begins at docs/_build/html/index.html"

installs:
	scripts/check_installs.sh

bench: $(DEV_STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist docs/_build docs/gallery docs/reference/generated .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* demo-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp newer than pyproject.toml means there is nothing to install.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "ibmap needs Python 3.11 or later, but PYTHON=$(PYTHON) is: $$($(PYTHON) --version 2>&1)" >&2; \
	  echo "Name another one, for example: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(USER_STAMP): pyproject.toml | $(BIN)/python
	@echo "Installing ibmap into $(VENV); the first time takes a minute ..."
	$(BIN)/python -m pip install --quiet --editable '.[all]'
	@touch $@

$(DEV_STAMP): pyproject.toml | $(BIN)/python
	@echo "Installing ibmap and its test tools into $(VENV); the first time takes a minute ..."
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(USER_STAMP)

$(DOCS_STAMP): pyproject.toml | $(BIN)/python
	@echo "Installing ibmap and its documentation tools into $(VENV); the first time takes a minute ..."
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@ $(USER_STAMP)
