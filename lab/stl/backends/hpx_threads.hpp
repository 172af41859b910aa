// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and version of HPX, for the backends that run on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <hpx/init.hpp>
#include <hpx/runtime.hpp>
#include <hpx/version.hpp>

#include "lab/harness/experiment.hpp"
#include "lab/harness/memory.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

/// Stops HPX at the end of the scope: HPX refuses a second start while the first runs.
struct stopped_at_end {
  stopped_at_end() = default;
  stopped_at_end(const stopped_at_end&) = delete;
  stopped_at_end& operator=(const stopped_at_end&) = delete;
  ~stopped_at_end() {
    hpx::post([] { hpx::finalize(); });
    hpx::stop();
  }
};

/// Starts HPX with `threads` workers and one more `setting`, calls `body` on the calling thread,
/// and stops HPX.
/// Errors: `cannot_run` if HPX does not start with that many workers.
template <class Body>
void with_hpx_threads(int threads, const std::string& setting, Body body) {
  hpx::init_params options;
  options.cfg = {"hpx.os_threads=" + std::to_string(threads),
                 "hpx.force_min_os_threads!=" + std::to_string(threads),
                 setting,
                 "hpx.commandline.allow_unknown=1"};
  std::array<char, 5> program{"weft"};
  std::array<char*, 2> arguments{program.data(), nullptr};
  if (!hpx::start(nullptr, 1, arguments.data(), options)) {
    throw cannot_run({.code = "unsupported",
                      .message = "HPX did not start with " + std::to_string(threads) +
                                 " threads; it refuses more than there are processing units",
                      .remedy = "ask for no more threads than CPUs"});
  }
  const stopped_at_end stop;
  body();
}

/// The most tasks of HPX that may wait at once. Each keeps about 1 kB with its part of a stack (a
/// quarter of a million calls of fib took 230 MB); half of the available memory is reserved for
/// them.
inline std::uint64_t max_suspended_hpx_tasks() {
  constexpr std::size_t bytes_each = 1024;
  constexpr std::size_t where_memory_is_unknown = std::size_t{8} << 30;
  return available_memory_bytes().value_or(where_memory_is_unknown) / 2 / bytes_each;
}

inline library_versions::value_type hpx_library() { return {"HPX", hpx::full_version_as_string()}; }

}  // namespace weft::lab::stl
