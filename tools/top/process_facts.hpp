// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel says of a process that is watched.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace weft::top {

struct process_facts {
  bool is_alive = false;
  char state = '?';  // as in /proc/<pid>/stat: 'R' running, 'S' sleeping, 'T' stopped, ...
  std::optional<std::uint64_t> rss_bytes;
  std::optional<std::uint64_t> num_threads;
  std::map<std::uint64_t, std::uint64_t> run_delay_ns =
      {};  // of each thread that is known, since start

  bool operator==(const process_facts&) const = default;
};

/// Reads /proc/<pid>, without the threads. Not alive: the process is gone, or another one has the
/// pid.
[[nodiscard]] process_facts read_process(std::uint64_t pid, std::uint64_t start_clock_ticks);

/// How long a thread was ready to run but had no CPU; nothing if the kernel does not tell.
[[nodiscard]] std::optional<std::uint64_t> thread_run_delay_ns(std::uint64_t pid,
                                                               std::uint64_t thread);

}  // namespace weft::top
