# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of traces that need no reader of traces.
weft_counters_tests(symbols task_names trace trace_proto trace_reader trace_text)
