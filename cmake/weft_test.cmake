# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_sanitized_tests builds every test that may run under a sanitizer: all but those labelled `peer` (their runtimes are not instrumented)
# or `slow`. A test made with add_test alone adds its programs to it.
add_custom_target(weft_sanitized_tests)

# weft_test(<module> <name> [LABELS ...] [DEPENDS ...] [TIMEOUT seconds]): tests/<module>/<name>_test.cpp as ctest <module>.<name>, labelled <module>.

function(weft_test module name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS;DEPENDS")
  set(target weft_test_${module}_${name})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${module}/${name}_test.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE weft_warnings GTest::gmock GTest::gtest_main ${arg_DEPENDS})
  target_compile_features(${target} PRIVATE cxx_std_20)
  if(NOT arg_LABELS MATCHES "peer|slow")
    add_dependencies(weft_sanitized_tests ${target})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_test(NAME ${module}.${name} COMMAND ${target})
  set_tests_properties(${module}.${name} PROPERTIES LABELS "${module};${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
