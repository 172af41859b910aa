# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_sanitized_tests builds every test that may run under the sanitizer at hand: all but those labelled `peer` (their runtimes are not
# instrumented), `slow`, or `unsanitized` (they count threads or memory, of which a sanitizer has some itself), and under ThreadSanitizer all
# but those labelled `serial`: they start no thread, which tests/support/serial.cpp sees to, so that there is no race to find.
add_custom_target(weft_sanitized_tests)
set(WEFT_NOT_SANITIZED "peer|slow|unsanitized")
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  string(APPEND WEFT_NOT_SANITIZED "|serial|addresses")
endif()

# weft_sanitized_test(<ctest name> <target> ...): for a test that sanitizers run, the programs that it needs. Unless it is labelled `plain`
# (stacks, which sanitizers switch in another way, and optimised code), clang need not build and run it without them as well: AddressSanitizer's
# build has the same assertions and warnings and is as little optimised. Such a test gets the label `sanitized`.
option(WEFT_SANITIZED_TESTS "Build the tests labelled sanitized with all others" ON)
function(weft_sanitized_test test)
  add_dependencies(weft_sanitized_tests ${ARGN})
  get_test_property(${test} LABELS labels)
  if(labels MATCHES "plain")
    return()
  endif()
  set_property(TEST ${test} APPEND PROPERTY LABELS sanitized)
  if(NOT WEFT_SANITIZED_TESTS)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

function(weft_serial_test target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize") # sanitizers have a pthread_create of their own
    return()
  endif()
  if(NOT TARGET weft_test_serial)
    add_library(weft_test_serial OBJECT ${PROJECT_SOURCE_DIR}/tests/support/serial.cpp)
    target_link_libraries(weft_test_serial PRIVATE weft_warnings)
    target_compile_features(weft_test_serial PRIVATE cxx_std_20)
  endif()
  target_link_libraries(${target} PRIVATE weft_test_serial)
endfunction()

option(WEFT_SLOW_TESTS "Build the tests labelled slow with all others" ON)
function(weft_slow_test target)
  if(NOT WEFT_SLOW_TESTS)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# The same for all tests, whose files still include what they use: clang-tidy reads them without it.
function(weft_precompile_test_headers target)
  if(NOT WEFT_PCH)
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

function(weft_compile_as_test target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE weft_warnings GTest::gmock)
  target_compile_features(${target} PRIVATE cxx_std_20)
  weft_precompile_test_headers(${target})
endfunction()

# weft_test(<module> <name> [SOURCE file | OBJECTS library] [LABELS ...] [DEPENDS ...] [TIMEOUT seconds]): tests/<module>/<name>_test.cpp, or
# the file of that folder, or objects that several tests share, as ctest <module>.<name>, labelled <module>.
function(weft_test module name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SOURCE;OBJECTS;TIMEOUT" "LABELS;DEPENDS")
  set(target weft_test_${module}_${name})
  if(arg_OBJECTS)
    add_executable(${target} $<TARGET_OBJECTS:${arg_OBJECTS}>)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  else()
    if(NOT arg_SOURCE)
      set(arg_SOURCE ${name}_test.cpp)
    endif()
    add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${module}/${arg_SOURCE})
    weft_compile_as_test(${target})
  endif()
  target_link_libraries(${target} PRIVATE ${arg_DEPENDS} GTest::gmock GTest::gtest_main)
  if(arg_LABELS MATCHES "serial")
    weft_serial_test(${target})
  endif()
  if(arg_LABELS MATCHES "slow")
    weft_slow_test(${target})
  endif()
  add_test(NAME ${module}.${name} COMMAND ${target})
  set_tests_properties(${module}.${name} PROPERTIES LABELS "${module};${arg_LABELS}")
  if(arg_TIMEOUT)
    set_tests_properties(${module}.${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
  if(NOT arg_LABELS MATCHES "${WEFT_NOT_SANITIZED}")
    weft_sanitized_test(${module}.${name} ${target})
  endif()
endfunction()

# weft_busy_tests(<module> <name> ...): tests that compute for so long that optimising them takes less time than it saves. They do without the
# headers that the others share precompiled.
function(weft_busy_tests module)
  list(TRANSFORM ARGN PREPEND weft_test_${module}_ OUTPUT_VARIABLE targets)
  set_target_properties(${targets} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  foreach(target IN LISTS targets)
    target_compile_options(${target} PRIVATE -O1)
  endforeach()
endfunction()

# Peers that come as a library of their own are the same whatever compiler includes them, and clang-tidy reads what includes them: g++ alone
# builds and runs them. `openmp` runs on what the compiler itself brings.
option(WEFT_LIBRARY_PEERS "Build the backends labelled library with all others" ON)
function(weft_library_peer)
  if(NOT WEFT_LIBRARY_PEERS)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# weft_test_backends(<module> <suite> <argument> ...): for each backend of a suite of the lab, tests/<module>/backend_test.cpp with it, and its
# bench program with these arguments. Those of other people's libraries carry the label peer: such libraries are not built with a sanitizer,
# which then reports false races (libgomp and libomp under TSan, oneTBB's task queues) or their known leaks.
function(weft_test_backends module suite)
  get_property(backends GLOBAL PROPERTY WEFT_${suite}_BACKENDS)
  set(test weft_test_${module}_backend) # compiled once for all of them
  add_library(${test} OBJECT backend_test.cpp)
  target_link_libraries(${test} PRIVATE weft_${suite}_problems)
  weft_compile_as_test(${test})
  foreach(backend IN LISTS backends)
    set(labels plain)
    if(backend STREQUAL "seq")
      set(labels plain serial)
    elseif(suite STREQUAL "stl" AND backend STREQUAL "weft")
      set(labels plain addresses) # tests/algorithms calls every one of these algorithms
    elseif(backend STREQUAL "openmp")
      set(labels peer)
    elseif(NOT backend MATCHES "^weft(_|$)")
      set(labels peer library)
    endif()
    set(program weft_${suite}_${backend})
    weft_test(${module} backend_${backend} OBJECTS ${test} LABELS ${labels}
      DEPENDS weft_${suite}_problems weft_${suite}_backend_${backend})
    add_test(NAME ${module}.program_${backend} COMMAND ${program} ${ARGN})
    set_tests_properties(${module}.program_${backend} PROPERTIES LABELS "${module};${labels}")
    if(NOT labels MATCHES "${WEFT_NOT_SANITIZED}")
      weft_sanitized_test(${module}.program_${backend} ${program})
    endif()
    if(labels MATCHES "library")
      weft_library_peer(weft_test_${module}_backend_${backend} ${program} weft_${suite}_backend_${backend})
    endif()
    # Three spinning threads on two CPUs would wait for each other's time slices.
    set_tests_properties(${module}.backend_${backend} ${module}.program_${backend} PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=passive)
  endforeach()
endfunction()
