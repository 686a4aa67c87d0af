# Needs Python 3.10 or later with its headers, make and a C++20 compiler. Everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt $(shell find src native -type f -not -path '*/__pycache__/*' -not -name '*.so')

.PHONY: help demo test browser docs lint bench suite scale mutate sanitize tsan faults fuzz wheel release-check clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

demo: $(VENV)/.installed $(VENV)/.plots ## Build tagpool and run its demo (about a minute)
	$(BIN)/tagpool demo
	$(BIN)/tagpool pool demo

test: $(VENV)/.installed $(VENV)/.test ## Run all tests; fail on a report of leaked native objects
	$(BIN)/python tools/fail_on_leaks.py $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

# Chromium is installed with apt if the user is root. SCREENSHOTS names a folder for pictures of the pages.
browser: $(VENV)/.installed $(VENV)/.test $(VENV)/.browser ## Test pages in Chromium, and the server under load (SHORT=1: most pages only; SCREENSHOTS: folder of pictures)
	$(BIN)/python tools/install_chromium.py
	TAGPOOL_BROWSER=1 TAGPOOL_SCREENSHOTS=$(SCREENSHOTS) $(BIN)/python -m pytest -r s tests/browser $(if $(SHORT),-k "not hostile")
	$(if $(SHORT),,TAGPOOL_LONG=1 $(BIN)/python -m pytest tests/serve/test_long.py)

docs: $(VENV)/.installed $(VENV)/.test $(VENV)/.docs ## Build the documentation site in build/docs, and run the examples of its pages (SHORT=1: only build)
	$(BIN)/python tools/documentation/build.py
	$(if $(SHORT),,$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 tests/test_documentation.py tests/test_package.py)

# Files in the style of .clang-format
FORMATTED := $(shell find native fuzz/native faults -name '*.[chi][pn][pl]' -not -path 'native/bindings/*')
lint: $(VENV)/.installed $(VENV)/.test $(VENV)/.lint ## Check style, types, the native stub and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --ignore-disjoint-bases --allowlist native/bindings/stubtest-allowlist.txt tagpool._native
	$(BIN)/lint-imports --no-cache
	$(BIN)/clang-format --dry-run --Werror $(FORMATTED)

bench: $(VENV)/.installed $(VENV)/.test $(VENV)/.bench ## Compare speed and memory with other libraries (TAGPOOL_DATA: folder of corpora; PARTS: some parts)
	$(BIN)/python benchmarks/run.py $(PARTS)

suite: $(VENV)/.installed $(VENV)/.test ## Train and score on every corpus under TAGPOOL_DATA, next to python-crfsuite (SUITE: some corpora, options)
	$(BIN)/python benchmarks/run_suite.py $(or $(SUITE),--write docs/results/suite.md)

scale: $(VENV)/.installed $(VENV)/.test $(VENV)/.plots $(VENV)/.scale ## Test Ray and memory budgets, and measure cost by size (SHORT=1: short tests of Ray only)
	TAGPOOL_SCALE=1 $(if $(SHORT),,TAGPOOL_LONG=1) $(BIN)/python -m pytest -r s $(if $(SHORT),tests/bridges/ray/test_ray_training.py tests/bridges/ray/test_data.py tests/bridges/spark tests/bridges/spacy/test_french_pipeline.py,tests/bridges tests/experts/streamed)
	$(if $(SHORT),,$(BIN)/python benchmarks/scale.py --tokens 1e5 1e6)

# The default sample: mutants with a number that ends in 3 or 7. The results stay in mutants/; a second run continues the first.
MUTANTS ?= "*[37]"
mutate: $(VENV)/.installed $(VENV)/.test $(VENV)/.mutate ## Change the central modules, and list the changes that no test finds (MUTANTS: some names)
	mkdir -p mutants/src/tagpool
	cp "$$($(BIN)/python -c 'from tagpool import _native; print(_native.__file__)')" mutants/src/tagpool
	$(BIN)/python -m mutmut run $(MUTANTS)
	$(BIN)/python -m mutmut results

# Python is not built with the sanitizers: preload their runtime, and ignore the memory that Python frees at exit.
# Tests that load other native libraries are excluded.
SANITIZED := .venv-sanitize
SANITIZED_TESTS ?= tests/native tests/corpus tests/features tests/chain tests/compat/wapiti/test_text_models.py tests/compat/wapiti/test_wapiti.py \
	tests/experts/inducing/test_inducing.py tests/pools/votes
sanitize: ## Run the native tests with AddressSanitizer and UndefinedBehaviorSanitizer (SANITIZED_TESTS: some tests)
	test -d $(SANITIZED) || $(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/python -m pip --quiet install "scikit-build-core>=1.1" "nanobind>=3.1,<4" cmake ninja numpy scipy typer rich pytest hypothesis xxhash
	$(SANITIZED)/bin/python -m pip --quiet install --no-build-isolation --no-deps --force-reinstall . \
		-C cmake.define.TAGPOOL_SANITIZE=ON -C build-dir=build/sanitize
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
		$(SANITIZED)/bin/python -m pytest -p no:cacheprovider $(SANITIZED_TESTS) \
		--ignore=tests/native/arrow --ignore=tests/corpus/test_arrow.py --ignore=tests/corpus/test_parquet.py --ignore=tests/corpus/test_zstandard.py \
		--ignore=tests/corpus/annotations --ignore=tests/corpus/builtin --ignore=tests/features/test_given.py --ignore=tests/native/trainers/test_peers.py \
		--ignore=tests/pools/votes/test_vote_pool.py --ignore=tests/pools/votes/test_vote_predictions.py

# Needs Clang with libFuzzer, which is installed with apt if the user is root. Corpora, findings and the table stay in .fuzz/.
MINUTES ?= 5
fuzz: $(VENV)/.installed $(VENV)/.fuzz ## Fuzz all readers of files for MINUTES (or SECONDS, without line coverage; TARGETS: some targets)
	$(BIN)/python fuzz/run.py --targets $(TARGETS) --seconds $(if $(SECONDS),$(SECONDS),$$(($(MINUTES) * 60)) --coverage)

# Linux only: the library that makes calls fail is preloaded.
faults: $(VENV)/.installed ## Let every allocation, file operation and thread start fail once (MOST: some of each kind; ONLY: some operations)
	$(BIN)/python faults/run.py $(if $(MOST),--most $(MOST)) $(if $(ONLY),--only $(ONLY))

# Python is not built with ThreadSanitizer: tools/find_races.py preloads its runtime, and ignores reports outside tagpool.
RACES := build/tsan
tsan: $(VENV)/.installed ## Train, tag and pool in many threads with ThreadSanitizer (SHORT=1: each scenario once; ONLY: some scenarios)
	mkdir -p build
	$(CXX) -std=c++20 -O1 -g -fsanitize=thread -Wall -Wextra -Inative tests/native/base/thread_pool_stress.cpp -o build/thread_pool_stress -pthread
	TSAN_OPTIONS=halt_on_error=1 build/thread_pool_stress
	$(PIP) install --no-build-isolation --no-deps --upgrade --target $(RACES)/package . \
		-C cmake.define.TAGPOOL_TSAN=ON -C build-dir=$(RACES)/native -C install.strip=false
	$(BIN)/python tools/find_races.py $(RACES)/package $(if $(SHORT),--short) $(if $(ONLY),--only $(ONLY))

wheel: $(VENV)/.wheel ## Build sdist and wheel in dist/, and test them on every Python found (PYTHONS: some versions, such as "3.10 3.13")
	$(BIN)/python tools/packaging/make_wheel.py --pythons $(PYTHONS)

release-check: $(VENV)/.wheel ## Check version, changelog, wheel, installation and examples (VERSION: nothing may be open for its release)
	$(BIN)/python tools/packaging/check_release.py $(if $(VERSION),--version $(VERSION))

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install "scikit-build-core>=1.1" "nanobind>=3.1,<4" cmake ninja
	touch $@

# The native build is incremental without build isolation.
$(VENV)/.installed: $(VENV)/.made $(SOURCES)
	$(PIP) install --no-build-isolation .
	touch $@

# matplotlib is optional: the demo works without its picture.
$(VENV)/.plots: $(VENV)/.installed
	-$(PIP) install --no-build-isolation ".[plots]" && touch $@

# These libraries have wheels for some machines only; their rows are omitted elsewhere.
$(VENV)/.bench: $(VENV)/.made pyproject.toml
	-$(PIP) install --only-binary vowpalwabbit,chaine,crfs --group bench
	touch $@

$(VENV)/.test $(VENV)/.browser $(VENV)/.docs $(VENV)/.scale $(VENV)/.lint $(VENV)/.mutate $(VENV)/.fuzz $(VENV)/.wheel: $(VENV)/.%: $(VENV)/.made pyproject.toml
	$(PIP) install --group $*
	touch $@

clean: ## Remove the environments and the build folders
	rm -rf $(VENV) $(SANITIZED) build dist mutants .fuzz
