// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters by name.
#pragma once

#include <cstdint>
#include <string>

#include <hpx/config.hpp>

#include "weft/counters/session.hpp"
#include "weft/tasks/launch.hpp"

namespace hpx::performance_counters {

/// One counter. Its values begin when it is made, or was reset.
/// Errors:  `weft::error` for a name that there is not.
class performance_counter {
 public:
  explicit performance_counter(const std::string& name) : name_(name), session_{name} {}

  /// Errors:  `weft::error` if this machine has no value for it.
  template <class T>
  [[nodiscard]] T get_value(weft::launch /*how*/ = weft::launch::sync, bool resets = false) {
    const auto found = session_.evaluate();
    const T value = static_cast<T>(found.number_of(name_));
    if (resets) {
      reset();
    }
    return value;
  }
  void reset(weft::launch /*how*/ = weft::launch::sync) { session_.reset(); }
  bool start(weft::launch /*how*/ = weft::launch::sync) noexcept { return true; }  // it counts
  [[nodiscard]] const std::string& get_name(
      weft::launch /*how*/ = weft::launch::sync) const noexcept {
    return name_;
  }

 private:
  std::string name_;
  weft::counters::session session_;
};

}  // namespace hpx::performance_counters

namespace hpx {

/// The counters that `--hpx:print-counter` or weft's options name. `reset_active_counters` restarts
/// them; `evaluate_active_counters` prints them, and restarts them if `resets`.
inline void reset_active_counters() { weft::counters::reset_active(); }
inline void evaluate_active_counters(bool resets = false, const char* description = "") {
  weft::counters::evaluate_active(description);
  if (resets) {
    weft::counters::reset_active();
  }
}

}  // namespace hpx
