// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard's stop tokens, for tasks: a stop_callback knows tasks, not OS threads.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "weft/tasks/inplace_stop_token.hpp"

namespace weft {

using std::nostopstate;
using std::nostopstate_t;

template <class Callback>
class stop_callback;

namespace tasks::detail {

/// What sources, tokens and callbacks share.
struct stop_state {
  inplace_stop_source source;
  std::atomic<std::size_t> num_sources{1};
};

}  // namespace tasks::detail

/// As std::stop_token.
class stop_token {
 public:
  template <class Callback>
  using callback_type = stop_callback<Callback>;

  stop_token() noexcept = default;
  [[nodiscard]] bool stop_requested() const noexcept {
    return state_ != nullptr && state_->source.stop_requested();
  }
  /// False if stop was not requested and no source is left that could.
  [[nodiscard]] bool stop_possible() const noexcept {
    // acquire: the source that was destroyed last may have requested stop before
    return state_ != nullptr && (state_->num_sources.load(std::memory_order_acquire) != 0 ||
                                 state_->source.stop_requested());
  }
  void swap(stop_token& other) noexcept { state_.swap(other.state_); }
  friend void swap(stop_token& one, stop_token& other) noexcept { one.swap(other); }
  friend bool operator==(const stop_token&, const stop_token&) noexcept = default;

 private:
  friend class stop_source;
  template <class>
  friend class stop_callback;
  explicit stop_token(std::shared_ptr<tasks::detail::stop_state> state) noexcept
      : state_(std::move(state)) {}

  std::shared_ptr<tasks::detail::stop_state> state_;
};

/// As std::stop_source.
///
/// Cost:    one allocation.
/// Threads: `request_stop` and `get_token` from any.
/// Example: tests/tasks/stop_token_test.cpp: a_callback_is_called_once.
class stop_source {
 public:
  stop_source() : state_(std::make_shared<tasks::detail::stop_state>()) {}
  explicit stop_source(nostopstate_t /*none*/) noexcept {}
  stop_source(const stop_source& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) {
      state_->num_sources.fetch_add(1, std::memory_order_relaxed);
    }
  }
  stop_source(stop_source&&) noexcept = default;
  stop_source& operator=(stop_source other) noexcept {
    swap(other);
    return *this;
  }
  ~stop_source() {
    if (state_ != nullptr) {
      // release: pairs with the acquire in stop_possible()
      state_->num_sources.fetch_sub(1, std::memory_order_release);
    }
  }

  [[nodiscard]] stop_token get_token() const noexcept { return stop_token(state_); }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool stop_requested() const noexcept {
    return state_ != nullptr && state_->source.stop_requested();
  }
  /// Calls every callback before it returns; they may suspend the calling task. False if a stop was
  /// requested before, or there is no state.
  bool request_stop() const noexcept {
    const auto kept = state_;  // a callback may destroy this
    return kept != nullptr && kept->source.request_stop();
  }
  void swap(stop_source& other) noexcept { state_.swap(other.state_); }
  friend void swap(stop_source& one, stop_source& other) noexcept { one.swap(other); }
  friend bool operator==(const stop_source&, const stop_source&) noexcept = default;

 private:
  std::shared_ptr<tasks::detail::stop_state> state_;
};

/// As std::stop_callback, and its function may suspend the task that requests the stop.
///
/// Its destructor suspends the calling task until a call by another task or thread has ended. It
/// does not wait for a call by the calling task itself.
/// Example: tests/tasks/stop_token_test.cpp: waits_for_a_callback_that_suspends.
template <class Callback>
class stop_callback {
 public:
  using callback_type = Callback;

  template <class Initializer>
    requires std::constructible_from<Callback, Initializer>
  explicit stop_callback(stop_token token, Initializer&& body) noexcept(
      std::is_nothrow_constructible_v<Callback, Initializer>)
      : state_(std::move(token.state_)),
        inner_(state_ != nullptr ? state_->source.get_token() : inplace_stop_token(),
               static_cast<Initializer&&>(body)) {}
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;
  ~stop_callback() = default;

 private:
  std::shared_ptr<tasks::detail::stop_state> state_;
  inplace_stop_callback<Callback> inner_;
};
template <class Callback>
stop_callback(stop_token, Callback) -> stop_callback<Callback>;

}  // namespace weft
