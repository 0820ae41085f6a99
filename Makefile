# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors
#
# Short names for what CMake does; see `make help`.

DEVICE ?= cpu
PREFIX ?= /usr/local
BUILD ?= build
PRESET ?= release
JOBS ?=
FUZZ_SECONDS ?= 60
TESTS ?=

jobs = $(if $(JOBS),-j $(JOBS))
# $(1): a preset, $(2): its folder, $(3): options of CMake.
configure = cmake --preset $(1) -B "$(2)" --log-level=WARNING $(3)
build = $(call configure,$(1),$(2),$(3)) && cmake --build "$(2)" $(jobs)
# The tests of a device use all cores.
ctest = ctest --test-dir "$(1)" --output-on-failure -j 2 $(TESTS)

.NOTPARALLEL:
.PHONY: all help setup setup-tests test demo bundle debug asan tsan fuzz install uninstall clean
.PHONY: setup-postgres postgres test-postgres install-postgres setup-deb deb test-deb

# Where nothing was configured yet, that is done without tests, which need more than the programs.
all: setup
	@$(call configure,$(PRESET),$(BUILD),$$([ -e "$(BUILD)/CMakeCache.txt" ] || echo -DRAYDEX_TESTS=OFF))
	@cmake --build "$(BUILD)" $(jobs) --target raydex_cli raydex-bench

help:
	@echo 'make                  install what is missing, build into build/ (programs in build/bin)'
	@echo 'make demo             build, then run the demonstration; DEVICE=cpu|llvmpipe|auto SF=0.1'
	@echo 'make test             build, then run all tests'
	@echo 'make install          install what is built to PREFIX=/usr/local; DESTDIR is honoured'
	@echo 'make uninstall        remove what was installed there'
	@echo 'make bundle           collect what another Linux machine needs into build/bundle'
	@echo 'make debug            build for a debugger into build-debug; warnings are errors'
	@echo 'make asan, make tsan  build and test with AddressSanitizer or ThreadSanitizer'
	@echo 'make fuzz             run each fuzzer and kind of random run for FUZZ_SECONDS=60 (needs clang)'
	@echo 'make postgres         build the extension of PostgreSQL; PG_CONFIG=FILE takes another version than the newest'
	@echo 'make test-postgres    build it, then test it in a server of its own'
	@echo 'make install-postgres install it for that PostgreSQL, after make install'
	@echo 'make deb              build Debian packages into build/deb; PG_CONFIG=FILE as above'
	@echo 'make test-deb         install them in a fresh Debian of this release and ask there (as root)'
	@echo 'make clean            remove all build directories'
	@echo 'BUILD=DIR builds there instead of in build/. JOBS=N limits parallel compilation.'
	@echo 'CC=clang takes that compiler, where nothing is built yet. PRESET=dev makes warnings errors.'
	@echo 'YES=1 installs packages unasked. TESTS=OPTIONS are for ctest, such as -R cli.'

setup:
	@tools/setup build

setup-tests:
	@tools/setup build tests
	@tools/setup llvmpipe || echo 'Without it the tests on llvmpipe are skipped.'

test: setup-tests
	@$(call build,$(PRESET),$(BUILD),-DRAYDEX_TESTS=ON)
	@$(call ctest,$(BUILD))

demo: all
	@"$(BUILD)/bin/raydex-bench" demo --device $(DEVICE) $(if $(SF),--sf $(SF))
	@echo 'The programs are in $(BUILD)/bin; sudo make install makes them commands of this machine.'

bundle: setup-tests
	@$(call build,$(PRESET),$(BUILD),-DRAYDEX_TESTS=ON)
	@tools/bundle "$(BUILD)" "$(BUILD)/bundle"

debug: setup-tests
	@$(call build,debug,$(BUILD)-debug)

asan: setup-tests
	@$(call build,asan,$(BUILD)-asan)
	@$(call ctest,$(BUILD)-asan)

# ThreadSanitizer of older compilers cannot start where addresses are randomised over many bits.
tsan: setup-tests
	@$(call build,tsan,$(BUILD)-tsan)
	@if setarch -R true 2>/dev/null; then setarch -R $(call ctest,$(BUILD)-tsan); else $(call ctest,$(BUILD)-tsan); fi

fuzz: setup-tests
	@$(call build,fuzz,$(BUILD)-fuzz)
	@tools/fuzz "$(BUILD)-fuzz" $(FUZZ_SECONDS)

# The newest PostgreSQL that has what extensions need. It may be installed on the way: recipes that name it come after
# the one that does so, and make's own memory of folders is not asked.
PG_CONFIG ?= $(shell ls /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -V | tail -n 1)
pgxs = $(MAKE) -s -C "$(BUILD)/postgres" -f "$(CURDIR)/extensions/postgres/Makefile" PG_CONFIG="$(PG_CONFIG)" \
       with_llvm=no RAYDEX_INCLUDE="$(CURDIR)/include" RAYDEX_LIB="$(abspath $(BUILD))/lib"

setup-postgres:
	@tools/setup build postgres

postgres: setup-postgres all
	@mkdir -p "$(BUILD)/postgres"
	@$(pgxs) all

test-postgres: postgres
	@PG_CONFIG="$(PG_CONFIG)" extensions/postgres/test/run "$(BUILD)" $(TESTS)

install-postgres:
	@$(pgxs) install

setup-deb:
	@tools/setup build postgres deb

deb: setup-deb
	@JOBS="$(JOBS)" tools/deb "$(BUILD)/deb" "$(PG_CONFIG)"

test-deb:
	@tools/fresh "$$(. /etc/os-release && echo "$$VERSION_CODENAME")" --packages "$(BUILD)/deb"

# Root installs what a user has built, and builds nothing.
install:
	@tools/install "$(BUILD)" "$(PREFIX)"

uninstall:
	@tools/install --remove "$(PREFIX)"

clean:
	@rm -rf "$(BUILD)" "$(BUILD)-debug" "$(BUILD)-asan" "$(BUILD)-tsan" "$(BUILD)-fuzz"
