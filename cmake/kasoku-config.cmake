# find_package(kasoku) gives the target kasoku::kasoku; C++20.
include(${CMAKE_CURRENT_LIST_DIR}/kasoku-targets.cmake)
