// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every counter weft knows: name, unit, scope, source and what to bear in mind.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft::counters {

/// Whose doing a counter counts.
enum class counter_scope : std::uint8_t {
  process,  // all threads of this process
  machine,  // everything that runs on this machine, other processes included
};

struct counter_info {
  std::string_view name;
  std::string_view unit;
  counter_scope scope;
  std::string_view source;  // the kernel interface it comes from
  std::string_view note;
};

/// Returns all counters, available here or not, in the order in which sessions report them.
[[nodiscard]] std::span<const counter_info> catalog() noexcept;

}  // namespace weft::counters
