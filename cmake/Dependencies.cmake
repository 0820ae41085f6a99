# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors

# What Raydex needs from the system. On Debian tools/setup installs all of it.
find_package(Threads REQUIRED)

# Embree 3 and 4 differ in their interface; the library is compiled for the one that is found.
find_package(embree 4 CONFIG QUIET)
if(NOT embree_FOUND)
  find_package(embree 3.13 CONFIG QUIET)
endif()
if(NOT embree_FOUND)
  message(FATAL_ERROR "Embree 3.13 or 4 was not found. Install it (Debian: libembree-dev), or set embree_DIR.")
endif()
message(STATUS "Embree ${embree_VERSION}")

# Headers only: the Vulkan loader is opened at run time, so that the library starts without one.
find_path(VULKAN_HEADERS vulkan/vulkan_core.h DOC "Where vulkan/vulkan_core.h is")
if(NOT VULKAN_HEADERS)
  message(FATAL_ERROR "The Vulkan headers were not found. Install them (Debian: libvulkan-dev).")
endif()

# PostgreSQL's parser. Its archive is preferred: it leaves nothing to install, and no symbol of it becomes ours.
find_path(PG_QUERY_HEADERS pg_query.h DOC "Where pg_query.h and pg_query/pg_query.pb-c.h are")
find_library(PG_QUERY_LIBRARY NAMES libpg_query.a pg_query DOC "The library libpg_query")
find_path(PROTOBUF_C_HEADERS protobuf-c/protobuf-c.h DOC "Where protobuf-c/protobuf-c.h is")
if(NOT PG_QUERY_HEADERS OR NOT PG_QUERY_LIBRARY OR NOT PROTOBUF_C_HEADERS)
  message(FATAL_ERROR "libpg_query was not found. Install it (Debian: libpg-query-dev, libprotobuf-c-dev).")
endif()

# Checksums of table files. Compiled in: nothing is left to install.
find_path(XXHASH_HEADERS xxhash.h DOC "Where xxhash.h is")
if(NOT XXHASH_HEADERS)
  message(FATAL_ERROR "xxhash was not found. Install it (Debian: libxxhash-dev).")
endif()

# Editing, history and completion in the shell: without it lines are as the terminal gives them.
find_path(LIBEDIT_HEADERS histedit.h DOC "Where histedit.h is")
find_library(LIBEDIT_LIBRARY edit DOC "The library libedit")
if(NOT LIBEDIT_HEADERS OR NOT LIBEDIT_LIBRARY)
  message(STATUS "libedit was not found: the shell will not edit lines (Debian: libedit-dev)")
endif()

find_program(GLSLC glslc DOC "The compiler of GLSL shaders")
if(NOT GLSLC)
  message(FATAL_ERROR "glslc was not found. Install it (Debian: glslc).")
endif()
