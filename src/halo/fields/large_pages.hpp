// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that processes share, mapped again at an address where the kernel can use large pages.
// Halos across rows touch every small page of a field, and each costs a walk of the page table.
#pragma once

#include <cstddef>

namespace weft::halo::detail {

/// A second view of such memory, or none if the kernel refuses.
/// Source: mremap(2), with an old size of 0; madvise(2), MADV_COLLAPSE.
class large_pages {
 public:
  /// Maps `bytes` bytes at `memory` again. No view is made for few bytes, which contain no whole
  /// large page.
  large_pages(const std::byte* memory, std::size_t bytes);
  large_pages(const large_pages&) = delete;
  large_pages& operator=(const large_pages&) = delete;
  ~large_pages();

  /// Null if there is no view.
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// Turns the pages of the view into large pages, for all processes that have such a view.
  /// Threads: the owner's, before any other use of the memory: one byte of each page becomes 0.
  void collapse() const noexcept;

 private:
  void* reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weft::halo::detail
