// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue between tasks: senders wait while it is full, receivers while it is empty.
#pragma once

#include <cstddef>
#include <deque>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft {

/// What `channel::set` throws once the channel is closed, and `channel::get` once it is empty, too.
class channel_closed : public error {
 public:
  explicit channel_closed(const std::string& what) : error(errc::invalid_status, what) {}
};

/// A first-in first-out queue for any number of senders and receivers, that can be closed.
///
/// Values that were sent before it was closed can still be received. `for (T& value : channel)`
/// receives until it is closed and empty.
/// Cost:    a mutex per call; unbounded ones allocate as std::deque does.
/// Threads: every member from tasks and OS threads alike; keep it alive until the last has
/// returned. Errors:  `channel_closed`; what moving or copying a T throws, and the channel is as
/// before. Example: tests/tasks/channel_test.cpp: every_value_arrives_once.
template <class T>
class channel {
 public:
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  /// Errors: `weft::error` if there is room for nothing.
  explicit channel(std::size_t capacity = unbounded) : capacity_(capacity) {
    if (capacity == 0) {
      throw error("weft::channel: a capacity of 0 has room for nothing; give it 1 or more");
    }
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel() = default;

  /// Sends, and waits while the channel is full.
  void set(T value, const std::source_location& where = std::source_location::current()) {
    std::unique_lock lock(mutex_);
    while (values_.size() >= capacity_ && !is_closed_) {
      has_room_.wait(lock, where);
    }
    if (is_closed_) {
      throw channel_closed("weft::channel: set on a closed channel; send everything before close");
    }
    values_.push_back(std::move(value));
    has_value_.notify_one();
  }

  /// Sends unless the channel is full or closed. False: `value` was not moved from.
  [[nodiscard]] bool try_set(T&& value) {
    const std::lock_guard guard(mutex_);
    if (is_closed_ || values_.size() >= capacity_) {
      return false;
    }
    values_.push_back(std::move(value));
    has_value_.notify_one();
    return true;
  }

  /// Receives, and waits while the channel is empty.
  [[nodiscard]] T get(const std::source_location& where = std::source_location::current()) {
    if (std::optional<T> value = next(where)) {
      return *std::move(value);
    }
    throw channel_closed(
        "weft::channel: get on a closed and empty channel; use next() or a range-based for loop to "
        "receive until the end");
  }

  /// As `get`, but nothing once the channel is closed and empty.
  [[nodiscard]] std::optional<T> next(
      const std::source_location& where = std::source_location::current()) {
    std::unique_lock lock(mutex_);
    while (values_.empty() && !is_closed_) {
      has_value_.wait(lock, where);
    }
    return take();
  }

  /// Receives what is there now; nothing if the channel is empty.
  [[nodiscard]] std::optional<T> try_get() {
    const std::lock_guard guard(mutex_);
    return take();
  }

  /// Ends the waits of all; a second time changes nothing.
  void close() {
    const std::lock_guard guard(mutex_);
    is_closed_ = true;
    has_value_.notify_all();
    has_room_.notify_all();
  }
  [[nodiscard]] bool is_closed() const {
    const std::lock_guard guard(mutex_);
    return is_closed_;
  }

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
  /// Holds the lock.
  std::optional<T> take() {
    if (values_.empty()) {
      return std::nullopt;
    }
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    has_room_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  mutable mutex mutex_;
  condition_variable has_value_;
  condition_variable has_room_;
  std::deque<T> values_;
  bool is_closed_ = false;
};

}  // namespace weft
