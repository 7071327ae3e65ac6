# Every entry below has one line of help; `make` alone prints them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := requirements/dev.lock
# Many tests wait for other processes rather than for a processor: three of them keep two cores busy.
WORKERS ?= 3
PORT ?= 8000
# Where the user's cache is not writable (a read-only home), pip and uv cache no packages.
CACHE := $(shell d="$${UV_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}}"; test -w "$$d" || test ! -e "$$d" -a -w "$$HOME" || echo none)
ifeq ($(CACHE),none)
export PIP_NO_CACHE_DIR := 1
export UV_NO_CACHE := 1
endif
# Each process would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
# Text is UTF-8 in every locale.
export PYTHONUTF8 := 1

.DEFAULT_GOAL := help
.PHONY: help install run test lint format bench screenshots accessibility chaos contest backends long-kmm portability system lock clean load security audit stranger image pictures release image-test

help: ## Show this help
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): $(LOCK) pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 15) else "Kakurenbo needs Python 3.11 to 3.14, this is %s. Try: make PYTHON=python3.11" % sys.version.split()[0])'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing. On Debian: apt install python3-venv"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@UV_LINK_MODE=copy $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r $(LOCK)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@$(BIN)/kakurenbo warm-up
	@touch $(STAMP)

install: $(STAMP) ## Create .venv with everything (quick when nothing changed)

run: $(STAMP) ## Serve the demo contest on http://127.0.0.1:8000 (Ctrl-C stops it)
	@$(BIN)/python manage.py up --port $(PORT)

test: $(STAMP) ## Run all tests
	@$(BIN)/python -m pytest -n $(WORKERS)

lint: $(STAMP) ## Check style, types and templates
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy . .ci/release.py .ci/sbom.py
	@$(BIN)/djlint --check templates
	@$(BIN)/djlint --lint templates
	@$(BIN)/python manage.py makemigrations --check --dry-run

format: $(STAMP) ## Format the code
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .
	@$(BIN)/djlint --quiet --reformat templates || true

bench: $(STAMP) ## Measure ours against its peers, as ratios
	@$(BIN)/python -m tests.bench

screenshots: $(STAMP) ## Write pictures of every page, language, theme and width to var/screenshots
	@$(BIN)/python -m pytest -q -s tests/browser/screenshots.py

pictures: $(STAMP) ## Take the README's pictures again, of the demo after all its jobs
	@$(BIN)/python -m pytest -n 0 -q tests/browser/pictures.py

accessibility: $(STAMP) ## Check every page with axe-core in every language, theme and width
	@KAKURENBO_LONG=1 $(BIN)/python -m pytest -q -s tests/browser/test_accessibility.py

chaos: $(STAMP) ## Kill everything while a 20 × 20 matrix fills and while games are played
	@KAKURENBO_TEST_MATRIX=20 KAKURENBO_TEST_KILLS=20 KAKURENBO_TEST_KILLS_IN_GAMES=4 $(BIN)/python -m pytest tests/services/test_matrix_chaos.py tests/services/test_killed_workers.py tests/services/test_killed_games.py -s -q
	@$(BIN)/python -m tests.deployment.chaos --rounds 100

load: $(STAMP) ## 22 teams and 200 viewers on PostgreSQL and Redis; prints all figures
	@$(BIN)/python -m tests.load

contest: $(STAMP) ## Play a whole contest of 22 teams with every process killed, from bundle to archive
	@KAKURENBO_TEST_TEAMS=22 $(BIN)/python -m pytest tests/services/test_whole_contest.py -s -q

backends: $(STAMP) ## Run every service test again on PostgreSQL, with Redis and with RabbitMQ
	@KAKURENBO_LONG=1 $(BIN)/python -m pytest -n $(WORKERS) tests/test_backends.py

long-kmm: $(STAMP) ## Run the large proofs of k-MM: a million rows, ten thousand small panels
	@KAKURENBO_LONG=1 $(BIN)/python -m pytest tests/anonymizers/test_kmm.py tests/anonymizers/test_kmm_small_panels.py -s -q

portability: $(STAMP) ## Compare every result, to the byte, on all processors that this one can simulate
	@$(BIN)/python -m tests.portability

security: $(STAMP) ## Attack the platform and count what held: routes, leaks, bombs, races, secrets, scripts
	@$(BIN)/python -m tests.security

stranger: ## Run both commands as an unprivileged user without services, data, Chromium and home (as root)
	@$(PYTHON) -m tests.deployment.stranger

audit: $(STAMP) ## Look up the locked packages in the public list of vulnerabilities
	@$(BIN)/pip-audit --require-hashes --disable-pip --requirement requirements/base.lock

release: $(STAMP) ## Build sources, wheel, SBOM and checksums of a clean commit in dist/; publishes nothing
	@$(BIN)/python .ci/release.py

image: ## Build the images with docker, podman or buildah (OPTIONS="…" go to each build)
	@sh docker/build-images.sh $(OPTIONS)

image-test: $(STAMP) ## Build both images without an engine and play a contest from them (as root)
	@KAKURENBO_LONG=1 $(BIN)/python -m pytest -q tests/deployment/test_image.py

system: ## Install what a Debian machine may lack (as root)
	@sh docker/system-packages.sh

lock: $(STAMP) ## Pin the newest allowed versions in requirements/*.lock, with wheels for every Python
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url requirements/dev.in -o requirements/dev.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url requirements/base.in -c requirements/dev.lock -o requirements/base.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url requirements/sandbox.in -c requirements/dev.lock -o requirements/sandbox.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url requirements/build.in -c requirements/dev.lock -o requirements/build.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url requirements/neighbours.in -c requirements/dev.lock -o requirements/neighbours.lock
	@for python in 3.11 3.12 3.13 3.14; do $(BIN)/uv pip compile --quiet --python-version $$python --only-binary :all: requirements/dev.lock >/dev/null || exit 1; done

clean: ## Remove .venv, caches and the demo's data in var/
	@rm -rf $(VENV) var build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
