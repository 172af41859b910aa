// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector whose new elements hold nothing yet, so that the first loop that fills it is the only
// one.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/first_touch_allocator.hpp"

namespace weft {

/// Allocator, except that elements made from nothing are default-initialised: numbers keep whatever
/// the memory held.
template <class Allocator>
class default_init_allocator : public Allocator {
  using base_traits = std::allocator_traits<Allocator>;

 public:
  template <class U>
  struct rebind {
    using other = default_init_allocator<typename base_traits::template rebind_alloc<U>>;
  };

  default_init_allocator() = default;
  explicit default_init_allocator(const Allocator& base) noexcept : Allocator(base) {}
  template <class Other>
    requires std::is_constructible_v<Allocator, const Other&>
  // NOLINTNEXTLINE(google-explicit-constructor): allocators convert
  default_init_allocator(const default_init_allocator<Other>& other) noexcept
      : Allocator(static_cast<const Other&>(other)) {}

  template <class U>
  void construct(U* place) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
    requires(sizeof...(Args) > 0)
  void construct(U* place, Args&&... args) {
    base_traits::construct(static_cast<Allocator&>(*this), place, std::forward<Args>(args)...);
  }
};

/// A std::vector that does not initialise new numbers.
///
/// `uninitialized_vector<double> v(n)` writes none of them. The default allocator touches every
/// page of a large vector in parallel.
///
/// Errors:  reading an element before it is written is undefined.
/// Example: tests/algorithms/allocators_test.cpp: new_numbers_are_left_alone.
template <class T, class Allocator = first_touch_allocator<T>>
using uninitialized_vector = std::vector<T, default_init_allocator<Allocator>>;

}  // namespace weft
