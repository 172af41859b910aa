// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter over a number that something else keeps: the kernel in a file, or a system call.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/unavailable.hpp"  // IWYU pragma: export

namespace weft::counters::detail {

/// Reads a number as it is kept, or why it cannot be read.
using number_reader = std::function<counter_value(evaluation&)>;

/// Returns what was added to a total between two readings of it.
///
/// Without a value where one of the two has none, or where the total went down: whatever keeps it
/// began anew.
[[nodiscard]] counter_value added_since(const counter_value& before, const counter_value& now);

class proc_counter final : public counter {
 public:
  proc_counter(counter_kind kind, number_reader read);

  [[nodiscard]] counter_value evaluate(evaluation& now) override;
  void reset(evaluation& now) override;

 private:
  counter_kind kind_;
  number_reader read_;
  std::optional<counter_value> baseline_;  // none: counts from the beginning
};

/// `{locality#0/total}` of a type.
[[nodiscard]] counter_name total_of(const counter_type& type);

/// `{locality#0/CHILD}` of a type.
[[nodiscard]] counter_name instance_of(const counter_type& type, instance_part child);

}  // namespace weft::counters::detail
