// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters of a runtime, one row each. Lists, help texts, the reference and the registrations
// are generated from the rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/counter.hpp"

#include "tasks/counters/runtime_moment.hpp"

namespace weft::tasks::detail {

/// The interval that a value covers: from the moment at which counting began to the present.
struct counted_interval {
  const process_moment& process;
  const runtime_moment& now;
  const runtime_moment* since;  // null: counts from the start of the runtime

  [[nodiscard]] std::uint64_t count(
      std::uint64_t counters::worker_totals::* member) const noexcept {
    return now.counted.counts.*member - (since == nullptr ? 0 : since->counted.counts.*member);
  }
  [[nodiscard]] counters::block_reading counted() const noexcept {
    counters::block_reading delta = now.counted;
    if (since != nullptr) {
      delta -= since->counted;
    }
    return delta;
  }
  [[nodiscard]] double ns(double ticks) const noexcept {
    return ticks * process.seconds_per_tick * 1e9;
  }
};

/// The instances that a counter has.
enum class counter_scope : std::uint8_t {
  process,  // {locality#0/total}
  pools,    // and {locality#0/pool#NAME/total}
  workers   // and {locality#0/pool#NAME/worker-thread#N}
};

struct runtime_counter_row {
  std::string_view name;
  std::string_view unit;
  counters::counter_kind kind;
  counter_scope scope;
  counters::counter_value (*value)(const counted_interval& of);
  std::string_view help;
};

[[nodiscard]] std::span<const runtime_counter_row> runtime_counter_rows();

}  // namespace weft::tasks::detail
