# `make run` shows Memdown at work, `make test` proves it; both start from nothing but Python 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-long lint types check bench clean

run: $(VENV)/.run
	@$(BIN)/memdown index --workspace examples/workspace
	@$(BIN)/memdown search "which router do we use at home?" --workspace examples/workspace

test: $(VENV)/.dev $(VENV)/.browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -m "not long" -n 2 --dist loadfile

test-long: $(VENV)/.dev $(VENV)/.examples
	$(BIN)/pytest -m long

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
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/.run: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.run

# The frameworks whose examples are run: 200 MB and about a minute, so not for every `make test`.
$(VENV)/.examples: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[examples]'
	@touch $@

# The tests of the web page drive Debian's Chromium; root installs it, others by sudo.
$(VENV)/.browser: | $(BIN)/python
	@command -v chromium >/dev/null || { \
		asroot=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$asroot apt-get update -qq && \
		$$asroot env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; }
	@touch $@
