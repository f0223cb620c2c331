# What is installed: the C++ library for find_package(kasoku), or, for a wheel,
# everything that the package needs beside its extension.
include(GNUInstallDirs)

if(KASOKU_WHEEL)
  install(TARGETS _core kasoku LIBRARY DESTINATION kasoku COMPONENT python)
  if(TARGET kasoku_clang)
    install(TARGETS kasoku_clang LIBRARY DESTINATION kasoku COMPONENT python)
  endif()
  return()
endif()

install(TARGETS kasoku EXPORT kasoku-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET kasoku_clang)
  install(TARGETS kasoku_clang LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY kasoku DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
        PATTERN "compile/clang" EXCLUDE PATTERN "compile/prelude" EXCLUDE)
install(EXPORT kasoku-targets NAMESPACE kasoku:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kasoku)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kasoku-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/kasoku-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/kasoku-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kasoku)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
