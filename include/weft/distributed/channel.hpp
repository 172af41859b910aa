// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue on one rank into which all ranks send, and from which all receive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft::distributed {

namespace detail {

[[noreturn]] void throw_channel_closed();

/// The values that one handle has sent, and that the channel has not taken yet. One batch is under
/// way at a time, so that values arrive in their order.
template <class T>
class channel_sender : public std::enable_shared_from_this<channel_sender<T>> {
 public:
  channel_sender(remote<weft::channel<T>> queue, std::size_t capacity) noexcept
      : queue_(std::move(queue)), capacity_(capacity) {}

  [[nodiscard]] const remote<weft::channel<T>>& queue() const noexcept { return queue_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  void send(T value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_closed_ || num_sent_ - num_taken_ < capacity_; });
    require_open();
    waiting_.push_back(std::move(value));
    ++num_sent_;
    if (!is_sending_) {
      send_batch(lock);
    }
  }

  /// Waits until the channel has taken all that was sent before.
  void flush() {
    std::unique_lock lock(mutex_);
    const std::uint64_t last = num_sent_;
    changed_.wait(lock, [this, last] { return is_closed_ || num_taken_ >= last; });
    if (num_taken_ < last) {
      require_open();
    }
  }

 private:
  void require_open() const {
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
    if (is_closed_) {
      throw_channel_closed();
    }
  }

  /// Sends all waiting values as one batch. Releases the lock before the call.
  void send_batch(std::unique_lock<mutex>& lock) {
    is_sending_ = true;
    std::vector<T> batch;
    batch.swap(waiting_);
    lock.unlock();
    future<void> end =
        queue_
            .async([](weft::channel<T>& to, std::vector<T> values) { return take_all(to, values); },
                   std::move(batch))
            .then(launch::sync, [me = this->shared_from_this()](future<std::size_t> taken) {
              me->end_batch(std::move(taken));
            });
  }
  /// Returns how many values the channel took before it was closed.
  static std::size_t take_all(weft::channel<T>& to, std::vector<T>& values) {
    std::size_t num_taken = 0;
    try {
      for (auto&& each : values) {
        to.send(T(std::move(each)));
        ++num_taken;
      }
    } catch (const channel_closed&) {
      return num_taken;
    }
    return num_taken;
  }
  void end_batch(future<std::size_t> taken) {
    std::unique_lock lock(mutex_);
    const std::size_t expected = num_sent_ - num_taken_ - waiting_.size();
    try {
      const std::size_t num_taken = taken.get();
      num_taken_ += num_taken;
      is_closed_ = num_taken != expected;
    } catch (...) {
      failure_ = std::current_exception();
      is_closed_ = true;
    }
    changed_.notify_all();
    if (is_closed_ || waiting_.empty()) {
      is_sending_ = false;
      waiting_.clear();
    } else {
      send_batch(lock);
    }
  }

  const remote<weft::channel<T>> queue_;
  const std::size_t capacity_;
  mutex mutex_;
  condition_variable changed_;
  std::vector<T> waiting_;  // sent behind the batch that is under way
  std::uint64_t num_sent_ = 0;
  std::uint64_t num_taken_ = 0;
  bool is_sending_ = false;
  bool is_closed_ = false;
  std::exception_ptr failure_;
};

}  // namespace detail

/// A handle of a queue of limited capacity on one rank; it is sent to other ranks, or found by name.
///
/// Values that one handle and its copies on a rank send arrive in this order. Values that were sent
/// before the channel was closed can still be received.
/// Cost:    sent values are gathered while earlier ones are on their way; a call for each value
///          received on another rank than the owner. The owner holds at most `capacity` values, and
///          as many of each handle that sends.
/// Threads: any.
/// Errors:  `channel_closed`; `weft::error` if the handle is empty.
/// Example: tests/distributed/channel_test.cpp: values_arrive_in_order.
template <class T>
class channel {
 public:
  using value_type = T;

  /// An empty handle.
  channel() noexcept = default;
  channel(remote<weft::channel<T>> queue, std::size_t capacity)
      : sender_(std::make_shared<detail::channel_sender<T>>(std::move(queue), capacity)) {}

  /// Sends, and waits for credit while the channel has not taken `capacity` earlier values of this
  /// handle. Values that are on their way when the channel is closed are lost, as `flush` reports.
  void send(T value) const { mine().send(std::move(value)); }
  /// Ready when the channel has taken all values that this handle sent before; `channel_closed` if
  /// it did not take one.
  [[nodiscard]] future<void> flush() const {
    static_cast<void>(mine());
    return weft::async([sender = sender_] { sender->flush(); });
  }

  /// The next value; waits until there is one. Errors: `channel_closed` once it is closed and empty.
  [[nodiscard]] future<T> receive() const {
    return mine().queue().async([](weft::channel<T>& from) { return from.receive(); });
  }
  /// As `receive`, but nothing once the channel is closed and empty.
  [[nodiscard]] future<std::optional<T>> next() const {
    return mine().queue().async([](weft::channel<T>& from) { return from.next(); });
  }
  /// Closes the channel for all ranks, after the values that this handle sent.
  [[nodiscard]] future<void> close() const {
    static_cast<void>(mine());
    return weft::async([sender = sender_] {
      try {
        sender->flush();
      } catch (const channel_closed&) {
        return;
      }
      sender->queue().async([](weft::channel<T>& all) { all.close(); }).get();
    });
  }

  [[nodiscard]] locality owner() const { return mine().queue().owner(); }

 private:
  friend class archive_access;
  void save(output_archive& to) const {
    to(sender_ != nullptr ? sender_->queue() : remote<weft::channel<T>>(),
       static_cast<std::uint64_t>(sender_ != nullptr ? sender_->capacity() : 0));
  }
  void load(input_archive& from) {
    remote<weft::channel<T>> queue;
    std::uint64_t capacity = 0;
    from(queue, capacity);
    *this = queue ? channel(std::move(queue), std::max<std::size_t>(capacity, 1)) : channel();
  }

  [[nodiscard]] detail::channel_sender<T>& mine() const {
    if (sender_ == nullptr) {
      throw error(errc::invalid_status,
                  "this channel handle is empty: use the one that the future of make_channel "
                  "gives");
    }
    return *sender_;
  }

  std::shared_ptr<detail::channel_sender<T>> sender_;
};

/// Makes a channel on `where` with room for `capacity` values.
/// Errors:  `weft::error` if there is no such rank; the future has one if `capacity` is 0.
/// Example: tests/distributed/channel_test.cpp: values_arrive_in_order.
template <class T>
[[nodiscard]] future<channel<T>> make_channel(locality where, std::size_t capacity) {
  static_assert(detail::sendable<std::tuple<T>>::check());
  return make_remote<weft::channel<T>>(where, capacity)
      .then(launch::sync, [capacity](future<remote<weft::channel<T>>> made) {
        return channel<T>(made.get(), capacity);
      });
}

}  // namespace weft::distributed
