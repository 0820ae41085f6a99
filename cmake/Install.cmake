# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/raydex)

install(TARGETS raydex EXPORT raydex
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS raydex_cli raydex-bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/raydex)

file(GLOB documents CONFIGURE_DEPENDS LICENSE *.md docs/*.md)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(FILES man/raydex.1 man/raydex-bench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Where the shells look. Bash loads a file by the name of the program.
set(bash_completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/raydex.bash DESTINATION ${bash_completions} RENAME raydex)
install(FILES completions/raydex.bash DESTINATION ${bash_completions} RENAME raydex-bench)
install(FILES completions/_raydex DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/raydex.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(EXPORT raydex FILE raydexConfig.cmake NAMESPACE raydex:: DESTINATION ${package_dir})
write_basic_package_version_file(raydexConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/raydexConfigVersion.cmake DESTINATION ${package_dir})

# pkg-config resolves the prefix from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
configure_file(cmake/raydex.pc.in raydex.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/raydex.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
