# Every rule is one script in scripts/; paths are relative, so that the folder may have any name.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help run test check long providers bench install api docs format clean
export PREFIX DESTDIR

help:
	@echo 'make run     install what is missing, build, and show the main job end to end'
	@echo 'make test    install what the tests need and run everything that CI runs'
	@echo 'make check   the loop while working: lint, core and file tests; installs nothing'
	@echo 'make long    the long jobs: randomized tests again and again, and an optimized build'
	@echo 'make providers  the contract over gnome-keyring, KeePassXC and KWallet, which it installs'
	@echo 'make bench [OPTIONS=--quick]   measure everything beside its peers, which it installs'
	@echo 'make install [PREFIX=/usr/local]   build credstore and install it and its man page'
	@echo 'make api     rewrite API/*.txt from the code'
	@echo 'make docs    rewrite what documents take from the code: the man page, the table in README.md'
	@echo 'make format  lay out the Swift code'
	@echo 'make clean   remove what was built'

run:
	@scripts/run

test:
	@scripts/test

check:
	@scripts/check

long:
	@scripts/long

install:
	@scripts/install-tool

providers:
	@scripts/providers

bench:
	@scripts/bench $(OPTIONS)

api:
	@scripts/api --write

docs:
	@scripts/docs

format:
	@scripts/format

clean:
	@rm -rf .build Benchmarks/.build
