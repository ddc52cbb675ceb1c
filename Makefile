# Each command sets up what it needs. uv is used where it is there, venv and pip otherwise.
#
#   make discover [DOMAIN=example.com] [PROFILE=audit]   discover a site (the bundled demo site without DOMAIN)
#   make serve              the dashboard at http://127.0.0.1:8400, with the demo site and its history; needs no network
#   make test               every test; installs a browser if there is none
#   make check              formatting, lint, types
#   make bench              speed and memory beside other tools (BENCH="--rounds 1 --urls 100k" for a quick look)
#   make trial              real sites: what is found, what is untrue, at which cost (TRIAL="--sites vitepress")
#   make docs               build the documentation as a site with search, in build/docs
#   make openapi            write docs/openapi.json and the client from the API
#   make bench-dive         how well pages are read and passages found, and what dives and searches cost
#   make bench-web          reads of the API with a million pages while two scans write, on SQLite and PostgreSQL
#   make bench-scale        500 slow sites on PostgreSQL with one, two and four workers, one of four killed every 20 s
#   make bench-monitor      200 sites on SQLite and PostgreSQL while the monitor's processes are killed
#   make dashboard-assets   build styles and scripts of the dashboard from frontend/dashboard (needs node and npm)
#   make report-assets      build the page of the report from frontend/report (needs node and npm)
#   make pins               renew the exact versions in constraints.txt

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The demo site is our own and needs no pauses.
PROFILE ?= $(if $(DOMAIN),default,fast)
UV := $(shell command -v uv 2>/dev/null)

# Bytecode is kept whatever the environment says: otherwise each process of the tests compiles the
# project and rewrites the assertions of pytest's plugins.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help docs openapi discover serve test check bench bench-dive bench-web bench-monitor bench-scale trial dashboard-assets report-assets pins clean

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

docs: $(VENV)/ready-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/docs/index.html; DOCS_URL=https://... names the pages of its sitemap"

serve: $(VENV)/ready-dev
	@$(BIN)/sitecrawl serve --demo

# Twice as many processes as the cores of CI: many tests wait for servers, pauses and browsers.
test: $(VENV)/ready-dev $(VENV)/browser
	@$(BIN)/python -m pytest -n 4 --dist worksteal

check: $(VENV)/ready-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/test_docs.py tests/test_architecture.py

trial: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.trial $(TRIAL)

bench: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.run $(BENCH)

# Both are committed: a test shows when the API differs from them.
openapi: $(VENV)/ready-dev
	@$(BIN)/python -m sitecrawl.web.openapi

bench-dive: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.extraction
	@$(BIN)/python -m benchmarks.search_quality
	@$(BIN)/python -m benchmarks.dive

bench-web: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.web $(BENCH_WEB)
	@$(BIN)/python -m benchmarks.web --postgres $(BENCH_WEB)

bench-monitor: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.monitor
	@$(BIN)/python -m benchmarks.monitor --postgres --workers 2

bench-scale: $(VENV)/ready-dev
	@$(BIN)/python -m benchmarks.scale $(BENCH_SCALE)

# The results are committed: users need neither node nor npm.
dashboard-assets:
	@cd frontend/dashboard && npm install --silent --no-audit --no-fund --no-package-lock
	@cd frontend/dashboard && npm run --silent check && npm run --silent build

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
