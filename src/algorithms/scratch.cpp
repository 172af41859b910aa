// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Raw memory for sorts and merges, on huge pages where they pay.
#include "weft/algorithms/detail/scratch.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft::algorithms::detail {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
constexpr std::size_t huge_from_bytes = 4 * huge_page_bytes;

// What operator new gives by itself is several times faster than what is aligned.
constexpr std::size_t line_bytes = 64;
constexpr std::size_t lines_from_bytes = std::size_t{16} << 10U;

std::align_val_t alignment_of(std::size_t bytes, std::size_t alignment) {
  const std::size_t wanted = bytes >= huge_from_bytes ? huge_page_bytes : line_bytes;
  return std::align_val_t{std::max(alignment, wanted)};
}

bool needs_no_alignment(std::size_t bytes, std::size_t alignment) {
  return bytes < lines_from_bytes && alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
}

}  // namespace

void* allocate_scratch(std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (needs_no_alignment(bytes, alignment)) {
    return ::operator new(bytes, std::nothrow);
  }
  void* memory = ::operator new(bytes, alignment_of(bytes, alignment), std::nothrow);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (memory != nullptr && bytes >= huge_from_bytes) {
    // Advice: where it is not taken, pages are small, and only slower.
    static_cast<void>(madvise(memory, bytes / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE));
  }
#endif
  return memory;
}

void free_scratch(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (needs_no_alignment(bytes, alignment)) {
    ::operator delete(memory);
  } else {
    ::operator delete(memory, alignment_of(bytes, alignment));
  }
}

}  // namespace weft::algorithms::detail
