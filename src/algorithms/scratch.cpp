// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Raw memory for sorts and merges, on huge pages where they are faster.
#include "weft/algorithms/detail/memory/scratch.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft::algorithms::detail {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
constexpr std::size_t huge_from_bytes = 4 * huge_page_bytes;

// Plain operator new is several times faster than aligned operator new.
constexpr std::size_t line_bytes = 64;
constexpr std::size_t lines_from_bytes = std::size_t{16} << 10U;

bool needs_no_alignment(std::size_t bytes, std::size_t alignment) {
  return bytes < lines_from_bytes && alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
}

bool goes_on_huge_pages(std::size_t bytes, std::size_t alignment) {
  return bytes >= huge_from_bytes && alignment <= huge_page_bytes;
}

/// Precedes memory on huge pages: the start of the allocation, and the number of bytes that follow.
struct block_head {
  void* all;
  std::size_t bytes;
};

block_head& head_of(std::byte* memory) {
  return *(reinterpret_cast<block_head*>(memory) - 1);  // NOLINT: raw memory
}

void delete_block(std::byte* memory) noexcept {
  if (memory != nullptr) {
    ::operator delete(head_of(memory).all);
  }
}

void advise([[maybe_unused]] std::byte* memory, [[maybe_unused]] int advice) noexcept {
#if defined(__linux__)
  // If the kernel does not take the advice, pages stay small; results do not change.
  const std::size_t bytes = head_of(memory).bytes / huge_page_bytes * huge_page_bytes;
  static_cast<void>(madvise(memory, bytes, advice));
#endif
}

/// Aligned here, with the start of the allocation in front. Blocks that a program frees repeatedly
/// are reused by glibc. Memory aligned to a huge page comes from the system anew each time. The
/// system clears it (5 ms for 8 MiB on a virtual machine).
std::byte* new_block(std::size_t bytes) noexcept {
  auto* const all =
      bytes > SIZE_MAX - huge_page_bytes
          ? nullptr
          : static_cast<std::byte*>(::operator new(bytes + huge_page_bytes, std::nothrow));
  if (all == nullptr) {
    return nullptr;
  }
  const std::size_t past = std::bit_cast<std::uintptr_t>(all) % huge_page_bytes;
  static_assert(sizeof(block_head) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  std::byte* const memory = all + (huge_page_bytes - past);  // leaves room for the head in front
  std::construct_at(reinterpret_cast<block_head*>(memory) - 1, all, bytes);  // NOLINT: raw memory
#if defined(MADV_HUGEPAGE)
  advise(memory, MADV_HUGEPAGE);
#endif
  return memory;
}

// glibc itself reuses blocks below 32 MiB.
constexpr std::size_t least_kept_bytes = std::size_t{28} << 20U;
constexpr std::size_t most_kept_bytes = std::size_t{80} << 20U;

/// Keeps a block for the next call, on any thread, that needs as much; meanwhile the system may
/// take its pages. Null if no block is kept.
std::atomic<std::byte*> kept_block{nullptr};

bool may_be_kept(std::size_t bytes) {
  return bytes >= least_kept_bytes && bytes <= most_kept_bytes;
}

std::byte* block_of(std::size_t bytes) noexcept {
  if (may_be_kept(bytes)) {
    // acquire: the thread that freed the block no longer uses it
    std::byte* const kept = kept_block.exchange(nullptr, std::memory_order_acquire);
    if (kept != nullptr && head_of(kept).bytes >= bytes) {
      return kept;
    }
    delete_block(kept);
  }
  return new_block(bytes);
}

void free_block(std::byte* memory) noexcept {
  if (may_be_kept(head_of(memory).bytes)) {
#if defined(MADV_FREE)
    advise(memory, MADV_FREE);
#endif
    // acq_rel: whichever thread takes either block sees all earlier uses of it completed
    memory = kept_block.exchange(memory, std::memory_order_acq_rel);
  }
  delete_block(memory);
}

std::align_val_t alignment_of(std::size_t alignment) {
  return std::align_val_t{std::max(alignment, line_bytes)};
}

}  // namespace

void* allocate_scratch(std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (needs_no_alignment(bytes, alignment)) {
    return ::operator new(bytes, std::nothrow);
  }
  if (goes_on_huge_pages(bytes, alignment)) {
    return block_of(bytes);
  }
  return ::operator new(bytes, alignment_of(alignment), std::nothrow);
}

void free_scratch(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (needs_no_alignment(bytes, alignment)) {
    ::operator delete(memory);
  } else if (goes_on_huge_pages(bytes, alignment)) {
    free_block(static_cast<std::byte*>(memory));
  } else {
    ::operator delete(memory, alignment_of(alignment));
  }
}

}  // namespace weft::algorithms::detail
