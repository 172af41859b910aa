# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The stack tests once more over the switches this machine does not use: ucontext, and AArch64 under qemu-user.
set(stack_tests context overflow stack_exceptions stack_pool)
set(stack_sources stack_guard stack_overflow stack_pool stack_ranges stack_sanitizers stack_slab stack_switch)
list(TRANSFORM stack_sources PREPEND "${PROJECT_SOURCE_DIR}/src/tasks/stacks/")
list(TRANSFORM stack_sources APPEND ".cpp")

add_library(weft_tasks_ucontext STATIC ${stack_sources} "${PROJECT_SOURCE_DIR}/src/tasks/stacks/context_ucontext.cpp")
weft_optimise_library(weft_tasks_ucontext)
target_include_directories(weft_tasks_ucontext PUBLIC "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weft_tasks_ucontext PRIVATE weft_warnings PUBLIC weft::base Threads::Threads)
foreach(name IN LISTS stack_tests)
  set(target weft_test_tasks_${name}_ucontext)
  add_executable(${target} ${name}_test.cpp)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE weft_warnings GTest::gmock GTest::gtest_main weft_tasks_ucontext)
  target_compile_features(${target} PRIVATE cxx_std_20)
  add_test(NAME tasks.${name}_ucontext COMMAND ${target} --gtest_filter=-*very_many*)
  weft_test_labels(tasks.${name}_ucontext TARGETS ${target} LABELS tasks plain)
endforeach()

# Under qemu-user no test can start its program again (the death tests), RLIMIT_AS has no effect, and 10^5 mappings take minutes.
find_program(WEFT_AARCH64_CXX aarch64-linux-gnu-g++)
find_program(WEFT_QEMU_AARCH64 qemu-aarch64)
find_path(WEFT_GOOGLETEST_SOURCE googletest/src/gtest-all.cc HINTS /usr/src/googletest)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  return()
endif()
if(NOT WEFT_AARCH64_CXX OR NOT WEFT_QEMU_AARCH64 OR NOT WEFT_GOOGLETEST_SOURCE)
  message(STATUS "weft: stacks are not tested for AArch64 (apt-get install g++-aarch64-linux-gnu qemu-user googletest)")
  return()
endif()

set(compile ${WEFT_AARCH64_CXX} -std=c++20)
set(googletest_objects "")
foreach(part IN ITEMS googletest/src/gtest-all googlemock/src/gmock-all googlemock/src/gmock_main)
  cmake_path(GET part STEM stem)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${stem}_aarch64.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND ${compile} -c "${WEFT_GOOGLETEST_SOURCE}/${part}.cc" -o "${object}"
      -I "${WEFT_GOOGLETEST_SOURCE}/googletest/include" -I "${WEFT_GOOGLETEST_SOURCE}/googlemock/include"
      -I "${WEFT_GOOGLETEST_SOURCE}/googletest" -I "${WEFT_GOOGLETEST_SOURCE}/googlemock"
    VERBATIM)
  list(APPEND googletest_objects "${object}")
endforeach()

set(program "${CMAKE_CURRENT_BINARY_DIR}/stacks_aarch64")
set(sources ${stack_sources} "${PROJECT_SOURCE_DIR}/src/tasks/stacks/context_aarch64.cpp"
  "${PROJECT_SOURCE_DIR}/src/base/abi.cpp" "${PROJECT_SOURCE_DIR}/src/base/message.cpp" "${PROJECT_SOURCE_DIR}/src/base/printable.cpp") # for weft::error
foreach(name IN ITEMS context stack_exceptions stack_pool)
  list(APPEND sources "${CMAKE_CURRENT_SOURCE_DIR}/${name}_test.cpp")
endforeach()
file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tasks/stacks/*.hpp")
add_custom_command(OUTPUT "${program}"
  COMMAND ${compile} -O1 -static -Wall -Wextra -Werror ${sources} ${googletest_objects} -o "${program}"
    -I "${PROJECT_SOURCE_DIR}/include" -I "${PROJECT_SOURCE_DIR}/src" -I "${PROJECT_SOURCE_DIR}/tests"
  DEPENDS ${sources} ${googletest_objects} ${headers} "${PROJECT_SOURCE_DIR}/include/weft/tasks/detail/stacks/stack.hpp"
  COMMENT "Building the stack tests for AArch64" VERBATIM)
add_custom_target(weft_test_tasks_stacks_aarch64 DEPENDS "${program}")
add_test(NAME tasks.stacks_aarch64
  COMMAND ${WEFT_QEMU_AARCH64} "${program}" --gtest_filter=-*very_many*:*exhausted*)
weft_test_labels(tasks.stacks_aarch64 TARGETS weft_test_tasks_stacks_aarch64 LABELS tasks long unsanitized)
