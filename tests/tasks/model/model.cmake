# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The protocols of deque and parking, searched for an order of steps that breaks them.
find_program(WEFT_SPIN spin)
if(WEFT_SPIN)
  find_program(WEFT_C_COMPILER NAMES cc gcc clang REQUIRED)
  add_test(NAME tasks.model COMMAND "${CMAKE_CURRENT_LIST_DIR}/check.sh" "${WEFT_C_COMPILER}")
  set_tests_properties(tasks.model PROPERTIES LABELS "tasks;slow")
else()
  message(STATUS "tasks.model is left out: no spin (apt-get install spin)")
endif()
