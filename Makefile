# One command for each thing a player or a developer does. Everything is set up on first use in
# .venv, inside this folder; nothing on the computer outside of it is changed.

PYTHON ?= python3
ARGS ?=
SEEDS ?= 50
RACKS ?= 20000
MATCHES ?= 1
SECONDS_OF_FUZZING ?= 600
# Three on two cores: some tests wait for programs and time-outs.
WORKERS ?= 3
AT_ONCE ?= 2

VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help play demo test e2e check bench bench-page pictures sim sim-table fuzz vectors clean

help: ## show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 12
	@echo
	@echo 'PYTHON=python3.12 chooses the Python to set up with; ARGS="..." is passed on.'

# Ctrl-C is how one ends it (130): no failure that make should speak of.
play: $(VENV)/.installed ## open the table in the browser; ARGS="--port 8080" and the like
	@trap : INT; $(BIN)/p2pokey play $(ARGS) || { code=$$?; [ $$code -eq 130 ] || exit $$code; }

demo: $(VENV)/.installed ## four players on this computer play one hand; ARGS="--hands 2" and the like
	$(BIN)/p2pokey demo $(ARGS)

test: $(VENV)/.installed-dev ## run the tests (no root, no programs besides Python)
	$(BIN)/python -m pytest -m "not e2e" -n $(WORKERS) --dist loadfile $(ARGS)

e2e: $(VENV)/.installed-dev ## run whole programs, their pages and the core in WebAssembly (needs Chromium, Node.js)
	$(BIN)/python -m pytest -m e2e -n $(AT_ONCE) --dist load $(ARGS)

check: $(VENV)/.installed-dev ## lint, format, types and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.installed-dev ## measure cryptography and solvers; ARGS=--json for machines
	$(BIN)/python -m tests.bench $(ARGS)

bench-page: $(VENV)/.installed-dev ## measure what a player feels on the pages of real programs (needs Chromium)
	$(BIN)/python -m tests.web.real.bench $(ARGS)

pictures: $(VENV)/.installed-dev ## take the README's pictures anew, from a real hand (needs Chromium)
	$(BIN)/python -m tests.web.real.pictures $(ARGS)

sim: $(VENV)/.installed-dev ## play SEEDS hands and MATCHES matches a game; compare solvers on RACKS racks a game
	$(BIN)/python -m tests.sim.sweep --seeds $(SEEDS) $(ARGS)
	$(BIN)/python -m tests.sim.matches --matches $(MATCHES)
	$(BIN)/python -m tests.sim.solvers --racks $(RACKS)
	$(BIN)/python -m tests.bots.counting --hands $(SEEDS)

sim-table: $(VENV)/.installed-dev ## play tables with crashes, cuts, absent and lying seats up to seed SEEDS; goes on where it was
	$(BIN)/python -m tests.sim.table_sweep --seeds $(SEEDS) $(ARGS)

fuzz: $(VENV)/.installed-fuzz ## fuzz every parser for SECONDS_OF_FUZZING, guided by coverage (Linux)
	$(BIN)/python -m tests.fuzz.run --seconds $(SECONDS_OF_FUZZING) $(ARGS)

vectors: $(VENV)/.installed-dev ## write the test vectors anew
	$(BIN)/python -m tests.vectors.make $(ARGS)

clean: ## remove what the other commands made, except transcripts
	rm -rf $(VENV) build dist *.egg-info tests/e2e/pyodide/node_modules
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find p2pokey signaling tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@command -v $(PYTHON) > /dev/null || { \
		echo 'p2pokey needs Python 3.11 or newer, and there is no "$(PYTHON)" here.'; \
		echo 'Install it, or say which one to use: make PYTHON=/path/to/python3.11 ...'; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "p2pokey needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) -V 2>&1)."; \
		echo 'Say which one to use: make PYTHON=python3.11 ...'; exit 1; }
	@echo 'Setting up $(VENV): the first time this takes a minute or two.'
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); \
		echo 'Python could not make a virtual environment.'; \
		echo 'On Debian and Ubuntu its parts are in a package of their own: apt install python3-venv'; \
		exit 1; }

# Installed in place (-e), so that a change in the source is in effect at once.
$(VENV)/.installed: pyproject.toml $(BIN)/python
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(BIN)/python
	@$(PIP_INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-fuzz: $(VENV)/.installed-dev
	@$(PIP_INSTALL) -e '.[dev,fuzz]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-dev
