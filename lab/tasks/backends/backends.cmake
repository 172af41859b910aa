# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which task runtimes this machine and compiler can build. Prints one line of status for each of the
# others.

# weft_tasks_header_backend(<name> <header> [OPTIONS ...] [LIBRARIES ...]): a header-only runtime.
# It is found only in the folder WEFT_<NAME>_ROOT or its include/, so that a run knows which copy it
# measured.
function(weft_tasks_header_backend name header)
  string(TOUPPER "WEFT_${name}" prefix)
  set(${prefix}_ROOT "$ENV{${prefix}_ROOT}" CACHE PATH "Folder holding the task runtime ${name} (empty: not built)")
  find_path(${prefix}_INCLUDE ${header} HINTS "${${prefix}_ROOT}" NO_DEFAULT_PATH PATH_SUFFIXES include)
  if(${prefix}_INCLUDE)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;LIBRARIES")
    add_library(weft_tasks_${name}_headers INTERFACE IMPORTED)
    target_include_directories(weft_tasks_${name}_headers INTERFACE "${${prefix}_INCLUDE}")
    weft_bench_backend(tasks ${name} OPTIONS ${arg_OPTIONS} LIBRARIES weft_tasks_${name}_headers Threads::Threads ${arg_LIBRARIES})
  else()
    weft_bench_not_built(tasks "${name}" "set ${prefix}_ROOT to a folder that holds ${header} or include/${header}")
  endif()
endfunction()

weft_bench_backend(tasks seq)
weft_bench_backend(tasks std_async LIBRARIES Threads::Threads)

weft_bench_task_peers(tasks)

# libfork and TooManyCooks recommend hwloc, which they use to choose their victims.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(weft_tasks_hwloc QUIET IMPORTED_TARGET hwloc)
endif()
if(TARGET PkgConfig::weft_tasks_hwloc)
  set(libfork_with_hwloc OPTIONS -DLF_USE_HWLOC LIBRARIES PkgConfig::weft_tasks_hwloc)
  set(tmc_with_hwloc OPTIONS -DTMC_USE_HWLOC LIBRARIES PkgConfig::weft_tasks_hwloc)
endif()

weft_tasks_header_backend(libfork libfork.hpp ${libfork_with_hwloc})
weft_tasks_header_backend(citor citor/thread_pool.h)
weft_tasks_header_backend(taskflow taskflow/taskflow.hpp)

# g++ before version 14 cannot compile its coroutines.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  weft_tasks_header_backend(tmc tmc/task.hpp ${tmc_with_hwloc})
else()
  weft_bench_not_built(tasks "tmc" "configure with --preset bench-clang")
endif()

# A C library in one file.
set(WEFT_LACE_ROOT "$ENV{WEFT_LACE_ROOT}" CACHE PATH "Checkout of the task runtime lace (empty: not built)")
if(EXISTS "${WEFT_LACE_ROOT}/src/lace.c")
  enable_language(C)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/lace")
  configure_file("${WEFT_LACE_ROOT}/src/lace_config.h.in" "${generated}/lace_config.h")
  add_library(weft_tasks_lace_library STATIC "${WEFT_LACE_ROOT}/src/lace.c")
  target_include_directories(weft_tasks_lace_library SYSTEM PUBLIC "${WEFT_LACE_ROOT}/src" "${generated}")
  target_link_libraries(weft_tasks_lace_library PUBLIC Threads::Threads)
  weft_bench_optimise(weft_tasks_lace_library)
  weft_bench_backend(tasks lace LIBRARIES weft_tasks_lace_library)
else()
  weft_bench_not_built(tasks "lace" "set WEFT_LACE_ROOT to a checkout of Lace, which holds src/lace.c")
endif()

weft_bench_backend(tasks weft_fork_join LIBRARIES weft::tasks)
weft_bench_backend(tasks weft_future LIBRARIES weft::tasks)
weft_bench_backend(tasks weft_task_group LIBRARIES weft::tasks)
weft_bench_backend(tasks weft_coroutine LIBRARIES weft::tasks)
