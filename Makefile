# Everything that is done often. The first target that needs Python sets up .venv by itself; `make help` lists the rest.
#
# A set-up installs those packages of lock.txt that name it, each compared with its hash, with uv where that is there and with pip
# where it is not. It is complete when its stamp holds the present key: this folder and the contents of pyproject.toml and lock.txt. The
# stamp is written last, so an interrupted set-up, a changed dependency, and a repository that was moved or copied together
# with its .venv all lead to a new one. So does a PYTHON= of another version.

SHELL := /bin/sh
PYTHON ?=
ARGS ?=
LAB ?= my-lab
SECONDS ?= 300
PORT ?= 8000

VENV_PYTHON := .venv/bin/python
UV := $(shell command -v uv 2>/dev/null)
PYTHONS := >=3.11,<3.15
CANDIDATES := $(if $(PYTHON),'$(PYTHON)',python3.14 python3.13 python3.12 python3.11 python3 python)

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Python keeps what it has compiled, whatever the environment says: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

# A candidate counts only if it runs (a version manager's shim may exist and fail) and can make a virtual environment.
FIND_PYTHON = for candidate in $(CANDIDATES); do \
	if "$$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	then python=$$candidate; break; fi; done; \
	if [ -z "$$python" ]; then \
	echo 'No Python 3.11 or newer with its venv module was found (looked for: $(subst ','\'',$(CANDIDATES))).' \
	'Install one (on Debian and Ubuntu also python3-venv), or name it: make PYTHON=/path/to/python3' >&2; exit 1; fi

# A new virtual environment in folder $(1), with pip in it.
ifeq ($(UV),)
NEW_VENV = python=; $(FIND_PYTHON); "$$python" -m venv --clear $(1)
INSTALL = $(VENV_PYTHON) -m pip install
else
NEW_VENV = rm -rf $(1); '$(UV)' venv --quiet --seed --python '$(or $(PYTHON),$(PYTHONS))' $(1)
# Compiled like by pip; else the first command would compile a thousand modules.
INSTALL = '$(UV)' pip install --compile-bytecode --python $(VENV_PYTHON)
endif

# $(call SET_UP,set-up,larger set-ups): nothing if one of them is there; a new .venv unless any set-up is; then its packages
# and this one. What is fetched is shown if someone is there to see it.
SET_UP = key=$$(pwd -P; cksum pyproject.toml lock.txt); \
	done_for() { [ "$$(cat .venv/ready-$$1 2>/dev/null)" = "$$key" ] && version=$$($(VENV_PYTHON) -V 2>/dev/null) && \
	{ [ -z '$(PYTHON)' ] || [ "$$('$(PYTHON)' -V 2>&1)" = "$$version" ]; }; }; \
	any_done() { for name; do done_for $$name && return 0; done; return 1; }; \
	if any_done $(1) $(2); then exit 0; fi; \
	if ! any_done run test check lab browser docs; then $(call NEW_VENV,.venv) || exit 1; \
	echo "Setting up .venv with $$($(VENV_PYTHON) -V 2>&1) (once; a minute or two) ..." >&2; fi; \
	quiet=--quiet; if [ -t 2 ]; then quiet=; fi; \
	awk '/^\#/ { wanted = index($$0 " ", " $(1) ") } wanted' lock.txt > .venv/lock-$(1).txt && \
	$(INSTALL) $$quiet --require-hashes --no-deps -r .venv/lock-$(1).txt >&2 && \
	$(INSTALL) $$quiet --no-deps --no-build-isolation -e . >&2 && \
	printf '%s\n' "$$key" > .venv/ready-$(1)

.PHONY: help run docs check near map test test-processors test-newest lock faults teach-report coverage hostile bench campaigns fuzz lab demo clean set-up-run set-up-test set-up-check set-up-lab \
	set-up-docs set-up-browser browser pyodide test-browser test-pyodide site dist

help:
	@echo 'make run     train every classifier, print the table, draw the figures into out/'
	@echo '             (options of the command: make run ARGS="--domain toy")'
	@echo 'make check   ruff, mypy, which part may import which (import-linter), and the workflows of GitHub: under a minute'
	@echo 'make near    run the tests that depend on a file, or several: make near FILE=classifiers/mira.py'
	@echo 'make map     print what each module is for (of one package: make map ARGS=lxmls_day1/grading)'
	@echo 'make test    run the tests (options of pytest: make test ARGS="-k mira")'
	@echo '             (an answer within a minute: make test ARGS="-m '"'not slow and not campaign'"'")'
	@echo 'make coverage  make test without the notebooks, and which branches it runs: at least 92 % of readers and classifiers, 88 % of all'
	@echo 'make teach-report  how well mistakes are found and named (make teach-report ARGS="--exercises 1.5")'
	@echo 'make faults  kill long commands, take their memory or fill their disk at random moments, and run them again (make faults ARGS="--seed 3 --rounds 50")'
	@echo 'make test-processors  run the tests marked bits as for every processor whose machine code this one can run'
	@echo '             (one other, without the slow tests: make test-processors ARGS="--short")'
	@echo 'make test-newest  the tests that are not slow, with the newest release of every library'
	@echo 'make lock    write lock.txt again, with uv (with the newest versions: make lock ARGS=--upgrade)'
	@echo 'make lab     open the notebooks in the workspace $(LAB), made if need be (another: make lab LAB=folder)'
	@echo 'make demo    demonstrations in the browser (as files: make demo ARGS="--export out/demos")'
	@echo 'make docs    build the documentation in out/docs, without a network; lxmls-day1 docs opens it'
	@echo '             (with Python beside it, from an unpacked release of Pyodide: make docs PYODIDE=FOLDER)'
	@echo 'make site    the book, the demonstrations, the browser lab and Python in out/site, for any web server (docs/how-to/publish.md):'
	@echo '             make site BASE_URL=https://ada.github.io/day-1-lab; Python is fetched once, or PYODIDE=FOLDER names it'
	@echo 'make browser  the browser lab alone in out/browser-lab, served on this machine (options: make browser ARGS="--exercises 1.2,1.5")'
	@echo 'make test-pyodide  the tests of readers, classifiers and checks in Pyodide, the Python of the browser (needs Node)'
	@echo 'make test-browser  that site in a real browser: every notebook, checks, reload, hand-in; the runtime is fetched once'
	@echo 'make hostile grade hostile submissions at every level of the sandbox (as root: for every user, too)'
	@echo 'make campaigns  the tests that are too long for every run: all learners without'
	@echo '             numba, more seeds of grading, every known mistake in the sandbox, those of make hostile, and the other'
	@echo '             cases of the tests of which make test takes every n-th (one half: make campaigns HALF=boxes, HALF=rest)'
	@echo 'make fuzz    call every public function with random arguments for five minutes (longer: make fuzz SECONDS=3600)'
	@echo 'make bench   time the lab beside scikit-learn and others; saves the results and writes the tables of the pages'
	@echo '             (one subject, smaller, saves nothing: make bench ARGS="online --quick")'
	@echo 'make dist    the wheel and the sdist in out/dist, tried in a new environment (of a tag: make dist TAG=v0.3.0)'
	@echo 'make clean   remove .venv, out/ and every cache'
	@echo 'Each sets up .venv by itself if need be; PYTHON=python3.12 chooses the Python for it.'

run: set-up-run
	@$(VENV_PYTHON) -P -m lxmls_day1 run $(ARGS)

# Every tool runs, whatever the others have found.
check: set-up-check
	@status=0; \
	$(VENV_PYTHON) -m ruff check . || status=1; \
	$(VENV_PYTHON) -m ruff format --check . || status=1; \
	$(VENV_PYTHON) -m codespell_lib || status=1; \
	$(VENV_PYTHON) .ci/lint_workflows.py || status=1; \
	$(VENV_PYTHON) -m mypy || status=1; \
	$(VENV_PYTHON) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()' --no-logo --no-cache || status=1; \
	exit $$status

near: set-up-test
	@[ -n '$(FILE)' ] || { echo 'make near: name a file, or several: make near FILE=classifiers/mira.py' >&2; exit 1; }
	$(VENV_PYTHON) tools/near.py $(FILE) $(ARGS)

map: set-up-run
	@$(VENV_PYTHON) tools/map.py $(ARGS)

test: set-up-test
	$(VENV_PYTHON) -m pytest -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

# Without the notebooks: nbval would measure their kernels, and waits in vain for those of this version of Jupyter.
coverage:
	$(MAKE) test ARGS='--cov --cov-report= --deselect=notebooks $(ARGS)'
	$(VENV_PYTHON) -m coverage report --include='classifiers/*,readers/*' --fail-under=92
	$(VENV_PYTHON) -m coverage report --fail-under=88

teach-report: set-up-test
	$(VENV_PYTHON) tools/authoring/teach_report.py $(ARGS)

test-processors: set-up-test
	$(VENV_PYTHON) tests/lxmls_day1/engine/kernels/processors.py $(ARGS)

# In an environment of its own, without the lock: what a user gets who installs today.
test-newest: VENV_PYTHON := out/newest/bin/python
test-newest:
	@$(call NEW_VENV,out/newest)
	$(INSTALL) --upgrade -e '.[fast,test]'
	$(INSTALL) --upgrade numba
	$(VENV_PYTHON) -m pytest -n auto --dist loadfile --no-loadscope-reorder -m 'not slow and not campaign' $(ARGS)

# Which versions there are, with their hashes (newer ones: make lock ARGS=--upgrade).
lock: set-up-run
	@[ -n '$(UV)' ] || { echo 'make lock needs uv: python -m pip install uv' >&2; exit 1; }
	$(VENV_PYTHON) .ci/write_lock.py $(ARGS)

faults: set-up-test
	$(VENV_PYTHON) tests/lxmls_day1/commands/test_faults.py $(ARGS)

hostile: set-up-test
	$(VENV_PYTHON) -m pytest -m campaign tests/lxmls_day1/grading/test_hostile_submissions.py $(ARGS)

# What runs in boxes or in a browser takes longest.
IN_A_BROWSER := tests/lxmls_day1/browser $(wildcard tests/tools/test_exercise_page*.py)
ISOLATED := tests/lxmls_day1/grading tests/lxmls_day1/box $(IN_A_BROWSER)
HALVES := boxes rest
campaigns: set-up-test
	@[ -z '$(filter-out $(HALVES),$(HALF))' ] || { echo 'make campaigns: HALF is one of $(HALVES)' >&2; exit 1; }
	$(VENV_PYTHON) -m pytest -n auto --dist loadfile --no-loadscope-reorder -m campaign $(ARGS) \
	$(if $(filter boxes,$(HALF)),$(ISOLATED)) $(if $(filter rest,$(HALF)),$(addprefix --ignore=,$(ISOLATED)))

# Passes over all properties, each with other examples, until the time is over; one that fails ends it and says how to see it again.
fuzz: set-up-test
	@end=$$(($$(date +%s) + $(SECONDS))); while [ $$(date +%s) -lt $$end ]; do \
	LXMLS_DAY1_FUZZ=300 $(VENV_PYTHON) -m pytest -q -n auto tests/test_fuzz.py $(ARGS) || exit 1; done

bench: set-up-test
	$(VENV_PYTHON) tools/benchmarks/run.py $(ARGS)

lab: set-up-lab
	@$(VENV_PYTHON) -P -m lxmls_day1 lab --start '$(LAB)' $(ARGS)

demo: set-up-run
	@$(VENV_PYTHON) -P -m lxmls_day1 demo $(ARGS)

browser: set-up-browser
	rm -rf out/browser-lab
	@$(VENV_PYTHON) -P -m lxmls_day1 browser out/browser-lab $(ARGS)
	@echo 'It is served at 127.0.0.1:$(PORT) until Ctrl-C.'
	@$(VENV_PYTHON) -P -m http.server --bind 127.0.0.1 --directory out/browser-lab $(PORT) >/dev/null 2>&1

# Pyodide with its packages, into the cache folder, for the tests of the site.
pyodide: set-up-test
	$(VENV_PYTHON) tests/lxmls_day1/browser/pyodide_files.py

test-pyodide: pyodide
	$(VENV_PYTHON) tests/in_pyodide.py $(ARGS)

test-browser: pyodide
	$(VENV_PYTHON) -m pytest -m 'campaign or not campaign' $(IN_A_BROWSER) $(ARGS)

# Sphinx builds again only what has changed. -W: a warning is an error.
docs: set-up-docs
	$(VENV_PYTHON) -P -m sphinx --quiet --fail-on-warning --builder html --conf-dir docs . out/docs $(ARGS)
	@echo 'Built: out/docs/index.html (lxmls-day1 docs opens it)'

# One folder for a web server. The runtime is that of the tests, unless PYODIDE names a folder.
site: set-up-docs set-up-browser $(if $(PYODIDE),,pyodide)
	$(VENV_PYTHON) tools/whole_site.py out/site --base-url '$(BASE_URL)' --pyodide \
	"$${PYODIDE:-$$($(VENV_PYTHON) tests/lxmls_day1/browser/pyodide_files.py)}" $(ARGS)

dist: set-up-test
	$(VENV_PYTHON) .ci/make_release.py $(TAG)

clean:
	rm -rf .venv out build dist docs/exercises docs/gallery_pages docs/lessons docs/reference/generated docs/reference/commands.md docs/reference/classifiers.md docs/reference/readers.md docs/dev/benchmark-results.md .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage*
	find . -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

set-up-run:
	@$(call SET_UP,run,test check lab)

set-up-test:
	@$(call SET_UP,test,check)

set-up-check:
	@$(call SET_UP,check)

set-up-lab:
	@$(call SET_UP,lab)


set-up-docs:
	@$(call SET_UP,docs)

set-up-browser:
	@$(call SET_UP,browser,test check)
