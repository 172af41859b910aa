// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalog's kernel counters on this machine: each is open and proven to count, or has a reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "counters/environment.hpp"
#include "counters/event_counter.hpp"

namespace weft::counters::detail {

/// A value in the row's unit, or why there is none.
struct kernel_value {
  std::optional<scaled_value> value;
  std::string reason;
};

/// One slot per row of `catalog_rows()`; rows that are no kernel counters stay empty.
class kernel_counters {
 public:
  explicit kernel_counters(const environment& where);

  void set(event_state state) noexcept;
  /// Counts from here.
  void rebase() noexcept;
  [[nodiscard]] kernel_value read(std::size_t row) const;

 private:
  struct slot {
    std::optional<event_counter> counter;
    std::string reason;  // why there is no counter
    double least = 0;    // what known work must at least count
    bool is_core_event = false;
    [[nodiscard]] std::optional<scaled_value> read() const;
    void reject(std::string why);
  };

  void open(const environment& where);
  void prove();
  void judge(bool& is_core_stuck);

  std::vector<slot> slots_;
};

}  // namespace weft::counters::detail
