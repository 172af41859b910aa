// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own malloc and related functions: they call the C library's and count.
#include "lab/approaches/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/harness/experiment.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_LAB_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_LAB_SANITIZED
#endif
#if defined(__GLIBC__) && !defined(WEFT_LAB_SANITIZED)
#define WEFT_LAB_COUNTS_ALLOCATIONS
#endif

namespace weft::lab::approaches {
namespace {

// All accesses are relaxed: threads share only these numbers.
constinit std::atomic<bool> is_counting = false;
constinit std::atomic<std::uint64_t> num_calls = 0;
constinit std::atomic<std::uint64_t> num_bytes = 0;

#if defined(WEFT_LAB_COUNTS_ALLOCATIONS)
void count(std::size_t bytes) noexcept {
  if (is_counting.load(std::memory_order_relaxed)) {
    num_calls.fetch_add(1, std::memory_order_relaxed);
    num_bytes.fetch_add(bytes, std::memory_order_relaxed);
  }
}
#endif

}  // namespace

allocation_counter::allocation_counter() noexcept {
  num_calls.store(0, std::memory_order_relaxed);
  num_bytes.store(0, std::memory_order_relaxed);
  is_counting.store(true, std::memory_order_relaxed);
}

allocation_counter::~allocation_counter() { is_counting.store(false, std::memory_order_relaxed); }

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): of this counter's life
std::optional<allocation_counts> allocation_counter::counted() const noexcept {
#if defined(WEFT_LAB_COUNTS_ALLOCATIONS)
  return allocation_counts{.calls = num_calls.load(std::memory_order_relaxed),
                           .bytes = num_bytes.load(std::memory_order_relaxed)};
#else
  return std::nullopt;
#endif
}

}  // namespace weft::lab::approaches

#if defined(WEFT_LAB_COUNTS_ALLOCATIONS)

using weft::lab::approaches::count;

// Source: glibc manual, "Replacing malloc": all of these are replaced, so that none gets another's
//         memory. They need no declaration by a header.
// NOLINTBEGIN(misc-include-cleaner)
extern "C" {

// The C library's own, under names that it reserves.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __libc_malloc(std::size_t bytes) noexcept;
void* __libc_calloc(std::size_t number, std::size_t bytes) noexcept;
void* __libc_realloc(void* old, std::size_t bytes) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t bytes) noexcept;
void __libc_free(void* block) noexcept;
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void* malloc(std::size_t bytes) noexcept {
  count(bytes);
  return __libc_malloc(bytes);
}

void* calloc(std::size_t number, std::size_t bytes) noexcept {
  count(number * bytes);
  return __libc_calloc(number, bytes);
}

void* realloc(void* old, std::size_t bytes) noexcept {
  count(bytes);
  return __libc_realloc(old, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return memalign(alignment, bytes);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void* const made = memalign(alignment, bytes);
  if (made == nullptr) {
    return ENOMEM;
  }
  *block = made;
  return 0;
}

void free(void* block) noexcept { __libc_free(block); }

}  // extern "C"
// NOLINTEND(misc-include-cleaner)

#endif
