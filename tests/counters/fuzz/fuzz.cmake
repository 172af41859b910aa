# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libFuzzer, which clang has, on the code that reads counter names: a minute, from names that stand in seeds.txt, those in found.txt, and
# what earlier runs in this build folder found. In found.txt is what long runs found that reaches more code, merged by -merge=1, as far as it is
# printable: 20 s from there reach more (929 places) than a minute without (905).
# By hand, for as long as you like: weft_fuzz_counters_name -dict=tests/counters/fuzz/name.dict CORPUS
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  return()
endif()
set(sources base/nearest_name counters/core/name counters/core/name_match)
list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/src/")
list(TRANSFORM sources APPEND ".cpp")
set(sanitizers -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
add_executable(weft_fuzz_counters_name fuzz/name_fuzz.cpp ${sources})
target_compile_features(weft_fuzz_counters_name PRIVATE cxx_std_20)
target_compile_options(weft_fuzz_counters_name PRIVATE -O1 ${sanitizers})
target_link_options(weft_fuzz_counters_name PRIVATE ${sanitizers})
target_include_directories(weft_fuzz_counters_name PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weft_fuzz_counters_name PRIVATE weft_warnings)
set(found "${CMAKE_CURRENT_BINARY_DIR}/fuzz/name")
set(seeds "${CMAKE_CURRENT_BINARY_DIR}/fuzz/name_seeds")
file(MAKE_DIRECTORY "${found}")
# No ;-lists: names hold brackets, which CMake takes for a part of their syntax.
file(READ "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/seeds.txt" rest)
file(READ "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/found.txt" more)
string(APPEND rest "${more}")
while(rest MATCHES "^([^\n]*)\n(.*)$")
  set(seed "${CMAKE_MATCH_1}")
  set(rest "${CMAKE_MATCH_2}")
  string(MD5 seed_name "${seed}")
  file(WRITE "${seeds}/${seed_name}" "${seed}")
endwhile()
add_test(NAME counters.name_fuzz COMMAND weft_fuzz_counters_name -max_total_time=60 -seed=1 -max_len=400 -timeout=5
  "-dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/name.dict" "${found}" "${seeds}")
set_tests_properties(counters.name_fuzz PROPERTIES LABELS "counters;fuzz")
