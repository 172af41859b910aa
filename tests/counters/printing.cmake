# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of printing counters.
find_package(nlohmann_json 3.11 REQUIRED)
weft_counters_tests(active active_printer counter_options format_csv format_json format_normal format_summary list_text number_text openmetrics
  print_destination DEPENDS nlohmann_json::nlohmann_json)
target_compile_definitions(weft_test_counters PRIVATE
  WEFT_OPENMETRICS_TEXT="$<PATH:RELATIVE_PATH,${CMAKE_CURRENT_SOURCE_DIR}/data/openmetrics.txt,${CMAKE_CURRENT_BINARY_DIR}>")
