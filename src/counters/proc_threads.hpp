// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel keeps of single threads in /proc/self/task: for the workers' share of /os.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "weft/counters/name.hpp"

#include "counters/proc_counter.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {

/// Where a number of a thread stands: behind a key, or in a column of the only line, which is
/// counted from what follows the program's name.
struct thread_field {
  std::string_view type;  // of the counter
  std::string_view file;
  std::string_view key;  // empty: see `column`
  std::size_t column;
};

/// Null: the kernel does not keep it for threads.
///
/// Source: proc_pid_stat(5), proc_pid_status(5), Documentation/scheduler/sched-stats.rst.
[[nodiscard]] const thread_field* find_thread_field(std::string_view type) noexcept;

/// Reads the number for the thread that is the worker `name` means, at that moment.
[[nodiscard]] number_reader read_worker(const thread_field& field,
                                        const counter_name& name,
                                        const std::filesystem::path& root,
                                        worker_source workers);

}  // namespace weft::counters::detail
