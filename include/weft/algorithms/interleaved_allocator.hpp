// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocator whose large arrays lie on all NUMA nodes in turn, page by page.
#pragma once

#include <cstddef>
#include <type_traits>

#include "weft/algorithms/detail/memory/page_memory.hpp"

namespace weft {

/// Gives large arrays pages on all NUMA nodes in turn.
///
/// For arrays that all workers read together in order (scans, searches), or at random: every part
/// then has the bandwidth of all nodes. It requests huge pages.
/// Cost:    below 1 MiB as std::allocator. Above, whole pages, which the first to write finds.
/// Threads: any.
/// Errors:  std::bad_alloc, std::bad_array_new_length. A node without room is no error.
/// Example: tests/algorithms/allocators_test.cpp: vectors_work_with_every_allocator.
template <class T>
class interleaved_allocator {
 public:
  using value_type = T;
  using is_always_equal = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;

  constexpr interleaved_allocator() noexcept = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): allocators convert
  constexpr interleaved_allocator(const interleaved_allocator<U>& /*other*/) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    static_assert(alignof(T) <= 4096, "pages are aligned to 4096 bytes");
    using algorithms::detail::page_placement;
    return algorithms::detail::allocate_placed<T>(n, page_placement::interleaved);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    algorithms::detail::release_placed(memory, n);
  }

  template <class U>
  friend constexpr bool operator==(const interleaved_allocator& /*a*/,
                                   const interleaved_allocator<U>& /*b*/) noexcept {
    return true;
  }
};

}  // namespace weft
