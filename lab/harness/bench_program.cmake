# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How bench programs are built: from a suite's problems, one of its backends, and a description of
# their build.

# weft_bench_program(NAME <program> SUITE <suite> BACKEND <backend> SOURCES ... [OBJECTS object-libraries ...] [OPTIONS compile-options ...]
#                    [LIBRARIES ...] [DEFINES ...]): one bench program, optimised in every build
#                    type, with a description of its build.

execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set_property(GLOBAL PROPERTY WEFT_GIT_COMMIT "${commit}")
# A record with the wrong commit would be worse than the second that a new configuration takes after
# each commit.
if(EXISTS "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
endif()

function(weft_bench_toolchain toolchain_out compiler_out)
  set(ids GNU Clang AppleClang IntelLLVM NVHPC)
  set(toolchains gcc clang clang icpx nvcxx)
  set(compilers g++ clang++ clang++ icpx nvc++)
  list(FIND ids "${CMAKE_CXX_COMPILER_ID}" index)
  if(index EQUAL -1)
    string(TOLOWER "${CMAKE_CXX_COMPILER_ID}" toolchain)
    set(compiler "${CMAKE_CXX_COMPILER_ID}")
  else()
    list(GET toolchains ${index} toolchain)
    list(GET compilers ${index} compiler)
  endif()
  set(${toolchain_out} "${toolchain}" PARENT_SCOPE)
  set(${compiler_out} "${compiler} ${CMAKE_CXX_COMPILER_VERSION}" PARENT_SCOPE)
endfunction()

# nvc++ has its own options, and stops at an unknown one. Programs built for tests measure nothing.
# With g++, omitting optimisation saves more compile time than it costs run time; under a sanitizer
# it does not.
function(weft_bench_optimise target)
  set(native $<IF:$<CXX_COMPILER_ID:NVHPC>,-tp=native,-march=native>)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -O1)
  elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${target} PRIVATE -O3)
    if(WEFT_NATIVE)
      target_compile_options(${target} PRIVATE ${native})
    endif()
  endif()
endfunction()

# For the common part of programs: build types other than Debug define their own optimisation level.
function(weft_bench_not_slowed target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -O1)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O2>)
  endif()
endfunction()

# Generated rather than passed as definitions: a new commit recompiles only one tiny file per
# program.
function(weft_bench_build_info name)
  weft_bench_toolchain(toolchain compiler)
  get_property(git_commit GLOBAL PROPERTY WEFT_GIT_COMMIT)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" common_flags)
  set(own_flags "$<JOIN:$<FILTER:$<TARGET_PROPERTY:${name},COMPILE_OPTIONS>,EXCLUDE,^-W>, >")
  set(flags "${common_flags} ${own_flags}")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/build_info.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}_build_info.in" @ONLY)
  # The language in the file's name lets CMake evaluate options that depend on it, such as OpenMP's.
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}_build_info_$<COMPILE_LANGUAGE>.cpp"
    INPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}_build_info.in" TARGET ${name})
  target_sources(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${name}_build_info_CXX.cpp")
endfunction()

function(weft_bench_program)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SUITE;BACKEND" "SOURCES;OBJECTS;OPTIONS;LIBRARIES;DEFINES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SUITE OR NOT arg_BACKEND OR NOT arg_SOURCES)
    message(FATAL_ERROR "weft_bench_program needs NAME, SUITE, BACKEND and SOURCES; not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_compile_features(${arg_NAME} PRIVATE cxx_std_20)
  weft_bench_optimise(${arg_NAME})
  target_compile_options(${arg_NAME} PRIVATE ${arg_OPTIONS})
  target_compile_definitions(${arg_NAME} PRIVATE ${arg_DEFINES})
  target_link_libraries(${arg_NAME} PRIVATE weft_warnings weft_lab_harness ${arg_OBJECTS} ${arg_LIBRARIES})
  set_target_properties(${arg_NAME} PROPERTIES
    CXX_EXTENSIONS OFF WEFT_SUITE ${arg_SUITE} WEFT_BACKEND ${arg_BACKEND} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  weft_bench_build_info(${arg_NAME})
endfunction()

# weft_bench_problems(<suite> <source> ...): the object library weft_<suite>_problems, compiled without any backend's flags. So input,
# oracle and timing loop are the same in every program. Also makes weft_<suite>_main, which calls them.
function(weft_bench_problems suite)
  add_library(weft_${suite}_problems OBJECT ${ARGN})
  target_link_libraries(weft_${suite}_problems PUBLIC weft_lab_harness)
  add_library(weft_${suite}_main OBJECT main.cpp)
  target_link_libraries(weft_${suite}_main PRIVATE weft_lab_harness)
  foreach(objects IN ITEMS weft_${suite}_problems weft_${suite}_main)
    weft_bench_not_slowed(${objects})
    target_link_libraries(${objects} PRIVATE weft_warnings)
    set_target_properties(${objects} PROPERTIES CXX_EXTENSIONS OFF)
    weft_unity(${objects})
  endforeach()
endfunction()

# weft_bench_backend(<suite> <name> [OPTIONS compile-options ...] [LIBRARIES ...]): lab/<suite>/backends/<name>.cpp as bench program
# weft_<suite>_<name>. The object library weft_<suite>_backend_<name> is shared by the program and the tests; the global property
# WEFT_<suite>_BACKENDS lists the names.
function(weft_bench_backend suite name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;LIBRARIES")
  set(objects weft_${suite}_backend_${name})
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/lab/${suite}/backends/${name}.cpp")
  target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_features(${objects} PRIVATE cxx_std_20)
  weft_bench_optimise(${objects})
  target_compile_options(${objects} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${objects} PRIVATE weft_warnings PUBLIC ${arg_LIBRARIES})
  set_target_properties(${objects} PROPERTIES CXX_EXTENSIONS OFF)
  weft_bench_program(NAME weft_${suite}_${name} SUITE ${suite} BACKEND ${name}
    SOURCES $<TARGET_OBJECTS:weft_${suite}_main> OBJECTS weft_${suite}_problems ${objects} OPTIONS ${arg_OPTIONS})
  set_property(GLOBAL APPEND PROPERTY WEFT_${suite}_BACKENDS ${name})
endfunction()

# weft_bench_not_built(<suite> <names> <what would enable them>): prints the line of status from
# which `./weft` derives its advice.
function(weft_bench_not_built suite names what_would_enable_them)
  message(STATUS "weft: ${suite} backends not built: ${names} (${what_would_enable_them})")
endfunction()

# weft_bench_task_peers(<suite>): the backends onetbb, openmp and hpx of a suite of task programs,
# if their libraries were found.
function(weft_bench_task_peers suite)
  if(TBB_FOUND)
    weft_bench_backend(${suite} onetbb LIBRARIES TBB::tbb)
  else()
    weft_bench_not_built(${suite} "onetbb" "${how_to_get_tbb}")
  endif()
  if(OpenMP_CXX_FOUND)
    weft_bench_backend(${suite} openmp OPTIONS ${OpenMP_CXX_FLAGS} LIBRARIES ${OpenMP_CXX_FLAGS})
  else()
    weft_bench_not_built(${suite} "openmp" "${how_to_get_openmp}")
  endif()
  if(HPX_FOUND)
    weft_bench_backend(${suite} hpx LIBRARIES HPX::hpx)
  else()
    weft_bench_not_built(${suite} "hpx" "${how_to_get_hpx}")
  endif()
endfunction()
