// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says who is waited for when an exchange has waited too long.
#pragma once

#include <chrono>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

/// "file:line", without folders; empty where there is none.
[[nodiscard]] std::string place_text(const std::source_location& where);

/// Counts looks in vain. An exchange that waits for nobody never comes here.
class stall_watch {
 public:
  /// `patience`: none if it is not positive.
  stall_watch(std::chrono::milliseconds patience, const std::source_location& where)
      : patience_(patience), where_(where) {}

  /// `waited_for()`: the ranks that `exchange` waits for now; empty: for nobody that is known.
  template <class Peers>
  void look_in_vain(const grid& processes, std::uint64_t exchange, const Peers& waited_for) {
    constexpr std::uint32_t looks_per_clock = 1024;  // the clock takes as long as many looks
    if (++num_looks_ % looks_per_clock == 0 && is_due(exchange)) {
      tell(processes, waited_for());
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_due(std::uint64_t exchange);
  void tell(const grid& processes, const std::vector<int>& peers) const;

  std::chrono::milliseconds patience_;
  std::source_location where_;
  std::uint32_t num_looks_ = 0;
  std::uint64_t exchange_ = ~std::uint64_t{0};  // that `since_` is of
  clock::time_point since_;
  bool is_told_ = false;
};

}  // namespace weft::halo::detail
