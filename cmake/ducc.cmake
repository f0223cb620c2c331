# The headers of DUCC0's Fourier transforms, out of the source package that PyPI has; the same place for all presets.
set(ducc_version 0.36.0)
set(ducc_folder ${PROJECT_SOURCE_DIR}/build/ducc0-${ducc_version})
if(NOT EXISTS ${ducc_folder}/src/ducc0/fft/fft.h)
  message(STATUS "Getting the headers of DUCC0 ${ducc_version} from PyPI")
  if(Python_EXECUTABLE)
    set(ducc_python ${Python_EXECUTABLE})
  else()
    find_program(ducc_python NAMES python3 REQUIRED)
  endif()
  execute_process(COMMAND ${ducc_python} -m pip download -q --disable-pip-version-check --no-deps --no-binary ducc0
                          ducc0==${ducc_version} -d ${PROJECT_BINARY_DIR}/ducc0
                  RESULT_VARIABLE ducc_result ERROR_VARIABLE ducc_error)
  if(ducc_result)
    message(FATAL_ERROR "DUCC0 ${ducc_version} is not to be had from PyPI, and ${ducc_folder} is not there:\n${ducc_error}")
  endif()
  # Whole or not at all, should two builds do this at once.
  file(ARCHIVE_EXTRACT INPUT ${PROJECT_BINARY_DIR}/ducc0/ducc0-${ducc_version}.tar.gz DESTINATION ${PROJECT_BINARY_DIR}/ducc0)
  file(RENAME ${PROJECT_BINARY_DIR}/ducc0/ducc0-${ducc_version} ${ducc_folder} RESULT ducc_ignored)
endif()
