// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a program starts and ends with its other localities. weft::hpx_distributed fills this in.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace hpx::compat {

/// Functions for all localities; the default is a program of one.
struct job {
  void (*join)() = [] {};
  /// Returns when all localities have called it, and no message is under way.
  void (*meet)() = [] {};
  void (*leave)() = [] {};
  std::uint32_t (*id)() noexcept = []() noexcept { return std::uint32_t{0}; };
  std::uint32_t (*size)() noexcept = []() noexcept { return std::uint32_t{1}; };
};
extern constinit job this_job;

/// Calls `startup`, which may be null, and what `register_startup_function` was given; returns when
/// all localities have.
void begin_job(const std::function<void()>& startup);
/// Returns when all localities are idle, and `shutdown` and the functions for the end were called.
void end_job(const std::function<void()>& shutdown);

/// Reports what `f` throws, after `prefix`, and returns -1 then.
int call_and_report(std::string_view prefix, const std::function<int()>& f);

/// Joins the job, returns what `f` does, and leaves.
int run_job(std::string_view prefix, const std::function<int()>& f);

}  // namespace hpx::compat
