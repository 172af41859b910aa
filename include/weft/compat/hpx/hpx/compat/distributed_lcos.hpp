// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels, latches and barriers that localities share.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hpx/compat/basenames.hpp>
#include <hpx/compat/components.hpp>
#include <hpx/compat/id_type.hpp>
#include <hpx/compat/launch.hpp>
#include <hpx/exception.hpp>
#include <hpx/future.hpp>
#include <hpx/runtime.hpp>

#include "weft/distributed/remote.hpp"
#include "weft/tasks/barrier.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/promise.hpp"

namespace hpx {

namespace lcos::local {

/// Values by step; each is received once, before or after it is stored.
///
/// Errors:  a future of a step that is not stored before `close` fails with an `hpx::exception`.
template <class T, class Mutex = weft::mutex>
class receive_buffer {
 public:
  [[nodiscard]] future<T> receive(std::size_t step) {
    std::unique_lock guard(mutex_);
    if (const auto found = stored_.find(step); found != stored_.end()) {
      future<T> value = weft::make_ready_future(std::move(found->second));
      stored_.erase(found);
      return value;
    }
    if (is_closed_) {
      return weft::make_exceptional_future<T>(closed());
    }
    return waiting_[step].get_future();
  }
  void store_received(std::size_t step, T value) {
    std::unique_lock guard(mutex_);
    auto receiver = waiting_.extract(step);
    if (receiver.empty()) {
      stored_.insert_or_assign(step, std::move(value));
      return;
    }
    guard.unlock();
    receiver.mapped().set_value(std::move(value));
  }
  void close() {
    std::unique_lock guard(mutex_);
    is_closed_ = true;
    auto receivers = std::exchange(waiting_, {});
    guard.unlock();
    for (auto& [step, receiver] : receivers) {
      receiver.set_exception(closed());
    }
  }

 private:
  static std::exception_ptr closed() {
    return std::make_exception_ptr(
        exception(error::invalid_status, "this channel is closed, and the value was not sent"));
  }

  Mutex mutex_;
  std::map<std::size_t, T> stored_;
  std::map<std::size_t, weft::promise<T>> waiting_;
  bool is_closed_ = false;
};

}  // namespace lcos::local

namespace compat {

/// The component of a channel. Values without a step are numbered as they come.
template <class T>
class channel_server {
 public:
  future<T> get(std::optional<std::size_t> step) {
    return values_.receive(step ? *step : num_received_++);
  }
  void set(T value, std::optional<std::size_t> step) {
    values_.store_received(step ? *step : num_sent_++, std::move(value));
  }
  void close() { values_.close(); }

 private:
  lcos::local::receive_buffer<T> values_;
  std::atomic<std::size_t> num_sent_{0};
  std::atomic<std::size_t> num_received_{0};
};

/// A handle of a weft object under HPX's names: `Derived` is the handle, T the object.
template <class Derived, class T>
class shared_object : public components::client_base<Derived, T> {
 public:
  using components::client_base<Derived, T>::client_base;
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): its classes inherit it
  shared_object() = default;

 protected:
  [[nodiscard]] weft::distributed::remote<T> object() const {
    return weft::distributed::static_remote_cast<T>(this->get_id().component());
  }
};

}  // namespace compat

namespace lcos {

/// A queue on one locality, from which values are received in their order, or by step.
///
/// Cost:    `set` with a step is a message; `set` without one waits for an answer, so that the
///          values of one caller stay in order.
/// Errors:  `get` fails with an `hpx::exception` when the channel is closed.
template <class T>
class channel : public compat::shared_object<channel<T>, compat::channel_server<T>> {
  using server = compat::channel_server<T>;
  using base = compat::shared_object<channel, server>;

 public:
  using base::base;
  channel() = default;
  // NOLINTNEXTLINE(performance-unnecessary-value-param): hides the one of a component
  explicit channel(id_type where) : base(compat::make_component<server>(where.locality()).get()) {}

  [[nodiscard]] future<T> get(std::optional<std::size_t> step = {}) const {
    return this->object().template async<&server::get>(step);
  }
  [[nodiscard]] future<T> get(launch::async_policy /*how*/,
                              std::optional<std::size_t> step = {}) const {
    return get(step);
  }
  T get(launch::sync_policy /*how*/, std::optional<std::size_t> step = {}) const {
    return get(step).get();
  }
  void set(T value) const { set(launch::sync, std::move(value)); }
  void set(T value, std::size_t step) const {
    this->object().template post<&server::set>(std::move(value), std::optional(step));
  }
  void set(launch::apply_policy /*how*/, T value, std::size_t step) const {
    set(std::move(value), step);
  }
  void set(launch::sync_policy /*how*/, T value, std::optional<std::size_t> step = {}) const {
    this->object().template async<&server::set>(std::move(value), step).get();
  }
  void close() const { this->object().template async<&server::close>().get(); }

  /// Receives until the channel is closed and empty.
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    explicit iterator(const channel& from) : from_(&from) { ++*this; }
    iterator(iterator&&) noexcept = default;  // of one loop
    iterator& operator=(iterator&&) noexcept = default;
    ~iterator() = default;
    const T& operator*() const { return *value_; }
    iterator& operator++() {
      try {
        value_ = from_->get().get();
      } catch (const exception& raised) {
        if (raised.get_error() != error::invalid_status) {
          throw;
        }
        value_.reset();
      }
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& each, std::default_sentinel_t /*end*/) {
      return !each.value_;
    }

   private:
    const channel* from_ = nullptr;
    std::optional<T> value_;
  };
  [[nodiscard]] iterator begin() const { return iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }
};

}  // namespace lcos

namespace distributed {

using lcos::channel;

/// A latch on the locality that makes it; others find it by `connect_to`.
class latch : public compat::shared_object<latch, weft::latch> {
  using base = compat::shared_object<latch, weft::latch>;

 public:
  using base::base;
  latch() = default;
  explicit latch(std::ptrdiff_t count)
      : base(compat::make_component<weft::latch>(find_here().locality(), count).get()) {}

  void count_down(std::ptrdiff_t num_arrived = 1) const {
    object()
        .async([](weft::latch& all, std::ptrdiff_t n) { all.count_down(n); }, num_arrived)
        .get();
  }
  [[nodiscard]] bool try_wait() const {
    return object().async([](weft::latch& all) { return all.try_wait(); }).get();
  }
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): as HPX's
  [[nodiscard]] bool is_ready() const { return try_wait(); }
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): as HPX's
  void wait() const {
    object().async([](weft::latch& all) { all.wait(); }).get();
  }
  void arrive_and_wait() const {
    object().async([](weft::latch& all) { all.arrive_and_wait(); }).get();
  }
  void count_down_and_wait() const { arrive_and_wait(); }
};

/// A barrier by name: `num_sites` callers in the job, each with a number of its own.
class barrier : public compat::shared_object<barrier, weft::barrier<>> {
  using base = compat::shared_object<barrier, weft::barrier<>>;

 public:
  /// All localities take part, once each.
  explicit barrier(const std::string& name)
      : barrier(name, get_num_localities(launch::sync), get_locality_id()) {}
  /// Number 0 makes the barrier.
  barrier(const std::string& name, std::size_t num_sites, std::size_t site)
      : base(site == 0 ? make(key(name), num_sites)
                       : hpx::find_from_basename(key(name), 0).share()) {}

  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): as HPX's
  void wait() const { wait(launch::async).get(); }
  [[nodiscard]] future<void> wait(launch::async_policy /*how*/) const {
    return object().async([](weft::barrier<>& all) { all.arrive_and_wait(); });
  }

 private:
  static std::string key(const std::string& name) { return "barrier/" + name; }
  static shared_future<id_type> make(const std::string& name, std::size_t num_sites) {
    shared_future<id_type> made =
        compat::make_component<weft::barrier<>>(find_here().locality(),
                                                static_cast<std::ptrdiff_t>(num_sites))
            .share();
    if (!hpx::register_with_basename(name, made, 0).get()) {
      throw exception(error::bad_parameter,
                      "hpx::distributed::barrier: there is a \"" + name +
                          "\" already: give each one its own name");
    }
    return made;
  }
};

}  // namespace distributed

namespace lcos {
using distributed::barrier;
using distributed::latch;
}  // namespace lcos

}  // namespace hpx
