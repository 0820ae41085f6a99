# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors

# Flags of everything that is compiled here.
add_library(raydex_flags INTERFACE)
target_compile_definitions(raydex_flags INTERFACE _GNU_SOURCE)
target_compile_options(raydex_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
  $<$<BOOL:${RAYDEX_WERROR}>:-Werror>
  -ffunction-sections
  # No code here unwinds a stack, and debuggers have their own tables: a bundle is 200 KiB smaller.
  $<$<CONFIG:Release>:-fno-asynchronous-unwind-tables>
  # A fused multiply-add rounds once where two operations round twice: answers must be the same everywhere.
  -ffp-contract=off)

if(RAYDEX_SANITIZE)
  target_compile_options(raydex_flags INTERFACE -fsanitize=${RAYDEX_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(raydex_flags INTERFACE -fsanitize=${RAYDEX_SANITIZE})
endif()

if(RAYDEX_FUZZ)
  target_compile_options(raydex_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# A program finds its libraries in ../lib, as built, as installed and in a bundle. The old kind of run path is used
# because the new one is not searched for what a library itself needs (Embree: TBB) or opens (Vulkan loader).
function(raydex_program target)
  target_link_libraries(${target} PRIVATE raydex_flags ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  # Programs are small, and a bundle has many: without pages of their own for code, and what they do not call.
  # (ThreadSanitizer writes a file where constants lie beside code, which tests of full disks do not let it.)
  if(NOT RAYDEX_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,noseparate-code -Wl,--gc-sections)
  endif()
  if(RAYDEX_PACKED_RELOCATIONS)
    target_link_options(${target} PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
  set_target_properties(${target} PROPERTIES BUILD_RPATH_USE_ORIGIN ON BUILD_RPATH "$ORIGIN/../lib"
                                             INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endfunction()
