// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future stored inside the type of its own result.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace weft::lab::inncabs {

/// Storage for an optional `Future<Result>` as a member of `Result`, where neither type is
/// complete. The future is waited for before it is destroyed.
///
/// A pointer to a future would also work, but would allocate for each one.
/// Shape:   all futures of this template have the same size, for any result type.
template <template <class> class Future, class Result>
class enclosed_future {
 public:
  enclosed_future() {
    static_assert(sizeof(Future<Result>) == sizeof(room_));
    new (room_) Future<Result>();
  }
  enclosed_future(enclosed_future&& other) noexcept {
    new (room_) Future<Result>(std::move(other.whole()));
  }
  enclosed_future& operator=(enclosed_future&& other) noexcept {
    whole() = std::move(other.whole());
    return *this;
  }
  enclosed_future(const enclosed_future&) = delete;
  enclosed_future& operator=(const enclosed_future&) = delete;
  ~enclosed_future() {
    if (whole().valid()) {
      whole().wait();
    }
    std::destroy_at(&whole());
  }

  void set(Future<Result> made) { whole() = std::move(made); }
  [[nodiscard]] bool is_set() const { return whole().valid(); }
  /// Errors: rethrows what the task threw.
  Result get() { return whole().get(); }

 private:
  [[nodiscard]] Future<Result>& whole() const noexcept {
    return *std::launder(reinterpret_cast<Future<Result>*>(room_));
  }

  alignas(Future<int>) mutable std::byte room_[sizeof(Future<int>)];
};

}  // namespace weft::lab::inncabs
