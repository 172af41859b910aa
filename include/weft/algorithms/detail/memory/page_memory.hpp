// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for large arrays in separate pages, and the NUMA nodes of these pages.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::base {
struct topology;
}

namespace weft::algorithms::detail {

enum class page_placement : unsigned char {
  blocked,     // as many equal blocks as there are nodes, in order, every page touched by a worker
  interleaved  // pages in turn on all nodes
};

/// Arrays below this come from operator new: they fit into caches, and pages would be wasted.
inline constexpr std::size_t least_page_memory_bytes = std::size_t{1} << 20U;

/// Bytes [first, last) that belong on one node.
struct page_block {
  std::size_t first = 0;
  std::size_t last = 0;
  int node = 0;
  friend bool operator==(const page_block&, const page_block&) = default;
};

/// The nodes that have CPUs, ascending.
[[nodiscard]] std::vector<int> computing_nodes(const base::topology& machine);

/// Cuts `bytes` into equal blocks of whole pages, one per node; fewer if there are fewer pages.
[[nodiscard]] std::vector<page_block> plan_blocks(std::size_t bytes,
                                                  std::size_t page_bytes,
                                                  const std::vector<int>& nodes);

/// Errors:  std::bad_alloc. An unavailable node is not an error: the system then chooses.
[[nodiscard]] void* allocate_pages(std::size_t bytes, page_placement placement);
void release_pages(void* memory, std::size_t bytes) noexcept;

/// Memory for n objects: pages placed so for large arrays, else what std::allocator gives.
template <class T>
[[nodiscard]] T* allocate_placed(std::size_t n, page_placement placement) {
  if (n > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) {
    throw std::bad_array_new_length();
  }
  if (n * sizeof(T) < least_page_memory_bytes) {
    return std::allocator<T>{}.allocate(n);
  }
  return static_cast<T*>(allocate_pages(n * sizeof(T), placement));
}

template <class T>
void release_placed(T* memory, std::size_t n) noexcept {
  if (n * sizeof(T) < least_page_memory_bytes) {
    std::allocator<T>{}.deallocate(memory, n);
  } else {
    release_pages(memory, n * sizeof(T));
  }
}

}  // namespace weft::algorithms::detail
