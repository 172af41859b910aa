# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
foreach(name IN ITEMS
    executor
    fork_join_executor
    limiting_executor
)
  weft_test(execution ${name} DEPENDS weft::execution weft::algorithms)
endforeach()
