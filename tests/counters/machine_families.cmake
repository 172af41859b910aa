# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of the counters of the machine and of the process.
weft_counters_tests(energy_families net_families papi_families perf_families perf_page proc_families)

# A fake NVML under the name of NVML, and one that lacks the newer forms of functions.
weft_counters_tests(nvml_families ALONE) # in a process without the machine's NVML
foreach(fake nvml old_nvml)
  set(library weft_test_fake_${fake})
  add_library(${library} SHARED fake_nvml.cpp)
  target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${library} PRIVATE weft_warnings)
  target_compile_features(${library} PRIVATE cxx_std_20)
  # like NVML, whose types have other names than weft's declarations of them
  target_compile_options(${library} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  add_dependencies(weft_test_counters_nvml_families ${library})
  string(TOUPPER WEFT_FAKE_${fake} path)
  target_compile_definitions(weft_test_counters_nvml_families PRIVATE
    ${path}="$<PATH:RELATIVE_PATH,$<TARGET_FILE:${library}>,${CMAKE_CURRENT_BINARY_DIR}>")
endforeach()
set_target_properties(weft_test_fake_nvml PROPERTIES OUTPUT_NAME nvidia-ml SOVERSION 1)
target_compile_definitions(weft_test_fake_old_nvml PRIVATE WEFT_FAKE_NVML_IS_OLD)
