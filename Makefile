# Every target sets itself up: the first one creates .venv and installs the pinned requirements.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
BUILD  := $(BIN)/jupyter-book build book/ -W -n --keep-going
# Where the results of repeated experiments are kept; emptied first, so that a build computes them.
STORE  := $(CURDIR)/.results
# Optional peers of the benchmarks stay out of the environment that builds the book.
PEERDIR := $(CURDIR)/.peers
# Pages are made on the twin of the Milan table and may be published; with ORIGINAL=1 on the table itself.
TWIN   := $(if $(ORIGINAL),,env -u KERNLIB_MILAN)
# Sphinx warns only about pages that it reads again: after a failed build it must read all of them.
FORGET := rm -rf book/_build/.doctrees book/_build/library.sha256

# One thread per process: the tests run in two processes, and sums must not depend on the core count.
export OMP_NUM_THREADS      ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS      ?= 1
export NUMBA_NUM_THREADS    ?= 1
export PYDEVD_DISABLE_FILE_VALIDATION := 1
# numba's cache does not see an edit of a compiled function in another file: a cache per source.
export NUMBA_CACHE_DIR ?= $(CURDIR)/.numba_cache/$(shell cat kernlib/*.py kernlib/learners/*.py | cksum | cut -d ' ' -f 1)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help book test lint imports types unit nbval browser pdf bench clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

book: $(READY)  ## build the book; open book/_build/html/index.html
	@echo '== results: every experiment of the documents, at its full protocol'
	rm -rf $(STORE)/book
	KERNLIB_STORE=$(STORE)/book $(TWIN) $(BIN)/kernlib replicate --all --only-compute
	@echo '== book: run every chapter and build the pages; a warning is an error'
	KERNLIB_STORE=$(STORE)/book $(TWIN) $(BUILD) || { $(FORGET); exit 1; }

test: lint imports types unit nbval  ## all of the next five, the book built and run again

lint: $(READY)  ## ruff: rules and format
	@echo '== lint: ruff'
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

imports: $(READY)  ## import-linter: data flows one way
	@echo '== imports: layer contracts'
	$(BIN)/lint-imports

types: $(READY)  ## mypy on the library
	@echo '== types: mypy'
	$(BIN)/mypy

unit: $(READY)  ## doctests, unit and property tests
	@echo '== unit: pytest'
	$(BIN)/python -m pytest -n 2

nbval: book  ## run every chapter again and compare with the built book
	@echo '== nbval: chapters against the build, glued values included'
	rm -rf $(STORE)/nbval
	KERNLIB_STORE=$(STORE)/nbval $(TWIN) $(BIN)/kernlib replicate --all --only-compute
	KERNLIB_STORE=$(STORE)/nbval $(TWIN) $(BIN)/python -m pytest --nbval-book -m book -n 2 --dist loadfile

browser: $(READY)  ## open every built page in Chromium (after make book)
	@echo '== browser: every page in Chromium'
	$(BIN)/python -m pytest tests/browser --browser -n 2 --dist loadgroup

pdf: $(READY)  ## build the book as PDF and check it (needs TeX Live; README.md names the packages)
	@for program in xelatex latexmk xindy pdftotext; do command -v $$program >/dev/null || { echo "make pdf needs $$program; README.md names the Debian packages" >&2; exit 1; }; done
	test -d $(STORE)/book || $(MAKE) book
	@echo '== pdf: the chapters once more, on paper, with the results of the pages'
	rm -rf book/_build/latex
	KERNLIB_STORE=$(STORE)/book $(TWIN) $(BIN)/jupyter-book build book/ --builder pdflatex > book/_build/pdf.log 2>&1 || { tail -60 book/_build/pdf.log; exit 1; }
	$(BIN)/python -m pytest tests/test_pdf.py --pdf -q

bench: $(READY)  ## compare the speed with other libraries (QUICK=1: in a minute; PEERS=1: fetch optional ones; DOCUMENTS=1: time all experiments first)
	@echo '== bench: every script in benchmarks/'
	$(if $(PEERS),$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --no-deps --target $(PEERDIR) -r benchmarks/peers.txt)
	$(if $(DOCUMENTS),$(BIN)/python benchmarks/documents.py)
	PYTHONPATH=$(CURDIR):$(PEERDIR) $(BIN)/python benchmarks/run.py $(if $(QUICK),--quick)

clean:  ## remove what was built; .venv stays
	rm -rf book/_build .results .numba_cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find kernlib tests benchmarks book -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'kernlib needs Python 3.11 or newer; set it with: make PYTHON=python3.11 ...' >&2; exit 1; }
	@echo '== set-up: $(VENV) with the pinned requirements (about two minutes)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@
