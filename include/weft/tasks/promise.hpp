// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures that are not the result of a task: given by a promise, or ready from the start.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/tasks/future.hpp"

namespace weft {

namespace tasks::detail {

/// A promise of a T can be kept with `args`.
template <class T, class... Args>
concept settable =
    (std::is_void_v<T> && sizeof...(Args) == 0) ||
    (std::is_reference_v<T> && sizeof...(Args) == 1 && (std::is_convertible_v<Args, T> && ...)) ||
    (std::is_object_v<T> && std::constructible_from<T, Args...>);

template <class T>
auto* address_of_bound(T bound) noexcept {
  return std::addressof(bound);
}

/// As plain_block, in memory of an allocator.
template <class T, class Allocator>
struct allocated_block final : result_state<T> {
  using traits = typename std::allocator_traits<Allocator>::template rebind_traits<allocated_block>;
  using allocator_type = typename traits::allocator_type;

  explicit allocated_block(const allocator_type& source) noexcept
      : result_state<T>(nullptr, calls), memory(source) {}

  /// Errors: what the allocator throws.
  static allocated_block* make(const Allocator& source) {
    allocator_type memory(source);
    auto* const place = std::to_address(traits::allocate(memory, 1));
    return ::new (static_cast<void*>(place)) allocated_block(memory);
  }

  allocator_type memory;

 private:
  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<allocated_block&>(state);
    me.destroy_result();
    allocator_type memory(std::move(me.memory));
    const auto place = std::pointer_traits<typename traits::pointer>::pointer_to(me);
    std::destroy_at(std::addressof(me));
    traits::deallocate(memory, place, 1);
    return nullptr;
  }
  static constexpr typename result_state<T>::typed_operations calls{{drop}, nullptr};
};

}  // namespace tasks::detail

/// The producer's end of a future.
///
/// A promise that is destroyed without value or exception fails its future (broken_promise).
/// Threads: one at a time; the future may be used by another.
/// Example: tests/tasks/promise_test.cpp: gives_its_value_to_a_waiting_task.
template <class T>
class promise {
 public:
  promise()
      : state_(tasks::detail::make_block<tasks::detail::plain_block<T>>(tasks::detail::self())) {}
  /// The state of the promise and its future is allocated by `source`.
  /// Errors:  what the allocator throws.
  template <class Allocator>
  promise(std::allocator_arg_t /*tag*/, const Allocator& source)
      : state_(tasks::detail::allocated_block<T, Allocator>::make(source)) {}
  promise(promise&& other) noexcept { swap(other); }
  promise& operator=(promise&& other) noexcept {
    promise(std::move(other)).swap(*this);
    return *this;
  }
  promise(const promise&) = delete;
  promise& operator=(const promise&) = delete;
  ~promise() {
    if (state_ == nullptr) {
      return;
    }
    if (!is_satisfied_) {
      const bool is_awaited = is_retrieved_;
      auto& state = *state_;
      tasks::detail::finish_and_resume(
          state, state.fail(std::make_exception_ptr(future_error(future_errc::broken_promise))));
      if (is_awaited) {
        return;
      }
    }
    if (!is_retrieved_) {
      tasks::detail::abandon(*state_);
    }
  }
  void swap(promise& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(is_retrieved_, other.is_retrieved_);
    std::swap(is_satisfied_, other.is_satisfied_);
  }

  /// The future. Once.
  /// Errors:  `future_error`: already_retrieved; no_state after a move.
  future<T> get_future() {
    require_state();
    if (std::exchange(is_retrieved_, true)) {
      tasks::detail::throw_future_error(future_errc::already_retrieved);
    }
    return tasks::detail::future_access::make<T>(state_);
  }

  /// Makes the future ready. Its waiters resume as tasks.
  /// Errors:  what constructing the value throws, and nothing is set; `future_error`:
  ///          promise_already_satisfied; no_state after a move.
  template <class... Args>
    requires tasks::detail::settable<T, Args...>
  void set_value(Args&&... args) {
    require_unsatisfied();
    if constexpr (std::is_reference_v<T>) {
      satisfy(state_->emplace(tasks::detail::address_of_bound<T>(std::forward<Args>(args)...)));
    } else {
      satisfy(state_->emplace(std::forward<Args>(args)...));
    }
  }
  /// Makes the future fail with `raised`.
  /// Errors:  `future_error`, and nothing is set: no_exception for a null `raised`;
  ///          promise_already_satisfied; no_state after a move.
  void set_exception(std::exception_ptr raised) {
    require_unsatisfied();
    if (raised == nullptr) {
      tasks::detail::throw_future_error(future_errc::no_exception);
    }
    satisfy(state_->fail(std::move(raised)));
  }

 private:
  void require_state() const {
    if (state_ == nullptr) {
      tasks::detail::throw_future_error(future_errc::no_state);
    }
  }
  void require_unsatisfied() const {
    require_state();
    if (is_satisfied_) {
      tasks::detail::throw_future_error(future_errc::promise_already_satisfied);
    }
  }
  void satisfy(std::uintptr_t outcome) noexcept {
    is_satisfied_ = true;  // first: the future's owner may destroy this promise as soon as it can
    tasks::detail::finish_and_resume(*state_, outcome);
  }

  tasks::detail::result_state<T>* state_ = nullptr;
  bool is_retrieved_ = false;
  bool is_satisfied_ = false;
};

namespace tasks::detail {

template <class T, class... Args>
future<T> make_ready(Args&&... args) {
  auto* block = make_block<plain_block<T>>(self());
  try {
    // relaxed: no other thread knows the block
    block->done.store(block->emplace(std::forward<Args>(args)...), std::memory_order_relaxed);
  } catch (...) {
    destroy_block(*block);
    throw;
  }
  return future_access::make<T>(block);
}

}  // namespace tasks::detail

/// A future that is ready with `value`; a std::reference_wrapper gives a reference.
/// Cost:    one block; no task.
template <class T>
future<std::unwrap_ref_decay_t<T>> make_ready_future(T&& value) {
  using value_type = std::unwrap_ref_decay_t<T>;
  if constexpr (std::is_reference_v<value_type>) {
    return tasks::detail::make_ready<value_type>(std::addressof(value.get()));
  } else {
    return tasks::detail::make_ready<value_type>(std::forward<T>(value));
  }
}
/// A future that is ready with a T made of `args`.
template <class T, class... Args>
  requires(std::is_object_v<T> && std::constructible_from<T, Args...>)
future<T> make_ready_future(std::in_place_t /*tag*/, Args&&... args) {
  return tasks::detail::make_ready<T>(std::forward<Args>(args)...);
}
inline future<void> make_ready_future() { return tasks::detail::make_ready<void>(); }

/// A future that is ready with an exception.
/// Errors:  `future_error` (no_exception) for a null pointer.
template <class T>
future<T> make_exceptional_future(std::exception_ptr raised) {
  promise<T> failed;
  failed.set_exception(std::move(raised));
  return failed.get_future();
}
template <class T, class Error>
  requires(!std::convertible_to<Error, std::exception_ptr>)
future<T> make_exceptional_future(Error&& raised) {
  return make_exceptional_future<T>(std::make_exception_ptr(std::forward<Error>(raised)));
}

}  // namespace weft

template <class T, class Allocator>
// NOLINTNEXTLINE(bugprone-std-namespace-modification): a trait that is meant to be specialized
struct std::uses_allocator<weft::promise<T>, Allocator> : std::true_type {};
