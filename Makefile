# Everything here works on a machine that has only Python (3.10 or later, with its headers), make and g++.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt $(shell find src native -type f -not -path '*/__pycache__/*' -not -name '*.so')

.PHONY: help demo test lint bench sanitize clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.installed $(VENV)/.plots ## Set up everything and show what tagpool does
	$(BIN)/tagpool demo

test: $(VENV)/.installed $(VENV)/.test ## Run the tests
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

lint: $(VENV)/.installed $(VENV)/.test $(VENV)/.lint ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --ignore-disjoint-bases --allowlist native/bindings/stubtest-allowlist.txt tagpool._native
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/.installed $(VENV)/.test $(VENV)/.bench ## Measure speed and memory against the peers, in one run (set TAGPOOL_DATA for the real corpora)
	$(BIN)/python benchmarks/run.py $(PARTS)

# Python itself is not built with the sanitizers, so their runtime is loaded first, and what Python keeps until its end is no leak.
# Tests that bring other native libraries along are left out.
SANITIZED := .venv-sanitize
SANITIZED_TESTS ?= tests/native tests/corpus tests/features tests/chain tests/compat/test_text_models.py tests/compat/test_wapiti.py \
	tests/experts/test_inducing.py tests/pools/votes
sanitize: ## Run the tests of the native core under AddressSanitizer and UndefinedBehaviorSanitizer (SANITIZED_TESTS for some)
	test -d $(SANITIZED) || $(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/python -m pip --quiet install "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja numpy scipy typer rich pytest hypothesis xxhash
	$(SANITIZED)/bin/python -m pip --quiet install --no-build-isolation --no-deps --force-reinstall . \
		-C cmake.define.TAGPOOL_SANITIZE=ON -C build-dir=build/sanitize
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
		$(SANITIZED)/bin/python -m pytest -p no:cacheprovider $(SANITIZED_TESTS) \
		--ignore=tests/corpus/test_builtin.py --ignore=tests/features/test_given.py --ignore=tests/native/test_peers.py \
		--ignore=tests/pools/votes/test_vote_pool.py --ignore=tests/pools/votes/test_vote_predictions.py

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
	touch $@

# Without build isolation the native build is incremental.
$(VENV)/.installed: $(VENV)/.made $(SOURCES)
	$(PIP) install --no-build-isolation .
	touch $@

# Without matplotlib there are tables all the same: it may fail.
$(VENV)/.plots: $(VENV)/.installed
	-$(PIP) install --no-build-isolation ".[plots]" && touch $@

# A rival that has wheels for some machines only: without it its rows say so.
$(VENV)/.bench: $(VENV)/.made pyproject.toml
	-$(PIP) install --only-binary vowpalwabbit --group bench
	touch $@

$(VENV)/.test $(VENV)/.lint: $(VENV)/.%: $(VENV)/.made pyproject.toml
	$(PIP) install --group $*
	touch $@

clean: ## Remove what was built
	rm -rf $(VENV) $(SANITIZED) build dist
