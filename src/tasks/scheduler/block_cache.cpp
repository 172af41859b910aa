// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow paths of a worker's block cache: blocks from the heap, and back to it.
#include "weft/tasks/detail/scheduler/block_cache.hpp"

#include <cstddef>
#include <new>

namespace weft::tasks::detail {

block_cache::~block_cache() {
  for (std::size_t index = 0; index < num_sizes; ++index) {
    while (free_lists_[index].first != nullptr) {
      to_heap(take(index), index);
    }
  }
}

[[gnu::noinline]] void* block_cache::from_heap(std::size_t index) {
  return ::operator new((index + 1) * granule_bytes);
}

[[gnu::noinline]] void block_cache::to_heap(void* memory, std::size_t index) noexcept {
  ::operator delete(memory, (index + 1) * granule_bytes);
}

}  // namespace weft::tasks::detail
