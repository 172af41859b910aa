// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for operations that own themselves: from the environment's allocator, else from the
// worker's own blocks.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "weft/execution/queries.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution::detail {

/// Stands for the worker's blocks.
struct block_allocator {};

template <class Env>
constexpr auto allocator_of(const Env& env) noexcept {
  if constexpr (answers<Env, get_allocator_t>) {
    return get_allocator(env);
  } else {
    return block_allocator();
  }
}
template <class Env>
using allocator_in = decltype(allocator_of(std::declval<const Env&>()));

/// Errors: std::bad_alloc, and what the constructor throws.
template <class T, class Allocator, class... Args>
T* make_with(Allocator& from, Args&&... args) {
  if constexpr (std::is_same_v<Allocator, block_allocator>) {
    return tasks::make_block<T>(tasks::self(), static_cast<Args&&>(args)...);
  } else {
    using traits = typename std::allocator_traits<Allocator>::template rebind_traits<T>;
    typename traits::allocator_type memory(from);
    T* const room = traits::allocate(memory, 1);
    try {
      return ::new (static_cast<void*>(room)) T(static_cast<Args&&>(args)...);
    } catch (...) {
      traits::deallocate(memory, room, 1);
      throw;
    }
  }
}

template <class T, class Allocator>
void free_with(Allocator& from, T* object) noexcept {
  if constexpr (std::is_same_v<Allocator, block_allocator>) {
    object->~T();
    tasks::free_block<T>(tasks::self(), object);
  } else {
    using traits = typename std::allocator_traits<Allocator>::template rebind_traits<T>;
    typename traits::allocator_type memory(from);
    object->~T();
    traits::deallocate(memory, object, 1);
  }
}

}  // namespace weft::execution::detail
