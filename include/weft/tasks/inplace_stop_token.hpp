// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asking work to stop: sources, tokens, and callbacks that live where they are registered.
#pragma once

#include <atomic>
#include <concepts>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/sync/spin_lock.hpp"

namespace weft {
namespace tasks::detail {

template <template <class> class>
struct accepts_template;

}  // namespace tasks::detail

/// Types of stop tokens: they tell whether a stop was requested, and call callbacks when it is.
template <class Token>
concept stoppable_token = requires(const Token token) {
  typename tasks::detail::accepts_template<Token::template callback_type>;
  { token.stop_requested() } noexcept -> std::same_as<bool>;
  { token.stop_possible() } noexcept -> std::same_as<bool>;
  { Token(token) } noexcept;
} && std::copyable<Token> && std::equality_comparable<Token>;

/// A token known never to ask.
template <class Token>
concept unstoppable_token = stoppable_token<Token> && requires {
  requires std::bool_constant<(!Token::stop_possible())>::value;
};

/// The type of callback that a token calls when a stop is requested.
template <class Token, class Callback>
using stop_callback_for_t = typename Token::template callback_type<Callback>;

/// A token of work that is never asked to stop.
class never_stop_token {
  struct callback {
    explicit callback(never_stop_token /*token*/, auto&& /*body*/) noexcept {}
  };

 public:
  template <class>
  using callback_type = callback;
  [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
  [[nodiscard]] static constexpr bool stop_possible() noexcept { return false; }
  friend constexpr bool operator==(never_stop_token, never_stop_token) noexcept = default;
};

class inplace_stop_token;
class inplace_stop_source;
template <class Callback>
class inplace_stop_callback;

namespace tasks::detail {

/// The part of a callback that its stop source keeps in a list.
struct stop_callback_base {
  using call_function = void (*)(stop_callback_base& me) noexcept;
  explicit stop_callback_base(call_function body) noexcept : call(body) {}

  call_function call;
  stop_callback_base* next = nullptr;
  stop_callback_base** link = nullptr;  // null: not in a list
};

struct stop_request;

}  // namespace tasks::detail

/// Requests all holders of its tokens to stop. It must outlive them and their callbacks.
///
/// Cost:    no allocation; a short lock per callback.
/// Threads: every member from any.
/// Example: tests/execution/stop_token_test.cpp: callbacks_are_called_once.
class inplace_stop_source {
 public:
  inplace_stop_source() noexcept = default;
  inplace_stop_source(const inplace_stop_source&) = delete;
  inplace_stop_source& operator=(const inplace_stop_source&) = delete;
  /// Waits for a `request_stop` of another task or thread to end. A callback may destroy the source
  /// that calls it: what was asked to stop may have completed and taken it along.
  ~inplace_stop_source() {
    if (stop_requested()) [[unlikely]] {
      leave_request();
    }
  }

  [[nodiscard]] inplace_stop_token get_token() const noexcept;
  [[nodiscard]] static constexpr bool stop_possible() noexcept { return true; }
  [[nodiscard]] bool stop_requested() const noexcept {
    // acquire: pairs with the release in request_stop()
    return is_requested_.load(std::memory_order_acquire);
  }
  /// Calls every callback on the calling thread before it returns. False if a stop was requested
  /// before.
  bool request_stop() noexcept;

 private:
  template <class>
  friend class inplace_stop_callback;

  /// False: stop was requested before, and the callback is not registered.
  bool add(tasks::detail::stop_callback_base& node) const noexcept;
  /// Waits until `node` is not being called, unless by the caller itself.
  void remove(tasks::detail::stop_callback_base& node) const noexcept;
  void leave_request() noexcept;
  template <class IsOver>
  void wait_for_request(IsOver is_over) const noexcept;

  mutable tasks::detail::spin_lock lock_;
  std::atomic<bool> is_requested_{false};
  mutable tasks::detail::stop_callback_base* first_ = nullptr;
  tasks::detail::stop_request* request_ = nullptr;  // while callbacks are called
};

/// Tells whether its source asked to stop. A default-constructed one never does.
class inplace_stop_token {
 public:
  template <class Callback>
  using callback_type = inplace_stop_callback<Callback>;

  inplace_stop_token() noexcept = default;
  [[nodiscard]] bool stop_requested() const noexcept {
    return source_ != nullptr && source_->stop_requested();
  }
  [[nodiscard]] bool stop_possible() const noexcept { return source_ != nullptr; }
  void swap(inplace_stop_token& other) noexcept { std::swap(source_, other.source_); }
  friend bool operator==(const inplace_stop_token&, const inplace_stop_token&) noexcept = default;

 private:
  friend class inplace_stop_source;
  template <class>
  friend class inplace_stop_callback;
  explicit inplace_stop_token(const inplace_stop_source* source) noexcept : source_(source) {}

  const inplace_stop_source* source_ = nullptr;
};

inline inplace_stop_token inplace_stop_source::get_token() const noexcept {
  return inplace_stop_token(this);
}

/// Has `Callback` called when stop is requested, at once if it was already.
///
/// Its destructor suspends the calling task until a call by another task or thread has ended. It
/// does not wait for a call by the calling task itself.
template <class Callback>
class inplace_stop_callback : tasks::detail::stop_callback_base {
 public:
  using callback_type = Callback;

  template <class Initializer>
    requires std::constructible_from<Callback, Initializer>
  explicit inplace_stop_callback(inplace_stop_token token, Initializer&& body) noexcept(
      std::is_nothrow_constructible_v<Callback, Initializer>)
      : stop_callback_base(&call_body),
        source_(token.source_),
        body_(static_cast<Initializer&&>(body)) {
    if (source_ != nullptr && !source_->add(*this)) {
      source_ = nullptr;
      call_body(*this);
    }
  }
  inplace_stop_callback(const inplace_stop_callback&) = delete;
  inplace_stop_callback& operator=(const inplace_stop_callback&) = delete;
  ~inplace_stop_callback() {
    if (source_ != nullptr) {
      source_->remove(*this);
    }
  }

 private:
  static void call_body(stop_callback_base& me) noexcept {
    static_cast<Callback&&>(static_cast<inplace_stop_callback&>(me).body_)();
  }

  const inplace_stop_source* source_;
  [[no_unique_address]] Callback body_;
};
template <class Callback>
inplace_stop_callback(inplace_stop_token, Callback) -> inplace_stop_callback<Callback>;

}  // namespace weft
