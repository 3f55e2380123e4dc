# `make demo` goes from nothing to a served page; `make test` needs no service installed.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed

.PHONY: setup demo test lint lock bench

setup: $(STAMP)

$(STAMP): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit("Envcurate needs Python 3.11 or newer; this is " + sys.version.split()[0] + ": set PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $(STAMP)

demo: setup
	@$(BIN)/python manage.py demo

# All tests run in two processes, a file in one of them; `make test ARGS=tests/x` runs in one.
WORKERS ?= $(if $(ARGS),0,2)
test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_migrations.py

# After a change of the dependencies in pyproject.toml. `uv` is no part of the lock: install it
# yourself. The lock serves every platform and Python from 3.11 on, and names no address.
lock:
	uv pip compile --universal --python-version 3.11 --all-extras --generate-hashes --no-header \
		--no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml -o requirements.lock

# `make bench NAME=resets` runs one benchmark; without a name, all. Then the docs have the figures.
BENCHMARKS = $(filter-out page,$(basename $(notdir $(shell grep -l __main__ benchmarks/*.py))))
bench: setup
	@for name in $(or $(NAME),$(BENCHMARKS)); do \
		echo "== $$name"; $(BIN)/python -m benchmarks.$$name || exit 1; done
	@$(BIN)/python -m benchmarks.page
