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

# weft_tasks_header_backend(<name> <header> <how to get it> [OPTIONS ...] [LIBRARIES ...]): a runtime that is headers only, found in the folder
# or include/ of the folder WEFT_<NAME>_ROOT; not looked for anywhere else, so that a run says which copy it measured.
function(weft_tasks_header_backend name header)
  string(TOUPPER "WEFT_${name}" prefix)
  set(${prefix}_ROOT "$ENV{${prefix}_ROOT}" CACHE PATH "Folder holding the task runtime ${name} (empty: not built)")
  find_path(${prefix}_INCLUDE ${header} HINTS "${${prefix}_ROOT}" NO_DEFAULT_PATH PATH_SUFFIXES include)
  if(${prefix}_INCLUDE)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;LIBRARIES")
    add_library(weft_tasks_${name}_headers INTERFACE IMPORTED)
    target_include_directories(weft_tasks_${name}_headers INTERFACE "${${prefix}_INCLUDE}")
    weft_tasks_backend(${name} OPTIONS ${arg_OPTIONS} LIBRARIES weft_tasks_${name}_headers Threads::Threads ${arg_LIBRARIES})
  else()
    weft_tasks_not_built("${name}" "set ${prefix}_ROOT to a folder that holds ${header} or include/${header}")
  endif()
endfunction()

find_package(TBB QUIET)
find_package(OpenMP QUIET COMPONENTS CXX)
find_package(HPX QUIET HINTS "$ENV{WEFT_HPX_DIR}")

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

weft_tasks_header_backend(libfork libfork.hpp)
weft_tasks_header_backend(citor citor/thread_pool.h)
weft_tasks_header_backend(taskflow taskflow/taskflow.hpp)

# g++ before version 14 cannot compile its coroutines.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  weft_tasks_header_backend(tmc tmc/task.hpp)
else()
  weft_tasks_not_built("tmc" "configure with --preset bench-clang")
endif()

# A C library of one file.
set(WEFT_LACE_ROOT "$ENV{WEFT_LACE_ROOT}" CACHE PATH "Checkout of the task runtime lace (empty: not built)")
if(EXISTS "${WEFT_LACE_ROOT}/src/lace.c")
  enable_language(C)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/lace")
  configure_file("${WEFT_LACE_ROOT}/src/lace_config.h.in" "${generated}/lace_config.h")
  add_library(weft_tasks_lace_library STATIC "${WEFT_LACE_ROOT}/src/lace.c")
  target_include_directories(weft_tasks_lace_library SYSTEM PUBLIC "${WEFT_LACE_ROOT}/src" "${generated}")
  target_link_libraries(weft_tasks_lace_library PUBLIC Threads::Threads)
  weft_bench_optimise(weft_tasks_lace_library)
  weft_tasks_backend(lace LIBRARIES weft_tasks_lace_library)
else()
  weft_tasks_not_built("lace" "set WEFT_LACE_ROOT to a checkout of Lace, which holds src/lace.c")
endif()

if(HPX_FOUND)
  weft_tasks_backend(hpx LIBRARIES HPX::hpx)
else()
  weft_tasks_not_built("hpx" "set WEFT_HPX_DIR to the folder that holds HPXConfig.cmake, for example of Spack's package hpx")
endif()

# weft's own: each as soon as its file is there.
foreach(runtime IN ITEMS weft_fork_join weft_future weft_coroutine)
  if(TARGET weft::tasks AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/${runtime}.cpp")
    weft_tasks_backend(${runtime} LIBRARIES weft::tasks)
  endif()
endforeach()
