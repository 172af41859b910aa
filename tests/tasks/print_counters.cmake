# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program that prints its counters, and a test that runs it.
find_package(nlohmann_json 3.11 REQUIRED)
add_executable(weft_test_print_counters_program print_counters_program.cpp)
target_link_libraries(weft_test_print_counters_program PRIVATE weft_warnings weft::tasks)
weft_test(tasks print_counters LABELS plain DEPENDS nlohmann_json::nlohmann_json
  DEFINES WEFT_PROGRAM="$<PATH:RELATIVE_PATH,$<TARGET_FILE:weft_test_print_counters_program>,${CMAKE_CURRENT_BINARY_DIR}>" PROGRAMS weft_test_print_counters_program)
# A sanitizer's runtime obeys variables of its own, and LeakSanitizer cannot trace a setuid program.
weft_test(tasks setuid LABELS unsanitized DEPENDS weft::tasks
  DEFINES WEFT_PROGRAM="$<PATH:RELATIVE_PATH,$<TARGET_FILE:weft_test_print_counters_program>,${CMAKE_CURRENT_BINARY_DIR}>" PROGRAMS weft_test_print_counters_program)
