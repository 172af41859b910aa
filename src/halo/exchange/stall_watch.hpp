// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says who is waited for when an exchange has waited too long.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sched.h>

#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

/// What comes behind the last slash.
[[nodiscard]] std::string without_folders(std::string_view path);
/// "file:line", without folders; empty where there is none.
[[nodiscard]] std::string place_text(const std::source_location& where);

/// Counts looks in vain. An exchange that waits for nobody never comes here.
class stall_watch {
 public:
  /// `patience`: after so long a wait it speaks; none: never.
  stall_watch(std::optional<std::chrono::milliseconds> patience, const std::source_location& where)
      : patience_(patience), place_(place_text(where)) {}

  void name_place(std::string text) { place_ = std::move(text); }

  /// `waited_for()`: the ranks that `exchange`, counted from 0, waits for now; empty: for
  /// `otherwise`, or, where that is empty too, for ranks that nothing tells.
  template <class Peers>
  void look_in_vain(const grid& processes,
                    std::uint64_t exchange,
                    const Peers& waited_for,
                    std::string_view otherwise = {}) {
    constexpr std::uint32_t looks_per_clock = 1024;  // the clock takes as long as many looks
    if (++num_looks_ % looks_per_clock != 0 || !patience_) {
      return;
    }
    const std::chrono::milliseconds patience = *patience_;
    if (is_due(exchange, patience)) {
      tell(patience, processes, waited_for(), otherwise);
    }
  }

  /// Looks until `is_so()`.
  template <class Condition, class Peers>
  void wait_until(const grid& processes,
                  std::uint64_t exchange,
                  const Condition& is_so,
                  const Peers& waited_for) {
    constexpr unsigned rounds_alone = 1000;
    for (unsigned rounds = 0; !is_so(); ++rounds) {
      look_in_vain(processes, exchange, waited_for);
      if (rounds > rounds_alone || processes.is_oversubscribed()) {
        sched_yield();
      }
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_due(std::uint64_t exchange, std::chrono::milliseconds patience);
  void tell(std::chrono::milliseconds patience,
            const grid& processes,
            const std::vector<int>& peers,
            std::string_view otherwise) const;

  std::optional<std::chrono::milliseconds> patience_;
  std::string place_;
  std::uint32_t num_looks_ = 0;
  std::uint64_t exchange_ = ~std::uint64_t{0};  // that `since_` is of
  clock::time_point since_;
  bool is_told_ = false;
};

}  // namespace weft::halo::detail
