# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors

# raydex_add_shaders(TARGET DIR): compile each shader below DIR, and make the words a part of TARGET.
#
# src/kernels/rx/rx.rahit becomes `const rdx_spirv spirv_rx_rahit`; spirv/shaders.h declares all of them.
# A shader with a line "// variants: A B" is compiled once with A and once with B defined, into NAME_a and NAME_b.
function(raydex_add_shaders target dir)
  set(patterns)
  foreach(stage comp rgen rmiss rchit rahit rint)
    list(APPEND patterns ${dir}/*.${stage})
  endforeach()
  file(GLOB_RECURSE shaders CONFIGURE_DEPENDS ${patterns})
  # The variants are read now, so a change of a shader must bring CMake back here.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shaders})

  # glslc leaves blanks in lists of files as they are, so all paths are below the build folder.
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/src SYMBOLIC)

  set(sources)
  set(names)
  set(declarations)
  foreach(shader IN LISTS shaders)
    get_filename_component(name ${shader} NAME)
    string(REPLACE "." "_" name ${name})
    file(STRINGS ${shader} variants REGEX "^// variants:" LIMIT_COUNT 1)
    string(REGEX MATCHALL "[A-Z][A-Z0-9_]*" variants "${variants}")
    if(NOT variants)
      set(variants "-")
    endif()
    foreach(variant IN LISTS variants)
      if(variant STREQUAL "-")
        set(full ${name})
        set(define)
      else()
        string(TOLOWER ${name}_${variant} full)
        set(define -D${variant})
      endif()
      if(full IN_LIST names)
        message(FATAL_ERROR "${shader}: there is another shader whose name becomes ${full}")
      endif()
      list(APPEND names ${full})
      raydex_add_shader(${shader} ${full} "${define}")
      list(APPEND sources ${PROJECT_BINARY_DIR}/generated/spirv/${full}.c)
      string(APPEND declarations "extern const rdx_spirv spirv_${full};\n")
    endforeach()
  endforeach()

  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/spirv/shaders.h @ONLY CONTENT
    "#include \"device/device.h\"\n\n${declarations}")
  target_sources(${target} PRIVATE ${sources})
endfunction()

# The words go to NAME.inc; NAME.c, which never changes, names them.
function(raydex_add_shader shader name define)
  set(base generated/spirv/${name})
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${shader})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${base}.c @ONLY CONTENT
    "#include \"spirv/shaders.h\"\n
static const uint32_t words[] =\n#include \"spirv/${name}.inc\"\n;
const rdx_spirv spirv_${name} = {words, sizeof words};\n")
  set_source_files_properties(${PROJECT_BINARY_DIR}/${base}.c PROPERTIES
    OBJECT_DEPENDS ${PROJECT_BINARY_DIR}/${base}.inc)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/${base}.inc
    COMMAND ${GLSLC} --target-env=vulkan1.2 -std=460 -O -Isrc -DRDX_GLSL ${define}
            -mfmt=c -MD -MF ${base}.d -o ${base}.inc ${path}
    DEPENDS ${shader}
    DEPFILE ${PROJECT_BINARY_DIR}/${base}.d
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Compiling shader ${name}"
    VERBATIM)
endfunction()
