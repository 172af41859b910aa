// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the process that every Linux kernel keeps: /runtime and /os.
#pragma once

#include <filesystem>
#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/core/worker_threads.hpp"

namespace weft::counters::detail {

/// The location of /proc, and the threads that are workers. Tests replace both.
struct os_surroundings {
  std::filesystem::path root = "/";
  worker_source workers = worker_threads;
};

/// Each counter has a total. Numbers that the kernel also keeps for threads have an instance per
/// worker. Reading costs one small file per kind of number, and per worker.
///
/// Source: proc(5), getrusage(2), Documentation/accounting/psi.rst,
///         Documentation/scheduler/sched-stats.rst; names and units of /runtime: HPX manual,
///         "Performance counters".
[[nodiscard]] std::vector<counter_family> os_families(const os_surroundings& where = {});

}  // namespace weft::counters::detail
