# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The stack tests once more over the switches this machine does not use: ucontext, and AArch64 under qemu-user.
set(stack_tests context overflow stack_exceptions stack_pool)
set(stack_sources stack_guard stack_overflow stack_pool stack_ranges stack_sanitizers stack_slab stack_switch)
list(TRANSFORM stack_sources PREPEND "${PROJECT_SOURCE_DIR}/src/tasks/")
list(TRANSFORM stack_sources APPEND ".cpp")

add_library(weft_tasks_ucontext STATIC ${stack_sources} "${PROJECT_SOURCE_DIR}/src/tasks/context_ucontext.cpp")
target_include_directories(weft_tasks_ucontext PUBLIC "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weft_tasks_ucontext PRIVATE weft_warnings PUBLIC weft::base Threads::Threads)
foreach(name IN LISTS stack_tests)
  set(target weft_test_tasks_${name}_ucontext)
  add_executable(${target} ${name}_test.cpp)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE weft_warnings GTest::gmock GTest::gtest_main weft_tasks_ucontext)
  add_dependencies(weft_sanitized_tests ${target})
  add_test(NAME tasks.${name}_ucontext COMMAND ${target})
  set_tests_properties(tasks.${name}_ucontext PROPERTIES LABELS tasks TIMEOUT 60)
endforeach()
