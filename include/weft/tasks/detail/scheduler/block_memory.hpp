// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for tasks and results: from the worker's block cache if they fit, otherwise from the heap.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/scheduler/block_cache.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"

namespace weft::tasks::detail {

/// Not a template: nvcc may need the answer for a type while it computes the answer for that type.
constexpr bool is_cached(std::size_t size, std::size_t alignment) {
  return size <= block_cache::max_bytes && alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
}

template <class Block>
[[gnu::always_inline]] inline void* allocate_block(worker* w) {
  if constexpr (is_cached(sizeof(Block), alignof(Block))) {
    constexpr std::size_t index = block_cache::size_index(sizeof(Block));
    return w != nullptr ? w->blocks.take(index) : block_cache::from_heap(index);
  } else {
    return ::operator new(sizeof(Block), std::align_val_t(alignof(Block)));
  }
}

template <class Block>
[[gnu::always_inline]] inline void free_block(worker* w, void* memory) noexcept {
  if constexpr (is_cached(sizeof(Block), alignof(Block))) {
    constexpr std::size_t index = block_cache::size_index(sizeof(Block));
    if (w != nullptr) [[likely]] {
      w->blocks.give(memory, index);
    } else {
      block_cache::to_heap(memory, index);
    }
  } else {
    ::operator delete(memory, std::align_val_t(alignof(Block)));
  }
}

/// Errors:  std::bad_alloc, and exceptions of the constructor.
template <class Block, class... Args>
[[gnu::always_inline]] inline Block* make_block(worker* w, Args&&... args) {
  void* memory = allocate_block<Block>(w);
  if constexpr (std::is_nothrow_constructible_v<Block, Args...>) {
    return ::new (memory) Block(std::forward<Args>(args)...);
  } else {
    try {
      return ::new (memory) Block(std::forward<Args>(args)...);
    } catch (...) {
      free_block<Block>(self(), memory);
      throw;
    }
  }
}

template <class Block>
[[gnu::always_inline]] inline void destroy_block(Block& block) noexcept {
  std::destroy_at(std::addressof(block));
  free_block<Block>(self(), std::addressof(block));
}

}  // namespace weft::tasks::detail
