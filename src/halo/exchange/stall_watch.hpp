// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports the ranks that an exchange waits for when it has waited too long.
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

/// Returns the part after the last slash.
[[nodiscard]] std::string without_folders(std::string_view path);
/// Returns "file:line", without folders; empty if there is no file.
[[nodiscard]] std::string place_text(const std::source_location& where);

/// Counts polls without progress. An exchange that waits for nobody never calls this.
class stall_watch {
 public:
  /// `patience`: the wait after which the message is sent; nullopt: never.
  stall_watch(std::optional<std::chrono::milliseconds> patience, const std::source_location& where)
      : patience_(patience), place_(place_text(where)) {}

  void name_place(std::string text) { place_ = std::move(text); }

  /// `waited_for()` returns the ranks that `exchange`, counted from 0, waits for now. If it returns
  /// none, the message names `otherwise`; if that is empty too, it says that the ranks are unknown.
  template <class Peers>
  void note_idle_poll(const grid& processes,
                      std::uint64_t exchange,
                      const Peers& waited_for,
                      std::string_view otherwise = {}) {
    // reading the clock takes as long as many polls
    constexpr std::uint32_t looks_per_clock = 1024;
    if (++num_looks_ % looks_per_clock != 0 || !patience_) {
      return;
    }
    const std::chrono::milliseconds patience = *patience_;
    if (is_due(exchange, patience)) {
      tell(patience, processes, waited_for(), otherwise);
    }
  }

  /// Polls until `is_so()`.
  template <class Condition, class Peers>
  void wait_until(const grid& processes,
                  std::uint64_t exchange,
                  const Condition& is_so,
                  const Peers& waited_for) {
    constexpr unsigned rounds_alone = 1000;
    for (unsigned rounds = 0; !is_so(); ++rounds) {
      note_idle_poll(processes, exchange, waited_for);
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
  std::uint64_t exchange_ = ~std::uint64_t{0};  // the exchange that `since_` belongs to
  clock::time_point since_;
  bool is_told_ = false;
};

}  // namespace weft::halo::detail
