# Each command sets up what it needs. uv is used where it is there, venv and pip otherwise.
#
#   make discover [DOMAIN=example.com] [PROFILE=audit]   discover a site (the bundled demo site without DOMAIN)
#   make test       every test; installs a browser if there is none
#   make check      formatting, lint, types
#   make bench      speed and memory beside other tools (BENCH="--rounds 1 --urls 100k" for a quick look)
#   make trial      real sites: what is found, what is untrue, at which cost (TRIAL="--sites vitepress")
#   make report-assets   build the page of the report from frontend/report (needs node and npm)
#   make pins       renew the exact versions in constraints.txt

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The demo site is our own and needs no pauses.
PROFILE ?= $(if $(DOMAIN),default,fast)
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help discover test check bench trial report-assets pins clean

help:
	@sed -n 's/^#  *make/make/p' Makefile

# What a user needs, and what a developer needs on top. A browser is not among it: without one
# pages are read as they are sent, and "sitecrawl doctor --install-browser" installs one.
$(VENV)/ready: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) ..."
ifdef UV
	@test -x $(BIN)/python || uv venv --quiet --python $(PYTHON) $(VENV)
	@uv pip install --quiet --python $(BIN)/python --compile-bytecode -c constraints.txt -e ".[render]"
else
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[render]"
endif
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready
ifdef UV
	@uv pip install --quiet --python $(BIN)/python --compile-bytecode -c constraints.txt -e ".[dev]"
else
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
endif
	@touch $@

# Looked for until there is one. Without it the tests that need one are skipped, and say so.
$(VENV)/browser: $(VENV)/ready-dev
	@$(BIN)/sitecrawl doctor --install-browser > $@.log || true
	@if grep -q "^ok  browser " $@.log; then mv $@.log $@; \
	else echo "No browser: the tests that render pages are skipped."; fi

discover: $(VENV)/ready
	@$(BIN)/sitecrawl discover $(if $(DOMAIN),"$(DOMAIN)",--demo) --profile $(PROFILE)

test: $(VENV)/ready-dev $(VENV)/browser
	@$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(VENV)/ready-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/test_docs.py tests/test_architecture.py

trial: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.trial $(TRIAL)

bench: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.run $(BENCH)

# The result is committed: users need neither node nor npm.
report-assets:
	@cd frontend/report && npm install --silent --no-audit --no-fund --no-package-lock
	@cd frontend/report && npm run --silent check && npm run --silent build

# A new venv with the newest versions that the ranges of pyproject.toml allow.
pins:
	@rm -rf .venv-pins && $(PYTHON) -m venv .venv-pins
	@.venv-pins/bin/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@echo "# Exact versions for a repeatable set-up; renew with: make pins" > constraints.txt
	@.venv-pins/bin/python -m pip freeze --exclude-editable --exclude sitecrawl >> constraints.txt
	@rm -rf .venv-pins && touch $(VENV)/ready $(VENV)/ready-dev

clean:
	rm -rf $(VENV) .bench .mypy_cache .ruff_cache .pytest_cache .hypothesis
