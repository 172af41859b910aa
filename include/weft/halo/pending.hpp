// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exchange that has begun and is not over yet.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "weft/halo/detail/engine.hpp"

namespace weft::halo {

/// The result of `start(fields...)`.
///
/// Until the exchange ends, do not read halos of the fields, and do not write cells within a halo's
/// width of a boundary. Cells further inside may be used.
///
/// Starting has already copied what on this node could be copied at once: nothing but a CPU of this
/// rank would do it later. The destructor waits.
/// Threads: the one that started the exchange. At validation level 2 and above an exchange ends
///          when all ranks have reached its end. So wait for several exchanges in the same order on
///          all ranks. `test` and `progress` never wait and may be called in any order.
/// Example: tests/halo/exchange_test.cpp: a_pending_exchange_can_be_tested_and_tells_of_sides.
template <std::size_t num_dims>
class [[nodiscard]] pending {
 public:
  pending(pending&& other) noexcept : engine_(std::move(other.engine_)) {}
  pending& operator=(pending&& other) noexcept {
    std::swap(engine_, other.engine_);
    return *this;
  }
  ~pending() {
    if (engine_ != nullptr) {
      engine_->finish_quietly();
    }
  }

  /// Returns when all halos are filled and no rank needs this rank's cells any more.
  void wait() {
    if (const auto running = std::exchange(engine_, nullptr); running != nullptr) {
      running->finish();
    }
  }
  /// True: all halos are filled. Does what can be done without waiting.
  [[nodiscard]] bool test() {
    if (engine_ != nullptr && engine_->advance()) {
      engine_.reset();
    }
    return engine_ == nullptr;
  }
  /// Does what can be done without waiting, so that messages move on.
  void progress() {
    if (engine_ != nullptr) {
      static_cast<void>(engine_->advance());
    }
  }
  /// Waits until the halo cells of one more direction are filled, and returns it; empty: all
  /// directions have been returned. The cells of returned directions may be read before `wait()`.
  [[nodiscard]] std::optional<std::array<int, num_dims>> wait_any_side() {
    if (engine_ == nullptr) {
      return std::nullopt;
    }
    for (;;) {
      if (const auto found = engine_->next_arrival(); found.has_value()) {
        std::array<int, num_dims> towards{};
        for (std::size_t d = 0; d < num_dims; ++d) {
          towards[d] = (*found)[d];
        }
        return towards;
      }
      if (engine_->is_idle()) {
        return std::nullopt;
      }
      engine_->advance_or_pause();
    }
  }

  /// For the other headers of this module.
  explicit pending(std::shared_ptr<detail::engine> running) : engine_(std::move(running)) {}

 private:
  std::shared_ptr<detail::engine> engine_;
};

}  // namespace weft::halo
