// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future inside the very type that it will give.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace weft::lab::inncabs {

/// Room for a `Future<Result>`, or for none, as a member of `Result`, where that type is not
/// complete and the future's neither; waited for before it is destroyed.
///
/// A pointer to a future would do, at the price of an allocation for each.
/// Shape:   futures of this template are of one size, whatever they give.
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
