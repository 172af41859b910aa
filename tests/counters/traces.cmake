# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of traces that need no reader of traces.
foreach(name IN ITEMS symbols task_names trace trace_proto trace_reader trace_text)
  weft_test(counters ${name} DEPENDS weft::counters Threads::Threads)
  target_include_directories(weft_test_counters_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
endforeach()
