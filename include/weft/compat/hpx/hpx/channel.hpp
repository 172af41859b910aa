// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX's local channels: copies share a queue, and get gives a future.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <hpx/compat/bounded_channels.hpp>  // IWYU pragma: export
#include <hpx/exception.hpp>
#include <hpx/future.hpp>

#include "weft/tasks/channel.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/mutex.hpp"

namespace hpx::lcos::local {

namespace detail {

/// For calls that say no generation: the one after that of the call before.
inline constexpr std::size_t next_generation = ~std::size_t{0};

/// Values without a receiver yet, or promises without a value yet, by their numbers.
///
/// Threads: any.
template <class T>
class channel_state {
 public:
  using stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  explicit channel_state(std::size_t capacity) noexcept : capacity_(capacity) {}

  weft::future<T> get(std::size_t generation) {
    const std::scoped_lock guard(mutex_);
    ++num_gets_;
    const auto found = values_.find(generation == next_generation ? num_gets_ : generation);
    if (found != values_.end()) {
      stored value = std::move(found->second);
      values_.erase(found);
      has_room_.notify_one();
      if constexpr (std::is_void_v<T>) {
        return weft::make_ready_future();
      } else {
        return weft::make_ready_future<T>(std::in_place, std::move(value));
      }
    }
    if (is_closed_) {
      return weft::make_exceptional_future<T>(
          weft::channel_closed("hpx channel: get on a closed and empty channel"));
    }
    return asked_[generation == next_generation ? num_gets_ : generation].get_future();
  }

  /// Whether a wait for a value would never end, because no other owner can send one.
  [[nodiscard]] bool is_open_and_empty() const {
    const std::scoped_lock guard(mutex_);
    return values_.empty() && !is_closed_;
  }

  /// Waits while there is no room.
  void set(stored value, std::size_t generation) {
    std::unique_lock lock(mutex_);
    while (values_.size() >= capacity_ && !is_closed_) {
      has_room_.wait(lock);
    }
    if (is_closed_) {
      throw weft::channel_closed("hpx channel: set on a closed channel");
    }
    ++num_sets_;
    const std::size_t number = generation == next_generation ? num_sets_ : generation;
    const auto asked = asked_.find(number);
    if (asked == asked_.end()) {
      values_.insert_or_assign(number, std::move(value));
      return;
    }
    weft::promise<T> first = std::move(asked->second);
    asked_.erase(asked);
    lock.unlock();
    if constexpr (std::is_void_v<T>) {
      first.set_value();
    } else {
      first.set_value(std::move(value));
    }
  }

  /// Fails what was asked for and returns how many that was.
  std::size_t close() {
    std::map<std::size_t, weft::promise<T>> unanswered;
    {
      const std::scoped_lock guard(mutex_);
      is_closed_ = true;
      unanswered.swap(asked_);
      has_room_.notify_all();
    }
    for (auto& [number, each] : unanswered) {
      each.set_exception(std::make_exception_ptr(
          weft::channel_closed("hpx channel: it was closed before anything came")));
    }
    return unanswered.size();
  }

 private:
  const std::size_t capacity_;
  mutable weft::mutex mutex_;
  weft::condition_variable has_room_;
  std::map<std::size_t, stored> values_;
  std::map<std::size_t, weft::promise<T>> asked_;
  std::size_t num_sets_ = 0;
  std::size_t num_gets_ = 0;
  bool is_closed_ = false;
};

/// Takes what arrives, and waits for it.
/// Errors:  `weft::error` (deadlock) if the channel has no other owner that could send.
template <class T>
T receive(const std::shared_ptr<channel_state<T>>& from, std::size_t generation) {
  if (from.use_count() == 1 && from->is_open_and_empty()) {
    throw weft::error(weft::errc::deadlock,
                      "hpx channel: get would wait for ever: the channel is empty, and nobody else "
                      "has a copy of it to send to; give the sender a copy, not a reference");
  }
  return from->get(generation).get();
}

inline void require_sync(weft::launch how) {
  if (how != weft::launch::sync) {
    throw weft::error("hpx channel: get takes hpx::launch::sync, or nothing for a future");
  }
}

/// Receives until the channel is closed and empty.
template <class T>
class channel_iterator {
 public:
  using value_type = typename channel_state<T>::stored;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  channel_iterator() noexcept = default;  // the end
  explicit channel_iterator(std::shared_ptr<channel_state<T>> from) : from_(std::move(from)) {
    ++*this;
  }
  const value_type& operator*() const noexcept { return *value_; }
  channel_iterator& operator++() {
    try {
      if constexpr (std::is_void_v<T>) {
        from_->get(next_generation).get();
        value_.emplace();
      } else {
        value_ = from_->get(next_generation).get();
      }
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
  std::optional<value_type> value_;
};

}  // namespace detail

template <class T>
class send_channel;
template <class T>
class receive_channel;

/// An unbounded queue of Ts, or of signals for `void`. Copies are the same channel.
///
/// `get(hpx::launch::sync)` gives a value that is waited for, `get()` a future.
/// Errors:  `weft::channel_closed` if closed; `weft::error` (deadlock) for a wait if the channel
///          has no other owner. With an `error_code`, that holds the error.
template <class T = void>
class channel {
 public:
  channel() : channel(static_cast<std::size_t>(-1)) {}

  /// `generation` numbers what is sent and received, in any order; by default in that of the calls.
  [[nodiscard]] weft::future<T> get(std::size_t generation = detail::next_generation) const {
    return state_->get(generation);
  }
  T get(weft::launch how, std::size_t generation = detail::next_generation) const {
    detail::require_sync(how);
    return detail::receive(state_, generation);
  }
  T get(weft::launch how,
        error_code& failure,
        std::size_t generation = detail::next_generation) const {
    detail::require_sync(how);
    return failure.guard([&]() -> T { return detail::receive(state_, generation); });
  }
  template <class Value>
    requires std::constructible_from<T, Value>
  void set(Value&& value, std::size_t generation = detail::next_generation) const {
    state_->set(T(std::forward<Value>(value)), generation);
  }
  void set(std::size_t generation = detail::next_generation) const
    requires std::is_void_v<T>
  {
    state_->set({}, generation);
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

/// A channel with room for one value: a further sender waits until that value was received.
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

  [[nodiscard]] weft::future<T> get(std::size_t generation = detail::next_generation) const {
    return whole_.get(generation);
  }
  T get(weft::launch how, std::size_t generation = detail::next_generation) const {
    return whole_.get(how, generation);
  }
  T get(weft::launch how,
        error_code& failure,
        std::size_t generation = detail::next_generation) const {
    return whole_.get(how, failure, generation);
  }
  [[nodiscard]] auto begin() const { return whole_.begin(); }
  [[nodiscard]] auto end() const { return whole_.end(); }

 private:
  channel<T> whole_;
};

}  // namespace hpx::lcos::local
