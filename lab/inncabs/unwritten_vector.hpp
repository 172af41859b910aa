// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector that does not initialise its elements, so that the tasks touch its memory first.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::lab::inncabs {

/// `std::allocator`, except that elements have no initial value.
template <class T>
struct unwritten_allocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  template <class Other>
  struct rebind {
    using other = unwritten_allocator<Other>;
  };

  unwritten_allocator() = default;
  template <class Other>
  unwritten_allocator(const unwritten_allocator<Other>& /*other*/) noexcept {}

  template <class Element>
  void construct(Element* where) noexcept {
    ::new (static_cast<void*>(where)) Element;
  }
  template <class Element, class... Arguments>
  void construct(Element* where, Arguments&&... arguments) {
    std::construct_at(where, std::forward<Arguments>(arguments)...);
  }
};

/// Hazard: `unwritten_vector<T>(size)` has indeterminate elements.
template <class T>
using unwritten_vector = std::vector<T, unwritten_allocator<T>>;

}  // namespace weft::lab::inncabs
