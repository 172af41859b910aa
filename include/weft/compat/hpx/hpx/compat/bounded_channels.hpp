// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounded queues whose calls never wait: they say whether there was something, or room.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <hpx/config.hpp>

#include "weft/tasks/channel.hpp"

namespace hpx::lcos::local {

/// For any number of senders and receivers. It can be moved while it is not in use.
///
/// Threads: any.
template <class T>
class channel_mpmc {
 public:
  channel_mpmc() : channel_mpmc(1) {}
  /// Errors: `weft::error` if there is room for nothing.
  explicit channel_mpmc(std::size_t capacity)
      : queue_(std::make_unique<weft::channel<T>>(capacity)), capacity_(capacity) {}

  /// False: it is empty. Without a place for the value, takes it out and drops it.
  bool get(T* value = nullptr) const {
    std::optional<T> first = queue_->try_get();
    if (!first) {
      return false;
    }
    if (value != nullptr) {
      *value = *std::move(first);
    }
    return true;
  }
  /// False: it is full or closed, and `value` is as it was.
  bool set(T&& value) const { return queue_->try_set(std::move(value)); }
  bool set(const T& value) const {
    T copy(value);
    return queue_->try_set(std::move(copy));
  }
  /// Nothing can be sent any more. Returns 0: such a channel has no waiters.
  std::size_t close() const {
    queue_->close();
    return 0;
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  std::unique_ptr<weft::channel<T>> queue_;
  std::size_t capacity_;
};

/// For one receiver, or one of each; weft's channel serves all alike.
template <class T>
class channel_mpsc : public channel_mpmc<T> {
 public:
  using channel_mpmc<T>::channel_mpmc;
};
template <class T>
class channel_spsc : public channel_mpmc<T> {
 public:
  using channel_mpmc<T>::channel_mpmc;
};

}  // namespace hpx::lcos::local
