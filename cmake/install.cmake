# What is installed: the C++ library for find_package(kasoku); and, as the component `python`
# that a wheel asks for, the extension with what it needs beside it.
include(GNUInstallDirs)

if(TARGET _core)
  foreach(target _core kasoku kasoku_clang)
    if(TARGET ${target})
      install(TARGETS ${target} LIBRARY DESTINATION kasoku COMPONENT python EXCLUDE_FROM_ALL)
    endif()
  endforeach()
endif()

if(TARGET stubs)
  get_property(stubs GLOBAL PROPERTY kasoku_stubs)
  install(FILES ${stubs} DESTINATION kasoku COMPONENT python EXCLUDE_FROM_ALL)
endif()

# Under the names by which the engine asks for them.
foreach(library ${HWY_CONTRIB} ${HWY})
  file(REAL_PATH ${library} file)
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" name ${file})
  get_filename_component(name ${name} NAME)
  install(FILES ${file} RENAME ${name} DESTINATION kasoku COMPONENT python EXCLUDE_FROM_ALL)
endforeach()

if(TARGET operations)
  install(FILES ${operation_packs} ${gpu_pack} DESTINATION kasoku COMPONENT python EXCLUDE_FROM_ALL OPTIONAL)
  install(FILES ${operation_packs} ${gpu_pack} DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
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
