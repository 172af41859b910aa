# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# execution.coroutines_<level>: g++ makes other coroutines at each level, and tail calls at some only; all other tests are built without any.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  return()
endif()
foreach(level IN ITEMS O1 O2 O3)
  set(target weft_test_execution_coroutines_${level})
  add_executable(${target} coroutine_levels.cpp)
  target_link_libraries(${target} PRIVATE weft_warnings weft::execution)
  target_compile_options(${target} PRIVATE -${level})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  add_test(NAME execution.coroutines_${level} COMMAND ${target})
  set_tests_properties(execution.coroutines_${level} PROPERTIES LABELS "execution;plain")
endforeach()
