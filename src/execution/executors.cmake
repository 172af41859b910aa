# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The executors of weft::execution, and its tasks.
set(executor_headers
  annotating_executor.hpp
  async.hpp
  detail/fork_join_team.hpp
  detail/limit.hpp
  detail/start_on.hpp
  executor.hpp
  executors.hpp
  fork_join_executor.hpp
  limiting_executor.hpp
  parallel_executor.hpp
  restricted_thread_pool_executor.hpp
  scheduler_executor.hpp
  sequenced_executor.hpp
  task.hpp)
list(TRANSFORM executor_headers PREPEND "${PROJECT_SOURCE_DIR}/include/weft/execution/")
target_sources(weft_execution
  PUBLIC FILE_SET HEADERS FILES ${executor_headers}
  PRIVATE
    "${CMAKE_CURRENT_SOURCE_DIR}/execution/fork_join_team.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/execution/limit.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/execution/restricted_thread_pool_executor.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/execution/start_on.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/execution/task.cpp")
