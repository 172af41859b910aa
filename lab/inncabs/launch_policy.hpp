// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a task starts: chosen by a cell's parameter `launch`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::lab::inncabs {

/// Each runtime has its own types for these policies, or lacks some of them.
enum class launch_policy : std::uint8_t {
  async,     // as soon as a worker is free
  deferred,  // in the first task that waits for it
  optional,  // either, as the runtime chooses
  fork,      // at once in the calling task, whose continuation is queued
};

inline constexpr std::array launch_policies{
    launch_policy::async, launch_policy::deferred, launch_policy::optional, launch_policy::fork};

constexpr std::string_view name_of(launch_policy which) {
  constexpr std::array<std::string_view, launch_policies.size()> names{
      "async", "deferred", "optional", "fork"};
  return names[static_cast<std::uint8_t>(which)];
}

}  // namespace weft::lab::inncabs
