// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a channel, and the tasks, threads and senders that wait for a value or for room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "weft/tasks/mutex.hpp"

namespace weft::tasks::detail {

/// A waiter at a channel. It lives in the waiting frame, or in the operation of a sender.
///
/// Threads: under the channel's mutex.
struct channel_waiter {
  enum class stage : std::uint8_t { idle, queued, served, closed, failed, stopped };
  using wake_function = void (*)(channel_waiter& me) noexcept;
  using claim_function = bool (*)(channel_waiter& me) noexcept;
  explicit channel_waiter(wake_function how, claim_function claim_it = nullptr) noexcept
      : wake(how), claim(claim_it) {}
  channel_waiter(const channel_waiter&) = delete;
  channel_waiter& operator=(const channel_waiter&) = delete;

  /// False if the waiter also waits for another event that came first. It must then not be served.
  [[nodiscard]] bool may_be_served() noexcept { return claim == nullptr || claim(*this); }

  wake_function wake;  // called after `at` was set; must not wait
  claim_function claim;
  stage at = stage::idle;
  std::exception_ptr error;  // if it failed
  channel_waiter* next = nullptr;
  channel_waiter* previous = nullptr;

 protected:
  ~channel_waiter() = default;
};

/// The waiters for one event, in order of arrival.
template <class Waiter>
class channel_queue {
 public:
  void push_back(Waiter& node) noexcept {
    node.at = channel_waiter::stage::queued;
    node.next = nullptr;
    node.previous = last_;
    (last_ != nullptr ? last_->next : first_) = &node;
    last_ = &node;
  }
  void remove(channel_waiter& node) noexcept {
    (node.previous != nullptr ? node.previous->next : first_) = node.next;
    (node.next != nullptr ? node.next->previous : last_) = node.previous;
  }
  /// Removes the first waiter that may be served; null: none. The others remove themselves.
  Waiter* take_first() noexcept {
    channel_waiter* node = first_;
    while (node != nullptr && !node->may_be_served()) {
      node = node->next;
    }
    if (node != nullptr) {
      remove(*node);
    }
    return static_cast<Waiter*>(node);
  }
  void close() noexcept {
    while (first_ != nullptr) {
      channel_waiter& node = *first_;
      remove(node);
      node.at = channel_waiter::stage::closed;
      node.wake(node);
    }
  }
  [[nodiscard]] bool is_empty() const noexcept { return first_ == nullptr; }

 private:
  channel_waiter* first_ = nullptr;
  channel_waiter* last_ = nullptr;
};

template <class T>
struct channel_receiver : channel_waiter {
  using channel_waiter::channel_waiter;
  std::optional<T> value;
};

template <class T>
struct channel_sender : channel_waiter {
  channel_sender(T& given, wake_function how, claim_function claim_it = nullptr) noexcept
      : channel_waiter(how, claim_it), value(&given) {}
  T* value;
};

/// The state that the members of a channel and its senders share.
///
/// Invariant: while there is a value, no servable waiter waits for one; while there is room, none
/// waits for room.
/// Threads: hold the mutex.
template <class T>
class channel_state {
 public:
  explicit channel_state(std::size_t capacity) noexcept : capacity_(capacity) {}

  [[nodiscard]] bool has_value() const noexcept { return !values_.empty(); }
  [[nodiscard]] bool has_room() const noexcept { return values_.size() < capacity_; }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

  /// Sends `value`; there must be room.
  /// Errors:  exceptions of copying or moving a T; nothing was sent then.
  void put(T&& value) {
    values_.push_back(std::move(value));
    settle();
  }
  /// Receives a value; there must be one.
  /// Errors:  exceptions of moving a T; the value stays in the channel.
  [[nodiscard]] std::optional<T> take() {
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    settle();
    return value;
  }

  /// Serves the waiter now, or adds it to the queue. True: served; `at` says how.
  [[nodiscard]] bool enter(channel_receiver<T>& node) noexcept {
    if (values_.empty() && !is_closed_) {
      receivers_.push_back(node);
      return false;
    }
    if (values_.empty()) {
      node.at = channel_waiter::stage::closed;
    } else if (!node.may_be_served()) {
      node.at = channel_waiter::stage::stopped;
    } else {
      serve(node);
      settle();
    }
    return true;
  }
  [[nodiscard]] bool enter(channel_sender<T>& node) noexcept {
    if (!has_room() && !is_closed_) {
      senders_.push_back(node);
      return false;
    }
    if (is_closed_) {
      node.at = channel_waiter::stage::closed;
    } else if (!node.may_be_served()) {
      node.at = channel_waiter::stage::stopped;
    } else {
      serve(node);
      settle();
    }
    return true;
  }
  /// Removes a queued waiter.
  void leave(channel_receiver<T>& node) noexcept { receivers_.remove(node); }
  void leave(channel_sender<T>& node) noexcept { senders_.remove(node); }

  void close() noexcept {
    is_closed_ = true;
    receivers_.close();
    senders_.close();
  }

  mutable weft::mutex mutex;

 private:
  void serve(channel_receiver<T>& node) noexcept {
    try {
      node.value.emplace(std::move(values_.front()));
      values_.pop_front();
      node.at = channel_waiter::stage::served;
    } catch (...) {
      fail(node);
    }
  }
  void serve(channel_sender<T>& node) noexcept {
    try {
      values_.push_back(std::move(*node.value));
      node.at = channel_waiter::stage::served;
    } catch (...) {
      fail(node);
    }
  }
  static void fail(channel_waiter& node) noexcept {
    node.error = std::current_exception();
    node.at = channel_waiter::stage::failed;
  }
  template <class Waiter>
  bool serve_first(channel_queue<Waiter>& queue) noexcept {
    Waiter* const node = queue.take_first();
    if (node != nullptr) {
      serve(*node);
      node->wake(*node);
    }
    return node != nullptr;
  }
  /// Serves all waiters that can be served now.
  void settle() noexcept {
    if (!receivers_.is_empty() || !senders_.is_empty()) [[unlikely]] {
      serve_waiters();
    }
  }
  [[gnu::noinline]] void serve_waiters() noexcept {
    while ((has_value() && serve_first(receivers_)) || (has_room() && serve_first(senders_))) {
    }
  }

  const std::size_t capacity_;
  std::deque<T> values_;
  channel_queue<channel_receiver<T>> receivers_;
  channel_queue<channel_sender<T>> senders_;
  bool is_closed_ = false;
};

}  // namespace weft::tasks::detail
