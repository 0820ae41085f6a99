# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors
#
# Short names for what CMake does; see `make help`.

DEVICE ?= cpu
PREFIX ?= /usr/local
JOBS ?=
FUZZ_SECONDS ?= 60

build = cmake --preset $(1) --log-level=WARNING && cmake --build --preset $(1) $(if $(JOBS),-j $(JOBS))
# The tests of a device use all cores, so they run one at a time.
ctest = ctest --preset $(1)

.NOTPARALLEL:
.PHONY: all help setup test demo bundle debug asan tsan fuzz install clean

all: setup
	@$(call build,release)

help:
	@echo 'make                  install what is missing, build into build/ (programs in build/bin)'
	@echo 'make test             build, then run all tests'
	@echo 'make demo             build, then run the demonstration; DEVICE=cpu|llvmpipe|auto SF=0.1'
	@echo 'make bundle           collect what another Linux machine needs into build/bundle'
	@echo 'make debug            build for a debugger into build-debug'
	@echo 'make asan, make tsan  build and test with AddressSanitizer or ThreadSanitizer'
	@echo 'make fuzz             run each fuzzer and kind of random run for FUZZ_SECONDS=60 (needs clang)'
	@echo 'make install          install to PREFIX=/usr/local; DESTDIR is honoured'
	@echo 'make clean            remove all build directories'
	@echo 'JOBS=N limits parallel compilation.'

setup:
	@tools/setup

test: all
	@$(call ctest,release)

demo: all
	@build/bin/raydex-bench demo --device $(DEVICE) $(if $(SF),--sf $(SF))

bundle: all
	@tools/bundle build build/bundle

debug: setup
	@$(call build,debug)

asan: setup
	@$(call build,asan)
	@$(call ctest,asan)

# ThreadSanitizer of older compilers cannot start where addresses are randomised over many bits.
tsan: setup
	@$(call build,tsan)
	@if setarch -R true 2>/dev/null; then setarch -R $(call ctest,tsan); else $(call ctest,tsan); fi

fuzz: setup
	@$(call build,fuzz)
	@tools/fuzz build-fuzz $(FUZZ_SECONDS)

install: all
	@cmake --install build --prefix $(PREFIX)

clean:
	@rm -rf build build-debug build-asan build-tsan build-fuzz
