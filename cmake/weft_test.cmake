# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_sanitized_tests builds every test that may run under a sanitizer: all but those labelled `peer` (their runtimes are not instrumented)
# or `slow`. A test made with add_test alone adds its programs to it.
add_custom_target(weft_sanitized_tests)

option(WEFT_TEST_PCH "Precompile the headers that nearly all tests include" ON)
# The same for all tests, whose files still include what they use: clang-tidy reads them without it.
function(weft_precompile_test_headers target)
  if(NOT WEFT_TEST_PCH)
    return()
  endif()
  if(NOT TARGET weft_test_pch)
    add_library(weft_test_pch OBJECT ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
    target_link_libraries(weft_test_pch PRIVATE weft_warnings GTest::gmock GTest::gtest_main)
    target_compile_features(weft_test_pch PRIVATE cxx_std_20)
    target_precompile_headers(weft_test_pch PRIVATE
      <algorithm> <array> <atomic> <chrono> <functional> <memory> <optional> <string> <thread> <vector> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM weft_test_pch)
endfunction()

# gold links in half the time, which counts with many programs that each hold GoogleTest.
find_program(WEFT_GOLD ld.gold)
mark_as_advanced(WEFT_GOLD)

# weft_test(<module> <name> [SOURCE file] [LABELS ...] [DEPENDS ...] [TIMEOUT seconds]): tests/<module>/<name>_test.cpp, or the file of that
# folder, as ctest <module>.<name>, labelled <module>.
function(weft_test module name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SOURCE;TIMEOUT" "LABELS;DEPENDS")
  if(NOT arg_SOURCE)
    set(arg_SOURCE ${name}_test.cpp)
  endif()
  set(target weft_test_${module}_${name})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${module}/${arg_SOURCE})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE weft_warnings GTest::gmock GTest::gtest_main ${arg_DEPENDS})
  target_compile_features(${target} PRIVATE cxx_std_20)
  if(NOT arg_LABELS MATCHES "peer") # peers are compiled with options of their own
    weft_precompile_test_headers(${target})
  endif()
  if(WEFT_GOLD)
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
  if(NOT arg_LABELS MATCHES "peer|slow")
    add_dependencies(weft_sanitized_tests ${target})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_test(NAME ${module}.${name} COMMAND ${target})
  set_tests_properties(${module}.${name} PROPERTIES LABELS "${module};${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# weft_test_backends(<module> <suite> <argument> ...): for each backend of a suite of the lab, tests/<module>/backend_test.cpp with it, and its
# bench program with these arguments. Those of other people's libraries carry the label peer: such libraries are not built with a sanitizer,
# which then reports false races (libgomp and libomp under TSan, oneTBB's task queues) or their known leaks.
function(weft_test_backends module suite)
  get_property(backends GLOBAL PROPERTY WEFT_${suite}_BACKENDS)
  foreach(backend IN LISTS backends)
    set(labels)
    if(NOT backend MATCHES "^(seq|weft_)")
      set(labels peer)
    endif()
    set(program weft_${suite}_${backend})
    weft_test(${module} backend_${backend} SOURCE backend_test.cpp LABELS ${labels}
      DEPENDS weft_${suite}_problems weft_${suite}_backend_${backend} TIMEOUT 120)
    add_test(NAME ${module}.program_${backend} COMMAND ${program} ${ARGN})
    if(NOT labels)
      add_dependencies(weft_sanitized_tests ${program})
    endif()
    set_tests_properties(${module}.program_${backend} PROPERTIES LABELS "${module};${labels}" TIMEOUT 120)
    # Three spinning threads on two CPUs would wait for each other's time slices.
    set_tests_properties(${module}.backend_${backend} ${module}.program_${backend} PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=passive)
  endforeach()
endfunction()
