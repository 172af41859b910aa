// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocator whose large arrays are touched by all workers, in blocks on the nodes in order.
#pragma once

#include <cstddef>
#include <type_traits>

#include "weft/algorithms/detail/memory/page_memory.hpp"

namespace weft {

/// Gives large arrays pages in equal blocks on all NUMA nodes, in order, touched in parallel.
///
/// For arrays that loops of the same length walk, each worker mostly in its own part. Huge pages
/// are asked for.
/// Cost:    below 1 MiB as std::allocator. Above, whole pages, which all workers write to once, so
///          that no later loop has to wait for the system to find them.
/// Threads: any.
/// Errors:  std::bad_alloc, std::bad_array_new_length. A node without room is no error.
/// Example: tests/algorithms/allocators_test.cpp: vectors_work_with_every_allocator.
template <class T>
class first_touch_allocator {
 public:
  using value_type = T;
  using is_always_equal = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;

  constexpr first_touch_allocator() noexcept = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): allocators convert
  constexpr first_touch_allocator(const first_touch_allocator<U>& /*other*/) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    static_assert(alignof(T) <= 4096, "pages are aligned to 4096 bytes");
    using algorithms::detail::page_placement;
    return algorithms::detail::allocate_placed<T>(n, page_placement::blocked);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    algorithms::detail::release_placed(memory, n);
  }

  template <class U>
  friend constexpr bool operator==(const first_touch_allocator& /*a*/,
                                   const first_touch_allocator<U>& /*b*/) noexcept {
    return true;
  }
};

}  // namespace weft
