# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libFuzzer, which clang has, on the code that reads counter names: 20 s from a fixed seed. By hand, for as long as you like:
# weft_fuzz_counters_name -dict=tests/counters/fuzz/name.dict CORPUS
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  return()
endif()
set(sources base/nearest_name counters/name counters/name_match counters/name_parameters counters/name_parser)
list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/src/")
list(TRANSFORM sources APPEND ".cpp")
set(sanitizers -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
add_executable(weft_fuzz_counters_name fuzz/name_fuzz.cpp ${sources})
target_compile_features(weft_fuzz_counters_name PRIVATE cxx_std_20)
target_compile_options(weft_fuzz_counters_name PRIVATE -O1 ${sanitizers})
target_link_options(weft_fuzz_counters_name PRIVATE ${sanitizers})
target_include_directories(weft_fuzz_counters_name PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weft_fuzz_counters_name PRIVATE weft_warnings)
add_test(NAME counters.name_fuzz COMMAND weft_fuzz_counters_name -max_total_time=20 -seed=1 -max_len=200 -timeout=5
  "-dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/name.dict")
set_tests_properties(counters.name_fuzz PROPERTIES LABELS "counters;slow" TIMEOUT 60)
