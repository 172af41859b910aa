# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which task runtimes this machine and compiler can build; one line of status for each that it cannot.

# weft_tasks_backend(<name> [OPTIONS compile-options ...] [LIBRARIES ...]): backends/<name>.cpp as bench program weft_tasks_<name>.
# The object library weft_tasks_backend_<name> is shared by the program and the tests.
function(weft_tasks_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;LIBRARIES")
  set(objects weft_tasks_backend_${name})
  add_library(${objects} OBJECT "${PROJECT_SOURCE_DIR}/lab/tasks/backends/${name}.cpp")
  target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_features(${objects} PRIVATE cxx_std_20)
  weft_bench_optimise(${objects})
  target_compile_options(${objects} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${objects} PRIVATE weft_warnings PUBLIC ${arg_LIBRARIES})
  set_target_properties(${objects} PROPERTIES CXX_EXTENSIONS OFF)
  weft_bench_program(NAME weft_tasks_${name} SUITE tasks BACKEND ${name}
    SOURCES "${PROJECT_SOURCE_DIR}/lab/tasks/main.cpp" OBJECTS weft_tasks_problems ${objects} OPTIONS ${arg_OPTIONS})
  set_property(GLOBAL APPEND PROPERTY WEFT_TASKS_BACKENDS ${name})
endfunction()

function(weft_tasks_not_built names what_would_enable_it)
  message(STATUS "weft: task runtimes not built: ${names} (${what_would_enable_it})")
endfunction()

# weft_tasks_header(<target> <variable> <header>): an interface library for a runtime that is headers only, if its root is given.
function(weft_tasks_headers target root header)
  find_path(${root}_INCLUDE ${header} HINTS "${${root}}" "$ENV{${root}}" PATH_SUFFIXES include NO_DEFAULT_PATH)
  if(${root}_INCLUDE)
    add_library(${target} INTERFACE IMPORTED)
    target_include_directories(${target} SYSTEM INTERFACE "${${root}_INCLUDE}")
  else()
    weft_tasks_not_built("${target}" "set ${root} to the folder that holds ${header} or its include/")
  endif()
endfunction()

find_package(TBB QUIET)
find_package(OpenMP QUIET COMPONENTS CXX)

weft_tasks_backend(seq)
weft_tasks_backend(std_async LIBRARIES Threads::Threads)

if(TBB_FOUND)
  weft_tasks_backend(onetbb LIBRARIES TBB::tbb)
else()
  weft_tasks_not_built("onetbb" "install oneTBB: apt-get install libtbb-dev")
endif()

if(OpenMP_CXX_FOUND)
  weft_tasks_backend(openmp OPTIONS ${OpenMP_CXX_FLAGS} LIBRARIES ${OpenMP_CXX_FLAGS})
else()
  weft_tasks_not_built("openmp" "install OpenMP for this compiler, for clang: apt-get install libomp-19-dev")
endif()
