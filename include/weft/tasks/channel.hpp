// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue between tasks: senders wait while it is full, receivers while it is empty.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/deadlock.hpp"
#include "weft/tasks/detail/sync/channel_state.hpp"  // IWYU pragma: export
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft {

/// The exception of `channel::send` after the channel is closed, and of `channel::receive` once it
/// is also empty.
class channel_closed : public error {
 public:
  explicit channel_closed(const std::string& what) : error(errc::invalid_status, what) {}
};

namespace execution::detail {
/// Makes the senders of a channel: in weft/execution/channel.hpp.
template <class T>
struct channel_senders;
}  // namespace execution::detail

namespace tasks::detail {

[[noreturn]] void throw_closed_to_sender();
[[noreturn]] void throw_closed_to_receiver();

/// The wait of a task or thread at a channel.
template <class Base>
struct blocked_at_channel : Base {
  template <class... Args>
  explicit blocked_at_channel(Args&... args) noexcept
      : Base(args..., [](channel_waiter& me) noexcept {
          static_cast<blocked_at_channel&>(me).is_over.notify_one();
        }) {}
  condition_variable is_over;
};

}  // namespace tasks::detail

/// A first-in first-out queue for any number of senders and receivers, that can be closed.
///
/// Values that were sent before it was closed can still be received. `for (T& value : channel)`
/// receives until it is closed and empty. Waiters are served in order of arrival: tasks, threads
/// and senders alike. The names `set`, `get`, `try_set` and `try_get` mean the same as `send`,
/// `receive`, `try_send` and `try_receive`.
///
/// `async_...` give senders, which coroutines await and `execution::select` joins; include
/// weft/execution/channel.hpp for them. One that is stopped, or loses a `select` or `when_any`, has
/// neither taken nor sent anything.
/// Cost:    a mutex per call; unbounded ones allocate as std::deque does.
/// Threads: every member from tasks and OS threads alike; keep it alive until the last call has
///          returned and the last sender's operation has completed.
/// Errors:  `channel_closed`; what moving or copying a T throws, and the channel is as before.
/// Example: tests/tasks/channel_test.cpp: every_value_arrives_once.
template <class T>
class channel {
  using state = tasks::detail::channel_state<T>;
  using stage = tasks::detail::channel_waiter::stage;

 public:
  using value_type = T;
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  /// Errors: `weft::error` if there is room for nothing.
  explicit channel(std::size_t capacity = unbounded) : state_(capacity) {
    if (capacity == 0) {
      throw error("weft::channel: a capacity of 0 has room for nothing; give it 1 or more");
    }
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel() = default;

  /// Sends, and waits while the channel is full.
  void send(T value, const std::source_location& where = std::source_location::current()) {
    static_cast<void>(send_before(value, nullptr, where));
  }
  /// As `send`, but gives up after a time. False: `value` was not moved from.
  template <class Rep, class Period>
  [[nodiscard]] bool send_for(T&& value,
                              const std::chrono::duration<Rep, Period>& duration,
                              const std::source_location& where = std::source_location::current()) {
    const auto deadline = tasks::detail::deadline_after(duration);
    return send_before(value, &deadline, where);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool send_until(
      T&& value,
      const std::chrono::time_point<Clock, Duration>& limit,
      const std::source_location& where = std::source_location::current()) {
    const auto deadline = tasks::detail::deadline_at(limit);
    return send_before(value, &deadline, where);
  }

  /// Sends unless the channel is full or closed. False: `value` was not moved from.
  [[nodiscard]] bool try_send(T&& value) {
    const std::lock_guard guard(state_.mutex);
    const bool can_send = !state_.is_closed() && state_.has_room();
    if (can_send) {
      state_.put(std::move(value));
    }
    return can_send;
  }

  /// Receives, and waits while the channel is empty.
  [[nodiscard]] T receive(const std::source_location& where = std::source_location::current()) {
    if (std::optional<T> value = next(where)) {
      return *std::move(value);
    }
    tasks::detail::throw_closed_to_receiver();
  }
  /// As `receive`, but gives up after a time: nothing then.
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> receive_for(
      const std::chrono::duration<Rep, Period>& duration,
      const std::source_location& where = std::source_location::current()) {
    return receive_in_time(tasks::detail::deadline_after(duration), where);
  }
  template <class Clock, class Duration>
  [[nodiscard]] std::optional<T> receive_until(
      const std::chrono::time_point<Clock, Duration>& limit,
      const std::source_location& where = std::source_location::current()) {
    return receive_in_time(tasks::detail::deadline_at(limit), where);
  }

  /// As `receive`, but nothing once the channel is closed and empty.
  [[nodiscard]] std::optional<T> next(
      const std::source_location& where = std::source_location::current()) {
    bool is_in_time = true;
    return receive_before(nullptr, is_in_time, where);
  }

  /// Receives what is there now; nothing if the channel is empty.
  [[nodiscard]] std::optional<T> try_receive() {
    const std::lock_guard guard(state_.mutex);
    return state_.has_value() ? state_.take() : std::nullopt;
  }

  /// A sender that sends `value` here and completes with nothing, or `channel_closed`.
  [[nodiscard]] auto async_send(T value) { return senders().send(state_, std::move(value)); }
  /// A sender of the next value; its error is `channel_closed` once the channel is closed and
  /// empty.
  [[nodiscard]] auto async_receive() noexcept { return senders().receive(state_); }
  /// The same of a std::optional, with nothing after the time.
  template <class Rep, class Period>
  [[nodiscard]] auto async_receive_for(const std::chrono::duration<Rep, Period>& duration) {
    return senders().receive_for(state_, duration);
  }
  template <class Clock, class Duration>
  [[nodiscard]] auto async_receive_until(const std::chrono::time_point<Clock, Duration>& limit) {
    return senders().receive_until(state_, limit);
  }
  /// The same of a std::optional, with nothing once the channel is closed and empty.
  [[nodiscard]] auto async_next() noexcept { return senders().next(state_); }

  /// Closes the channel: nothing can be sent any more. Waiting senders get `channel_closed`;
  /// receivers get it after the last value; `next` and loops end. A second call changes nothing.
  void close() {
    const std::lock_guard guard(state_.mutex);
    state_.close();
  }
  [[nodiscard]] bool is_closed() const {
    const std::lock_guard guard(state_.mutex);
    return state_.is_closed();
  }

  void set(T value, const std::source_location& where = std::source_location::current()) {
    send(std::move(value), where);
  }
  [[nodiscard]] bool try_set(T&& value) { return try_send(std::move(value)); }
  [[nodiscard]] T get(const std::source_location& where = std::source_location::current()) {
    return receive(where);
  }
  [[nodiscard]] std::optional<T> try_get() { return try_receive(); }

  /// Receives a value per step.
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    explicit iterator(channel& source) : source_(&source), value_(source.next()) {}
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): like any iterator, only before the end
    T& operator*() const noexcept { return *value_; }
    iterator& operator++() {
      value_ = source_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& it, std::default_sentinel_t) noexcept {
      return !it.value_.has_value();
    }

   private:
    channel* source_;
    mutable std::optional<T> value_;
  };
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  static auto senders() noexcept {
    using made = execution::detail::channel_senders<T>;
    static_assert(
        requires { sizeof(made); },
        "weft::channel: include weft/execution/channel.hpp for async_send, async_receive and next");
    return made();
  }

  /// False: the time was up.
  bool send_before(T& value,
                   const tasks::detail::time_point* deadline,
                   const std::source_location& where) {
    std::unique_lock lock(state_.mutex);
    if (!state_.is_closed() && state_.has_room()) {
      state_.put(std::move(value));
      return true;
    }
    tasks::detail::blocked_at_channel<tasks::detail::channel_sender<T>> node(value);
    wait_at(node, lock, deadline, where);
    if (node.at == stage::closed) {
      tasks::detail::throw_closed_to_sender();
    }
    return node.at == stage::served;
  }

  std::optional<T> receive_in_time(tasks::detail::time_point deadline,
                                   const std::source_location& where) {
    bool is_in_time = true;
    std::optional<T> value = receive_before(&deadline, is_in_time, where);
    if (!value && is_in_time) {
      tasks::detail::throw_closed_to_receiver();
    }
    return value;
  }
  std::optional<T> receive_before(const tasks::detail::time_point* deadline,
                                  bool& is_in_time,
                                  const std::source_location& where) {
    std::unique_lock lock(state_.mutex);
    if (state_.has_value()) {
      return state_.take();
    }
    tasks::detail::blocked_at_channel<tasks::detail::channel_receiver<T>> node;
    wait_at(node, lock, deadline, where);
    is_in_time = node.at != stage::stopped;
    if (!node.value) {
      return std::nullopt;
    }
    return std::optional<T>(std::in_place, *std::move(node.value));
  }

  /// Afterwards `node.at` is `served`, `closed`, or `stopped` if the time was up.
  template <class Node>
  void wait_at(Node& node,
               std::unique_lock<mutex>& lock,
               const tasks::detail::time_point* deadline,
               const std::source_location& where) {
    if (!state_.enter(node)) {
      try {
        wait_for_turn(node, lock, deadline, where);
      } catch (const deadlock_error&) {  // of an OS thread, which has not locked again
        lock.release();
        lock = std::unique_lock(state_.mutex);
        if (node.at == stage::queued) {
          state_.leave(node);
          throw;
        }
      } catch (...) {  // nothing was waited for, and the lock is held
        state_.leave(node);
        throw;
      }
    }
    if (node.at == stage::failed) {
      std::rethrow_exception(std::move(node.error));
    }
  }
  template <class Node>
  void wait_for_turn(Node& node,
                     std::unique_lock<mutex>& lock,
                     const tasks::detail::time_point* deadline,
                     const std::source_location& where) {
    while (node.at == stage::queued) {
      if (deadline == nullptr) {
        node.is_over.wait(lock, where);
      } else if (node.is_over.wait_until(lock, *deadline, where) == cv_status::timeout &&
                 node.at == stage::queued) {
        state_.leave(node);
        node.at = stage::stopped;
      }
    }
  }

  state state_;
};

}  // namespace weft
