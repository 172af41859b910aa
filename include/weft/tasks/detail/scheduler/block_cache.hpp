// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's own supply of small memory blocks, for objects that outlive the call that makes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ADDRESS_SANITIZER
#endif
#endif

namespace weft::tasks::detail {

/// Returns blocks of a few sizes, the most recently freed one first.
///
/// Caches and the heap can exchange blocks. A worker that frees a block keeps it, and returns
/// blocks in excess of `max_kept` to the heap.
///
/// Threads: only the owner.
class block_cache {
 public:
  static constexpr std::size_t granule_bytes = 64;
  static constexpr std::size_t num_sizes = 8;
  static constexpr std::size_t max_bytes = granule_bytes * num_sizes;
#if defined(WEFT_ADDRESS_SANITIZER)
  static constexpr std::uint32_t max_kept = 0;  // so that AddressSanitizer sees a use after the end
#else
  static constexpr std::uint32_t max_kept = 4096;  // of each size
#endif

  static constexpr std::size_t size_index(std::size_t bytes) noexcept {
    return (bytes - 1) / granule_bytes;
  }

  block_cache() = default;
  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  ~block_cache();

  /// Errors: std::bad_alloc.
  [[gnu::always_inline]] void* take(std::size_t index) {
    free_list& from = free_lists_[index];
    free_block* block = from.first;
    if (block == nullptr) [[unlikely]] {
      return from_heap(index);
    }
    from.first = block->next;
    --from.num_kept;
    return block;
  }

  [[gnu::always_inline]] void give(void* memory, std::size_t index) noexcept {
    free_list& to = free_lists_[index];
    if (to.num_kept >= max_kept) [[unlikely]] {
      to_heap(memory, index);
      return;
    }
    to.first = ::new (memory) free_block{to.first};
    ++to.num_kept;
  }

  static void* from_heap(std::size_t index);
  static void to_heap(void* memory, std::size_t index) noexcept;

 private:
  struct free_block {
    free_block* next;
  };
  struct free_list {
    free_block* first = nullptr;
    std::uint32_t num_kept = 0;
  };

  std::array<free_list, num_sizes> free_lists_{};
};

}  // namespace weft::tasks::detail
