// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and version of HPX, for the backends that run on it.
#pragma once

#include <array>
#include <string>

#include <hpx/init.hpp>
#include <hpx/runtime.hpp>
#include <hpx/version.hpp>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

/// Starts HPX with `threads` workers and one more `setting`, calls `body` on the calling thread,
/// and stops it.
/// Errors: `cannot_run` if it does not start with so many.
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
  body();
  hpx::post([] { hpx::finalize(); });
  hpx::stop();
}

inline library_versions::value_type hpx_library() { return {"HPX", hpx::full_version_as_string()}; }

}  // namespace weft::lab::stl
