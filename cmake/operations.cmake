# The pack of compiled array operations beside the library (kasoku/compile/entry_pack.h): the first use of
# an operation takes no compiler.
add_executable(pack_operations EXCLUDE_FROM_ALL tools/pack_operations.cpp)
target_link_libraries(pack_operations PRIVATE kasoku)
# A change of the engine that leaves the texts of operations alone leaves the packs too.
set_target_properties(pack_operations PROPERTIES LINK_DEPENDS_NO_SHARED ON)
# What texts are made of: kernels that are found by their groups' structure are as new as these.
file(GLOB operation_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kasoku/codegen/* ${PROJECT_SOURCE_DIR}/kasoku/array/run.cpp)
set(operation_packs)
foreach(architecture x86-64-v3 x86-64-v4)
  set(pack ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/operations-${architecture}.pack)
  set(folder ${PROJECT_BINARY_DIR}/operations-${architecture})
  add_custom_command(OUTPUT ${pack}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pack} ${folder}
    COMMAND ${CMAKE_COMMAND} -E env KASOKU_CPU=${architecture} KASOKU_CACHE=1 KASOKU_CACHE_DIR=${folder}
            --unset=KASOKU_PASSES --unset=KASOKU_CLANG_LIBRARY KASOKU_NUM_THREADS=1 $<TARGET_FILE:pack_operations> ${pack}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    DEPENDS pack_operations kasoku_clang ${operation_texts}
    COMMENT "Compiling array operations for ${architecture}" VERBATIM)
  list(APPEND operation_packs ${pack})
endforeach()
add_custom_target(operations ALL DEPENDS ${operation_packs})
# A working tree needs that of its own machine; a wheel is for all (`build.targets` in pyproject.toml).
include(CheckCXXSourceRuns)
check_cxx_source_runs("int main() { return !__builtin_cpu_supports(\"x86-64-v4\"); }" KASOKU_BUILDER_IS_V4)
if(KASOKU_BUILDER_IS_V4)
  list(GET operation_packs 1 own_pack)
else()
  list(GET operation_packs 0 own_pack)
endif()
add_custom_target(own_operations DEPENDS ${own_pack})
add_dependencies(package own_operations)

# The same for GPUs, by an NVRTC that `make gpu-pack` finds: machine code of an older one than the driver's CUDA loads, that
# of a newer one may not. Where there is none, each machine compiles them at their first use.
set(KASOKU_NVRTC "" CACHE FILEPATH "libnvrtc.so that compiles the pack of array operations for GPUs")
set(gpu_pack ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/operations-cuda.pack)
file(GLOB gpu_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kasoku/array/algorithms/* ${PROJECT_SOURCE_DIR}/kasoku/compile/nvrtc*
     ${PROJECT_SOURCE_DIR}/kasoku/compile/prelude/* ${PROJECT_SOURCE_DIR}/kasoku/compile/prelude/nvrtc/*)
set(folder ${PROJECT_BINARY_DIR}/operations-cuda)
add_custom_command(OUTPUT ${gpu_pack}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${gpu_pack} ${folder}
  COMMAND ${CMAKE_COMMAND} -E env KASOKU_CACHE=1 KASOKU_CACHE_DIR=${folder} KASOKU_NUM_THREADS=1
          $<TARGET_FILE:pack_operations> ${gpu_pack} ${KASOKU_NVRTC}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
  DEPENDS pack_operations kasoku_clang ${operation_texts} ${gpu_texts}
  COMMENT "Compiling array operations for GPUs (minutes)" VERBATIM)
add_custom_target(gpu_operations DEPENDS ${gpu_pack})
