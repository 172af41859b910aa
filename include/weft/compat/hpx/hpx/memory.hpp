// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parallel algorithms of <memory>.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

#include <hpx/execution.hpp>

#include "weft/algorithms/destroy.hpp"
#include "weft/algorithms/uninitialized.hpp"

namespace hpx {

using std::destroy;
using std::destroy_at;
using std::destroy_n;
using std::uninitialized_copy;
using std::uninitialized_copy_n;
using std::uninitialized_default_construct;
using std::uninitialized_default_construct_n;
using std::uninitialized_fill;
using std::uninitialized_fill_n;
using std::uninitialized_move;
using std::uninitialized_move_n;
using std::uninitialized_value_construct;
using std::uninitialized_value_construct_n;
using weft::destroy;
using weft::destroy_n;
using weft::uninitialized_copy;
using weft::uninitialized_copy_n;
using weft::uninitialized_default_construct;
using weft::uninitialized_default_construct_n;
using weft::uninitialized_fill;
using weft::uninitialized_fill_n;
using weft::uninitialized_move;
using weft::uninitialized_move_n;
using weft::uninitialized_value_construct;
using weft::uninitialized_value_construct_n;

/// Shares an object that counts its owners itself, by functions that are found where its type is:
/// `intrusive_ptr_add_ref(p)` and `intrusive_ptr_release(p)`.
template <class T>
class intrusive_ptr {
 public:
  using element_type = T;

  constexpr intrusive_ptr() noexcept = default;
  constexpr intrusive_ptr(std::nullptr_t) noexcept {}  // implicit, as all here
  intrusive_ptr(T* object, bool adds_owner = true) : object_(object) {
    if (object_ != nullptr && adds_owner) {
      intrusive_ptr_add_ref(object_);
    }
  }
  template <class U>
    requires std::convertible_to<U*, T*>
  intrusive_ptr(const intrusive_ptr<U>& other) : intrusive_ptr(other.get()) {}
  intrusive_ptr(const intrusive_ptr& other) : intrusive_ptr(other.object_) {}
  intrusive_ptr(intrusive_ptr&& other) noexcept : object_(other.detach()) {}
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    swap(other);
    return *this;
  }
  ~intrusive_ptr() {
    if (object_ != nullptr) {
      intrusive_ptr_release(object_);
    }
  }

  void swap(intrusive_ptr& other) noexcept { std::swap(object_, other.object_); }
  void reset(T* object = nullptr, bool adds_owner = true) {
    intrusive_ptr(object, adds_owner).swap(*this);
  }
  /// Gives up the object, which keeps this owner in its count.
  [[nodiscard]] T* detach() noexcept { return std::exchange(object_, nullptr); }
  [[nodiscard]] T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const intrusive_ptr&, const intrusive_ptr&) noexcept = default;
  friend auto operator<=>(const intrusive_ptr& one, const intrusive_ptr& other) noexcept {
    return std::compare_three_way()(one.object_, other.object_);
  }

 private:
  T* object_ = nullptr;
};

}  // namespace hpx
