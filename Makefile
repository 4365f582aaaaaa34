# `make run` shows Memdown at work, `make test` proves it; both start from Python 3.11 or newer with
# pip, on Linux, and put all they make into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Each command says what it does while it takes its time.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Where it is set, every command compiles all of Memdown again: half a second each.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-long units style lint types check bench programs clean

# The index goes into .venv too: the home folder is left alone.
run: export MEMDOWN_STATE_DIR := $(CURDIR)/$(VENV)/state
run: $(VENV)/.run
	@echo "Indexing examples/workspace, then asking: which router do we use at home?"
	@$(BIN)/memdown index --workspace examples/workspace
	@$(BIN)/memdown search "which router do we use at home?" --workspace examples/workspace

# The types are checked beside the tests: without its cache mypy keeps one core busy for a minute.
test: $(VENV)/.dev programs style
	@$(MAKE) --no-print-directory --jobs 2 units types

style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# What tests write goes into memory where there is room for it and programs may be run there: they
# wait for the disk less. `make test-long` writes to the disk. Both cores have their own tests, and as in the
# commands NumPy takes one: threads that wait for each other in a loop double the time of a model.
units: export OPENBLAS_NUM_THREADS := 1
units: export OMP_WAIT_POLICY := passive
units: $(VENV)/.dev
	TMPDIR=$$($(BIN)/python tests/quick_folder.py) $(BIN)/pytest -m "not long" -n 2 --dist loadfile --no-loadscope-reorder \
		--hypothesis-profile same

test-long: $(VENV)/.dev $(VENV)/.examples
	$(BIN)/pytest -m long --timeout 7200 -o faulthandler_timeout=0 \
		--write-reliability docs/reliability.md

lint: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev
	$(BIN)/mypy

check: lint types

# Hours with all sizes; `make bench SIZES="1000 10000"` is quick. Peers are installed on first use.
SIZES ?= 1000 10000 50000 200000
bench: $(VENV)/.dev
	$(BIN)/python -m bench performance --sizes $(SIZES)
	$(BIN)/python -m bench.report

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@echo "Making a virtual environment in $(VENV)."
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) --upgrade pip

$(VENV)/.run: $(BIN)/python pyproject.toml
	@echo "Installing Memdown into $(VENV), about 200 MB; this takes a minute."
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	@echo "Installing Memdown and what its tests need into $(VENV), about 1.4 GB; this takes minutes."
	@$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.run

# The frameworks whose examples are run: 200 MB and about a minute, so not for every `make test`.
$(VENV)/.examples: $(VENV)/.dev
	@echo "Installing the agent frameworks of the examples, about 200 MB."
	@$(INSTALL) --editable '.[examples]'
	@touch $@

# Tests drive a Chromium (the web page) and PgBouncer (PostgreSQL behind a pooler). They are installed only
# where that needs nobody's consent: on Debian and its kin, as root or with a sudo that asks for no password.
# Elsewhere the tests say what did not run.
programs: $(VENV)/.dev
	@missing="$$($(BIN)/python tests/programs.py)"; [ -n "$$missing" ] || exit 0; \
	command -v apt-get >/dev/null || exit 0; \
	if [ "$$(id -u)" = 0 ]; then asroot=; \
	elif sudo -n true 2>/dev/null; then asroot=sudo; else exit 0; fi; \
	echo "Installing $$missing with apt-get, for the tests."; \
	add() { $$asroot env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$$1" >/dev/null; }; \
	$$asroot apt-get update -qq; \
	for package in $$missing; do add $$package || echo "$$package could not be installed."; done; \
	case "$$($(BIN)/python tests/programs.py)" in *chromium*) \
	command -v chromium >/dev/null || add chromium || echo "chromium could not be installed.";; esac
