# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_fuzz(<format> DEPENDS ...): tests/fuzz/<format>_fuzz.cpp, which passes bytes to the reader of that format, as bin/weft_fuzz_<format>.
# The libraries it depends on are compiled with libFuzzer's instrumentation for all programs of the build folder, so that no library is
# compiled twice; the tests do not notice. weft_fuzzers builds all formats, and weft_fuzz_seeds, which writes their first inputs.
add_custom_target(weft_fuzzers)

function(weft_compile_as_fuzzer target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE weft_warnings ${ARGN})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  add_dependencies(weft_fuzzers ${target})
endfunction()

function(weft_fuzz format)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  set(target weft_fuzz_${format})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/fuzz/${format}_fuzz.cpp)
  weft_compile_as_fuzzer(${target} ${arg_DEPENDS})
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  foreach(library IN LISTS arg_DEPENDS)
    get_target_property(is_imported ${library} IMPORTED)
    get_property(instrumented GLOBAL PROPERTY WEFT_INSTRUMENTED)
    if(NOT is_imported AND NOT library IN_LIST instrumented)
      set_property(GLOBAL APPEND PROPERTY WEFT_INSTRUMENTED ${library})
      target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endforeach()
endfunction()
