# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
foreach(name IN ITEMS
    environment_task
    executor
    fork_join_executor
    limiting_executor
    task
)
  weft_test(execution ${name} DEPENDS weft::execution weft::algorithms)
endforeach()
# How long its chains are depends on the sanitizer.
target_include_directories(weft_test_execution_task PRIVATE "${PROJECT_SOURCE_DIR}/src")
