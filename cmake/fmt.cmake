# kasoku_fmt: what formats text. Inside of each library of ours, so that nobody else's {fmt} has to be there at run time.
find_package(fmt REQUIRED)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(kasoku_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
  target_include_directories(kasoku_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  set_target_properties(kasoku_fmt PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
else()  # fmt.cpp names what version 9 keeps in its library
  add_library(kasoku_fmt INTERFACE)
  target_link_libraries(kasoku_fmt INTERFACE fmt::fmt-header-only)
endif()
