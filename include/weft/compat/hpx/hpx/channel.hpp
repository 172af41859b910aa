// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX's local channels: copies share a queue, and get gives a future.
#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <hpx/exception.hpp>
#include <hpx/future.hpp>

#include "weft/tasks/channel.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/mutex.hpp"

namespace hpx::lcos::local {

namespace detail {

/// Values that nobody has asked for, or promises that nothing has been sent for.
///
/// Threads: any.
template <class T>
class channel_state {
 public:
  using stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  explicit channel_state(std::size_t capacity) noexcept : capacity_(capacity) {}

  weft::future<T> get() {
    const std::scoped_lock guard(mutex_);
    if (!values_.empty()) {
      stored value = std::move(values_.front());
      values_.pop_front();
      has_room_.notify_one();
      if constexpr (std::is_void_v<T>) {
        return weft::make_ready_future();
      } else {
        return weft::make_ready_future<T>(std::move(value));
      }
    }
    if (is_closed_) {
      return weft::make_exceptional_future<T>(
          weft::channel_closed("hpx channel: get on a closed and empty channel"));
    }
    return asked_.emplace_back().get_future();
  }

  /// Waits while there is no room.
  void set(stored value) {
    std::unique_lock lock(mutex_);
    while (values_.size() >= capacity_ && !is_closed_) {
      has_room_.wait(lock);
    }
    if (is_closed_) {
      throw weft::channel_closed("hpx channel: set on a closed channel");
    }
    if (asked_.empty()) {
      values_.push_back(std::move(value));
      return;
    }
    weft::promise<T> first = std::move(asked_.front());
    asked_.pop_front();
    lock.unlock();
    if constexpr (std::is_void_v<T>) {
      first.set_value();
    } else {
      first.set_value(std::move(value));
    }
  }

  /// Fails what was asked for and returns how many that was.
  std::size_t close() {
    std::deque<weft::promise<T>> unanswered;
    {
      const std::scoped_lock guard(mutex_);
      is_closed_ = true;
      unanswered.swap(asked_);
      has_room_.notify_all();
    }
    for (weft::promise<T>& each : unanswered) {
      each.set_exception(std::make_exception_ptr(
          weft::channel_closed("hpx channel: it was closed before anything came")));
    }
    return unanswered.size();
  }

 private:
  const std::size_t capacity_;
  weft::mutex mutex_;
  weft::condition_variable has_room_;
  std::deque<stored> values_;
  std::deque<weft::promise<T>> asked_;
  bool is_closed_ = false;
};

inline void require_sync(weft::launch how) {
  if (how != weft::launch::sync) {
    throw weft::error("hpx channel: get takes hpx::launch::sync, or nothing for a future");
  }
}

/// Receives until the channel is closed and empty.
template <class T>
class channel_iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  channel_iterator() noexcept = default;  // the end
  explicit channel_iterator(std::shared_ptr<channel_state<T>> from) : from_(std::move(from)) {
    ++*this;
  }
  const T& operator*() const noexcept { return *value_; }
  channel_iterator& operator++() {
    try {
      value_ = from_->get().get();
    } catch (const weft::channel_closed&) {
      from_ = nullptr;
      value_.reset();
    }
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const channel_iterator& a, const channel_iterator& b) noexcept {
    return a.from_ == b.from_;
  }

 private:
  std::shared_ptr<channel_state<T>> from_;
  std::optional<T> value_;
};

}  // namespace detail

template <class T>
class send_channel;
template <class T>
class receive_channel;

/// An unbounded queue of Ts, or of signals for `void`. Copies are the same channel.
///
/// `get(hpx::launch::sync)` gives a value that is waited for, `get()` a future.
/// Errors:  of what is closed: `weft::channel_closed`; with an `error_code`, that says so.
template <class T = void>
class channel {
 public:
  channel() : channel(static_cast<std::size_t>(-1)) {}

  [[nodiscard]] weft::future<T> get() const { return state_->get(); }
  T get(weft::launch how) const {
    detail::require_sync(how);
    return state_->get().get();
  }
  T get(weft::launch how, error_code& failure) const {
    detail::require_sync(how);
    return failure.guard([this]() -> T { return state_->get().get(); });
  }
  template <class Value>
    requires std::constructible_from<T, Value>
  void set(Value&& value) const {
    state_->set(T(std::forward<Value>(value)));
  }
  void set() const
    requires std::is_void_v<T>
  {
    state_->set({});
  }
  std::size_t close() const { return state_->close(); }

  [[nodiscard]] auto begin() const { return detail::channel_iterator<T>(state_); }
  [[nodiscard]] auto end() const { return detail::channel_iterator<T>(); }

 protected:
  explicit channel(std::size_t capacity)
      : state_(std::make_shared<detail::channel_state<T>>(capacity)) {}

 private:
  friend class send_channel<T>;
  friend class receive_channel<T>;
  std::shared_ptr<detail::channel_state<T>> state_;
};

/// A channel with room for one value: who sends the next one waits until that was received.
template <class T = void>
class one_element_channel : public channel<T> {
 public:
  one_element_channel() : channel<T>(1) {}
};

/// The end of a channel that only sends.
template <class T = void>
class send_channel {
 public:
  send_channel(channel<T> whole) noexcept : whole_(std::move(whole)) {}  // as HPX has it

  template <class... Value>
  void set(Value&&... value) const {
    whole_.set(std::forward<Value>(value)...);
  }
  std::size_t close() const { return whole_.close(); }

 private:
  channel<T> whole_;
};

/// The end of a channel that only receives.
template <class T = void>
class receive_channel {
 public:
  receive_channel(channel<T> whole) noexcept : whole_(std::move(whole)) {}  // as HPX has it

  [[nodiscard]] weft::future<T> get() const { return whole_.get(); }
  T get(weft::launch how) const { return whole_.get(how); }
  T get(weft::launch how, error_code& failure) const { return whole_.get(how, failure); }
  [[nodiscard]] auto begin() const { return whole_.begin(); }
  [[nodiscard]] auto end() const { return whole_.end(); }

 private:
  channel<T> whole_;
};

}  // namespace hpx::lcos::local
