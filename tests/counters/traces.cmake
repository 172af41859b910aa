# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of traces that need no reader of traces.
weft_counters_tests(symbols ALONE) # looks for its own source file in the program
weft_counters_tests(task_names trace trace_proto trace_reader trace_text)
