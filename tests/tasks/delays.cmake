# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The task runtime once more with random delays between the steps of its protocols, and its stress test.
get_target_property(sources weft_tasks SOURCES)
list(FILTER sources INCLUDE REGEX "\\.cpp$")
get_target_property(libraries weft_tasks LINK_LIBRARIES)
add_executable(weft_test_tasks_delays delays_test.cpp disturb.cpp migration_test.cpp ${sources})
target_compile_definitions(weft_test_tasks_delays PRIVATE WEFT_TEST_DELAYS)
target_compile_features(weft_test_tasks_delays PRIVATE cxx_std_20)
target_include_directories(weft_test_tasks_delays PRIVATE
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(weft_test_tasks_delays PRIVATE ${libraries} GTest::gtest_main)
weft_unity(weft_test_tasks_delays ALWAYS) # its sources are the library's, which are compiled one by one, too
set_source_files_properties(delays_test.cpp disturb.cpp migration_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
add_test(NAME tasks.delays COMMAND weft_test_tasks_delays)
weft_test_labels(tasks.delays TARGETS weft_test_tasks_delays LABELS tasks slow)
