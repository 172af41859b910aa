# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests: sources of one module and the same labels share one program, in which ctest runs one source at a time.

# weft_sanitized_tests builds the tests that run under the present sanitizer: all except those labelled `peer` (peers' runtimes are not
# instrumented), `slow` or `unsanitized` (a sanitizer changes what it counts).
# ThreadSanitizer also excludes six labels. `serial` tests start no thread (tests/support/serial.cpp ends one that does). The threads of
# `addresses` tests are also started by other tests. `mpi` tests use MPI libraries that are not instrumented, so ThreadSanitizer would not
# see what orders their threads. The threads of `approaches`, `bench_lab` and `examples` are those of the library, which its own tests show.
add_custom_target(weft_sanitized_tests)
set(WEFT_NOT_SANITIZED peer slow unsanitized)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  list(APPEND WEFT_NOT_SANITIZED serial addresses mpi approaches bench_lab examples)
endif()
list(JOIN WEFT_NOT_SANITIZED "|" WEFT_NOT_SANITIZED)

# weft_plain_tests builds the tests that also run without a sanitizer with clang: those labelled `plain`, whose stack switches differ under
# sanitizers.
add_custom_target(weft_plain_tests)

# weft_peer_tests builds the programs of tests labelled `peer`, weft_slow_tests those of tests labelled `slow` or `long`. Long tests take so
# much compile or run time that newcomers do not run them; sanitizers run them, but not slow ones. In preset gcc, which everybody builds,
# only these two targets build programs that no other test runs.
option(WEFT_TESTS_APART "Leave slow and long tests, and those of peers' STLs, to targets weft_slow_tests and weft_peer_tests" OFF)
add_custom_target(weft_peer_tests)
add_custom_target(weft_slow_tests)

# weft_test_labels(<ctest name> TARGETS <target> ... LABELS <label> ...): labels a test; the programs it needs are built for the stages that run it.
function(weft_test_labels test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS;LABELS")
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}")
  if(NOT arg_TARGETS)
    return()
  endif()
  if(NOT arg_LABELS MATCHES "(^|;)(${WEFT_NOT_SANITIZED})(;|$)")
    add_dependencies(weft_sanitized_tests ${arg_TARGETS})
  endif()
  if(arg_LABELS MATCHES "plain")
    add_dependencies(weft_plain_tests ${arg_TARGETS})
  endif()
  if(arg_LABELS MATCHES "peer")
    add_dependencies(weft_peer_tests ${arg_TARGETS})
  endif()
  if(arg_LABELS MATCHES "slow|long")
    add_dependencies(weft_slow_tests ${arg_TARGETS})
  endif()
  if(WEFT_TESTS_APART AND arg_LABELS MATCHES "slow|long|(stl|bench_lab);peer")
    list(FILTER arg_TARGETS EXCLUDE REGEX "^weft_(top|trace)$") # users' tools
    set_target_properties(${arg_TARGETS} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

function(weft_compile_as_test target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE weft_warnings GTest::gmock GTest::gtest)
  target_compile_features(${target} PRIVATE cxx_std_20)
endfunction()

function(weft_test_object name)
  if(NOT TARGET ${name})
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "DEPENDS")
    add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/tests/${arg_SOURCE})
    target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
    weft_compile_as_test(${name})
  endif()
endfunction()

# weft_test_program(<target> <source> LABELS ... DEPENDS ...): adds a source to a test program, which the first call makes.
function(weft_test_program target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "MAIN" "LABELS;DEPENDS")
  if(NOT TARGET ${target})
    add_executable(${target})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    weft_compile_as_test(${target})
    weft_unity(${target})
    target_link_libraries(${target} PRIVATE ${arg_MAIN})
    # sanitizers have their own pthread_create
    if(arg_LABELS MATCHES "serial" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      weft_test_object(weft_test_serial SOURCE support/serial.cpp)
      target_link_libraries(${target} PRIVATE weft_test_serial)
    endif()
  endif()
  target_sources(${target} PRIVATE ${source})
  target_link_libraries(${target} PRIVATE ${arg_DEPENDS})
endfunction()

# weft_test(<module> <name> [ALONE] [SOURCE file | OBJECTS library] [LABELS ...] [DEPENDS ...] [DEFINES ...] [PROGRAMS ...] [TIMEOUT seconds]):
# tests/<module>/<name>_test.cpp, or the named file of that folder, or objects that several tests share, as ctest <module>.<name>, labelled
# <module>. ALONE: in a separate program, for program-wide settings: operator new, compile options. PROGRAMS: the
# programs that the test runs.
function(weft_test module name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ALONE" "SOURCE;OBJECTS;TIMEOUT" "LABELS;DEPENDS;DEFINES;PROGRAMS")
  weft_test_object(weft_test_main SOURCE support/main.cpp)
  list(JOIN arg_LABELS "_" kind)
  string(JOIN "_" target weft_test ${module} ${kind})
  if(arg_ALONE OR arg_OBJECTS OR arg_SOURCE)
    set(target weft_test_${module}_${name})
  endif()
  set(source ${PROJECT_SOURCE_DIR}/tests/${module}/${name}_test.cpp)
  set(file ${name}_test.cpp)
  if(arg_OBJECTS)
    set(source $<TARGET_OBJECTS:${arg_OBJECTS}>)
    set(file "")
  elseif(arg_SOURCE)
    set(source ${PROJECT_SOURCE_DIR}/tests/${module}/${arg_SOURCE})
    set(file ${arg_SOURCE})
  endif()
  weft_test_program(${target} ${source} MAIN weft_test_main LABELS ${arg_LABELS} DEPENDS ${arg_DEPENDS})
  if(arg_ALONE)
    set_target_properties(${target} PROPERTIES WEFT_BATCHED OFF)
  endif()
  target_compile_definitions(${target} PRIVATE ${arg_DEFINES})
  if(arg_PROGRAMS)
    add_dependencies(${target} ${arg_PROGRAMS})
  endif()
  add_test(NAME ${module}.${name} COMMAND ${target} $<$<BOOL:${file}>:--file=${file}>)
  weft_test_labels(${module}.${name} TARGETS ${target} LABELS ${module} ${arg_LABELS})
  if(arg_TIMEOUT)
    set_tests_properties(${module}.${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()

# weft_busy_test(<module> <name>): a test ALONE with so much computation that optimising it takes less time than it saves.
function(weft_busy_test module name)
  target_compile_options(weft_test_${module}_${name} PRIVATE -O1)
endfunction()

# weft_test_backends(<module> <suite> <argument> ...): for each backend of a suite of the lab, tests/<module>/backend_test.cpp with it, and its
# bench program with these arguments. Peers carry the label `peer`: their libraries are not built with a sanitizer, which then reports false
# races (libgomp and libomp under ThreadSanitizer, oneTBB's task queues) or their known leaks.
function(weft_test_backends module suite)
  get_property(backends GLOBAL PROPERTY WEFT_${suite}_BACKENDS)
  set(test weft_test_${module}_backend) # compiled once for all of them
  weft_test_object(${test} SOURCE ${module}/backend_test.cpp DEPENDS weft_${suite}_problems)
  foreach(backend IN LISTS backends)
    set(labels "")
    if(backend STREQUAL "seq")
      set(labels serial)
    elseif(suite STREQUAL "stl" AND backend STREQUAL "weft")
      set(labels addresses) # tests/algorithms calls every one of these algorithms
    elseif(NOT backend MATCHES "^weft(_|$)")
      set(labels peer)
    endif()
    set(program weft_${suite}_${backend})
    set(long "")
    if(labels STREQUAL "addresses")
      set(long long)
    endif()
    weft_test(${module} backend_${backend} OBJECTS ${test} LABELS ${labels} ${long}
      DEPENDS weft_${suite}_problems weft_${suite}_backend_${backend})
    add_test(NAME ${module}.program_${backend} COMMAND ${program} ${ARGN})
    weft_test_labels(${module}.program_${backend} TARGETS ${program} LABELS ${module} ${labels})
    # Three spinning threads on two CPUs would wait for each other's time slices.
    set_tests_properties(${module}.backend_${backend} ${module}.program_${backend} PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=passive)
  endforeach()
endfunction()

# weft_python_lacks(<variable> <python> <package> ...): not 0 if one of these is not installed. Nothing is imported, which would take seconds.
function(weft_python_lacks out python)
  execute_process(COMMAND "${python}" -c "import sys; from importlib.metadata import version; [*map(version, sys.argv[1:])]" ${ARGN}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  set(${out} ${result} PARENT_SCOPE)
endfunction()
